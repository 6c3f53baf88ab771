// Reads and writes all three formats; the extension decides which one.
#include "tools/tenon/TensorFile.h"

#include "compiler/import/onnx/reader/OnnxTensorFile.h"
#include "tools/tenon/OutputFile.h"
#include "tools/tenon/npy/Npz.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cstring>

namespace tenon::cli {

static std::optional<int32_t> dtypeOf(onnx::ElementType type) {
  // ONNX and Tenon use the same names for element types.
  return dtypeNamed(onnx::elementTypeName(type));
}

static Status readProto(Talk &talk, const std::string &path, Tensor &tensor) {
  Status status = Status::Failure;
  std::optional<onnx::Tensor> read =
      readOnnxTensorFile(path, [&](const Diagnostic &d) {
        talk.say(d);
        if (d.severity == Severity::Error)
          status = d.status;
      });
  if (!read)
    return status;
  std::optional<int32_t> dtype = dtypeOf(read->type);
  auto *bytes = std::get_if<onnx::InlineBytes>(&read->payload);
  if (!dtype || !bytes)
    return talk.fail(Status::Unsupported, path,
                     std::string("tensors of ") +
                         onnx::elementTypeName(read->type) +
                         " are not supported");
  tensor.name = read->name;
  tensor.dtype = *dtype;
  tensor.dims = read->dims;
  tensor.bytes.resize(bytes->size());
  if (!bytes->empty())
    std::memcpy(tensor.bytes.data(), bytes->data(), bytes->size());
  return Status::Success;
}

Status readTensorFile(Invocation &call, const std::string &path,
                      std::vector<Tensor> &tensors) {
  Talk &talk = call.talk;
  llvm::StringRef extension = llvm::sys::path::extension(path);
  if (extension != ".npy" && extension != ".npz" && extension != ".pb")
    return talk.usage("'" + path + "': expected a .npy, .npz or .pb file");
  // Twice the file's size: for the file and for the tensors made from it.
  uint64_t bytes = 0;
  if (!llvm::sys::fs::file_size(path, bytes))
    if (Status status =
            call.memory.admit(talk, path, "reading the file", 2 * bytes);
        status != Status::Success)
      return status;
  if (extension == ".pb") {
    Tensor tensor;
    Status status = readProto(talk, path, tensor);
    if (status == Status::Success)
      tensors.push_back(std::move(tensor));
    return status;
  }
  std::string content;
  if (Status status = readWhole(talk, path, content); status != Status::Success)
    return status;
  FormatError error;
  Status refused = Status::Success;
  if (extension == ".npz") {
    error = readNpz(content, tensors, [&](const Tensor &next, uint64_t bytes) {
      refused = call.memory.admit(talk, path,
                                  "array '" + next.name + "' of " +
                                      typeText(next.dtype, next.dims),
                                  bytes);
      return refused == Status::Success;
    });
    if (refused != Status::Success)
      return refused;
  } else {
    Tensor tensor;
    error = readNpy(content, tensor);
    tensors.push_back(std::move(tensor));
  }
  if (!error)
    return Status::Success;
  Diagnostic d;
  d.file = path;
  d.place = error.place;
  d.text = error.text;
  d.status = error.unsupported ? Status::Unsupported : Status::InvalidModel;
  return talk.say(d);
}

Status readOneTensor(Invocation &call, const std::string &path,
                     const std::string &name, Tensor &tensor) {
  std::vector<Tensor> tensors;
  if (Status status = readTensorFile(call, path, tensors);
      status != Status::Success)
    return status;
  if (tensors.size() == 1) {
    tensor = std::move(tensors[0]);
    return Status::Success;
  }
  std::vector<std::string> names;
  for (Tensor &candidate : tensors) {
    if (candidate.name == name) {
      tensor = std::move(candidate);
      return Status::Success;
    }
    names.push_back(candidate.name);
  }
  return call.talk.fail(Status::BadInput, path,
                        "expected one array, or one called '" + name +
                            "', got " + std::to_string(names.size()),
                        {"arrays: " + llvm::join(names, ", ")});
}

/// The number in "input_12.pb". Files without a number come first.
static int64_t numberIn(llvm::StringRef path) {
  llvm::StringRef stem = llvm::sys::path::stem(path);
  int64_t number = -1;
  stem.substr(stem.find_last_not_of("0123456789") + 1).getAsInteger(10, number);
  return number;
}

Status listTensorFiles(Talk &talk, const std::string &directory,
                       const std::string &prefix,
                       std::vector<std::string> &paths) {
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(directory, error), end;
       it != end && !error; it.increment(error)) {
    llvm::StringRef name = llvm::sys::path::filename(it->path());
    llvm::StringRef extension = llvm::sys::path::extension(name);
    if (name.starts_with(prefix) && (extension == ".pb" || extension == ".npy"))
      paths.push_back(it->path());
  }
  if (error)
    return talk.fail(Status::Io, directory,
                     "cannot read the directory: " + error.message());
  llvm::sort(paths, [](const std::string &a, const std::string &b) {
    return std::pair(numberIn(a), a) < std::pair(numberIn(b), b);
  });
  return Status::Success;
}

} // namespace tenon::cli
