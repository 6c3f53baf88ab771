// Places each tensor of the pickle in the archive's bytes. Only tensors whose
// elements lie side by side, last index fastest, are ranges of the file.
#include "compiler/import/huggingface/reader/PytorchFile.h"

#include "compiler/files/ReadFailure.h"
#include "compiler/import/huggingface/reader/TensorPickle.h"

#include <algorithm>

namespace tenon::hf {
namespace {

using Entries = std::map<std::string, ZipEntry, std::less<>>;

constexpr std::string_view pickleName = "/data.pkl";
constexpr const char *howToSave =
    "save the state_dict() of the model as safetensors, or by torch.save of "
    "PyTorch 1.6 or later";
constexpr const char *howToCopy =
    "save contiguous() copies of the tensors, or the model as safetensors";

/// Refuses what is no zip archive by its first bytes.
void checkForm(const ByteSource &source) {
  std::string first = readBytes(source, 0, std::min<uint64_t>(source.size, 4));
  if (first == "PK\3\4")
    return;
  fail("offset 0",
       first.starts_with('\x80') ? "the file is a pickle as PyTorch wrote it "
                                   "before 1.6, which is not read"
                                 : "expected the zip form of torch.save",
       Status::Unsupported);
}

/// The folder of the archive that has the pickle, with a slash.
std::string folderOf(const Entries &entries) {
  std::string folder;
  for (const auto &[name, entry] : entries)
    if (name.ends_with(pickleName) &&
        name.find('/') == name.size() - pickleName.size()) {
      if (!folder.empty())
        fail("entry " + quoted(name), "expected one data.pkl in the archive");
      folder = name.substr(0, name.size() - pickleName.size() + 1);
    }
  if (folder.empty())
    fail("", "expected an entry data.pkl in a folder of the archive, got none",
         Status::Unsupported);
  return folder;
}

std::string readEntry(const ByteSource &source, const Entries &entries,
                      const std::string &name, uint64_t most) {
  const ZipEntry &entry = entries.find(name)->second;
  if (entry.length > most)
    fail("entry " + quoted(name),
         "expected at most " + std::to_string(most) + " bytes, got " +
             std::to_string(entry.length),
         Status::Limit);
  return readBytes(source, entry.offset, entry.length);
}

/// The number of elements. Fails if strides leave gaps between them.
uint64_t countElements(const PickledTensor &tensor, const std::string &place) {
  if (std::find(tensor.dims.begin(), tensor.dims.end(), 0) != tensor.dims.end())
    return 0;
  uint64_t count = 1;
  for (size_t i = tensor.dims.size(); i-- > 0;) {
    uint64_t dim = tensor.dims[i], stride = tensor.strides[i];
    if (dim != 1 && stride != count)
      throw ReadFailure{Status::Unsupported, place,
                        "expected elements side by side: stride " +
                            std::to_string(count) + " of extent " +
                            std::to_string(i) + ", got " +
                            std::to_string(stride),
                        howToCopy};
    if (__builtin_mul_overflow(count, dim, &count))
      fail(place, "its shape has more elements than a file can hold");
  }
  return count;
}

StoredTensor place(const PickledTensor &tensor, const Entries &entries,
                   const std::string &folder) {
  std::string where = "tensor " + quoted(tensor.name);
  auto found = entries.find(folder + "data/" + std::string(tensor.storage));
  if (found == entries.end())
    fail(where,
         "the archive has no entry for its storage " + quoted(tensor.storage));
  const ZipEntry &entry = found->second;
  uint64_t elements = entry.length / tensor.bytes;
  if (entry.length % tensor.bytes != 0 ||
      elements != uint64_t(tensor.storageElements))
    fail(where, "expected " + std::to_string(tensor.storageElements) +
                    " elements of " + std::to_string(tensor.bytes) +
                    " bytes in its storage, got " +
                    std::to_string(entry.length) + " bytes");
  uint64_t count = countElements(tensor, where);
  if (uint64_t(tensor.first) > elements ||
      count > elements - uint64_t(tensor.first))
    fail(where, "its elements end after those of its storage");
  return {std::string(tensor.name), tensor.dtype, tensor.dims,
          entry.offset + uint64_t(tensor.first) * tensor.bytes,
          count * tensor.bytes};
}

std::vector<StoredTensor> readTensors(const ByteSource &source) {
  checkForm(source);
  Entries entries = readZipArchive(source);
  std::string folder = folderOf(entries);
  if (entries.contains(folder + "byteorder") &&
      readEntry(source, entries, folder + "byteorder", 16) != "little")
    fail("entry " + quoted(folder + "byteorder"), "expected little",
         Status::Unsupported);
  std::string pickle =
      readEntry(source, entries, folder + "data.pkl", maxPickleBytes);
  std::vector<StoredTensor> tensors;
  for (const PickledTensor &tensor : readTensorPickle(pickle))
    tensors.push_back(place(tensor, entries, folder));
  return tensors;
}
} // namespace

std::vector<StoredTensor> readPytorchFile(const ByteSource &source) {
  try {
    return readTensors(source);
  } catch (ReadFailure &failure) {
    if (failure.status == Status::Unsupported && failure.help.empty())
      failure.help = howToSave;
    throw;
  }
}

std::vector<StoredTensor> readPytorchFile(const OpenFile &file) {
  return readPytorchFile(
      ByteSource{file.size(), [&](uint64_t offset, void *into, size_t bytes) {
                   return file.read(offset, into, bytes);
                 }});
}

} // namespace tenon::hf
