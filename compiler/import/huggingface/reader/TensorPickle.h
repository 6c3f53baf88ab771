// Reads a pickle that holds a dictionary of tensors, as torch.save writes it. A
// pickle is a program for a machine that can call any function. This reader
// knows the few instructions and names that such a dictionary needs, runs
// nothing, and refuses every other instruction and name.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_READER_TENSORPICKLE_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_READER_TENSORPICKLE_H

#include <cstdint>
#include <string_view>
#include <vector>

namespace tenon::hf {

/// A tensor as the pickle describes it; its numbers are not negative. Texts are
/// in the pickle: many tensors may share one.
struct PickledTensor {
  std::string_view name;
  const char *dtype = "";   ///< as in safetensors: "BF16"
  unsigned bytes = 0;       ///< of an element
  std::string_view storage; ///< the key of the entry that has its elements
  int64_t storageElements = 0;
  int64_t first = 0; ///< element of the storage
  std::vector<int64_t> dims, strides;
};

/// A pickle may have this many bytes.
constexpr uint64_t maxPickleBytes = uint64_t(16) << 20;

/// The tensors in the order of the dictionary. Throws ReadFailure.
std::vector<PickledTensor> readTensorPickle(std::string_view pickle);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_READER_TENSORPICKLE_H
