// libFuzzer on the reader of PyTorch's files: any bytes may come, and the
// tensors of a file that is read must lie in it. Bytes that do not begin as a
// zip archive are a pickle.
#include "compiler/files/ReadFailure.h"
#include "compiler/import/huggingface/reader/PytorchFile.h"
#include "compiler/import/huggingface/reader/TensorPickle.h"

#include <cstdlib>
#include <cstring>

static void readFile(std::string_view bytes) {
  tenon::hf::ByteSource source{
      bytes.size(), [&](uint64_t offset, void *into, size_t count) {
        if (offset > bytes.size() || count > bytes.size() - offset)
          std::abort();
        std::memcpy(into, bytes.data() + offset, count);
        return true;
      }};
  for (const auto &tensor : tenon::hf::readPytorchFile(source))
    if (tensor.offset > bytes.size() ||
        tensor.length > bytes.size() - tensor.offset ||
        tensor.numElements() < 0)
      std::abort();
}

static void readPickle(std::string_view bytes) {
  for (const auto &tensor : tenon::hf::readTensorPickle(bytes))
    if (tensor.first < 0 || tensor.storageElements < 0 ||
        tensor.dims.size() != tensor.strides.size())
      std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char *>(data), size);
  try {
    if (bytes.starts_with('P'))
      readFile(bytes);
    else
      readPickle(bytes);
  } catch (const tenon::ReadFailure &) {
  }
  return 0;
}
