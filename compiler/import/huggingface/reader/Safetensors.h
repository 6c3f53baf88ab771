// Headers of safetensors files. A header says for each tensor its element type,
// its shape and the bytes of the file that hold it.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_READER_SAFETENSORS_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_READER_SAFETENSORS_H

#include "compiler/files/OpenFile.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tenon::hf {

/// A tensor of a safetensors file.
struct StoredTensor {
  std::string name;
  std::string dtype; ///< as in the file: "BF16"
  std::vector<int64_t> dims;
  uint64_t offset = 0, length = 0; ///< bytes from the start of the file

  int64_t numElements() const;
};

/// The longest header that is read, as other readers limit it.
constexpr uint64_t maxHeaderBytes = 100'000'000;

/// Checks the bytes that a file begins with: its length and its header, of
/// which the caller passes all or as much as there is. `fileBytes` is the size
/// of the whole file. Tensors are ordered by their bytes; they lie side by side
/// and fill the file. Throws ReadFailure.
std::vector<StoredTensor> parseSafetensors(std::span<const std::byte> head,
                                           uint64_t fileBytes);

/// The tensors of a file. Throws ReadFailure.
std::vector<StoredTensor> readSafetensors(const OpenFile &file);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_READER_SAFETENSORS_H
