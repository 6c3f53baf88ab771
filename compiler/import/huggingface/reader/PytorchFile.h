// Files of PyTorch weights, pytorch_model.bin: a zip archive with a pickle that
// describes tensors and an entry for the elements of each storage.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_READER_PYTORCHFILE_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_READER_PYTORCHFILE_H

#include "compiler/import/huggingface/reader/Safetensors.h"
#include "compiler/import/huggingface/reader/ZipArchive.h"

namespace tenon::hf {

/// The tensors of a file, as ranges of its bytes; tensors may share them.
/// Throws ReadFailure.
std::vector<StoredTensor> readPytorchFile(const ByteSource &source);
std::vector<StoredTensor> readPytorchFile(const OpenFile &file);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_READER_PYTORCHFILE_H
