// Reads in steps: size, envelope, protobuf, structures, checks. Every exception
// from these steps becomes a diagnostic here.
#include "compiler/import/onnx/reader/OnnxReader.h"

#include "compiler/files/FileRoot.h"
#include "compiler/files/ReaderBoundary.h"
#include "compiler/import/onnx/reader/OnnxChecker.h"
#include "compiler/import/onnx/reader/OnnxDecoder.h"
#include "compiler/import/onnx/reader/OnnxEnvelope.h"
#include "compiler/import/onnx/reader/OnnxTensorFile.h"
#include "compiler/wire/ParseMessage.h"

#include <array>

namespace tenon {

using namespace onnx;

static constexpr const char *whatModelsAre =
    "a model is an ONNX file, a TensorFlow graph or SavedModel, MLIR text, or "
    "the folder of a Hugging Face checkpoint";

/// Reads `bytes` into `model`. If model.files[0] exists, it is the file that
/// has the bytes.
static void readInto(Model &model, std::span<const std::byte> bytes,
                     std::function<std::shared_ptr<FileRoot>()> openRoot,
                     const ReaderBoundary &boundary) {
  ::onnx::ModelProto proto;
  wire::parseMessage(bytes, modelSchema, "an ONNX model", proto);
  ExternalData external(model, std::move(openRoot),
                        [&](Diagnostic d) { boundary.say(std::move(d)); });
  TensorDecoder tensors(bytes, !model.files.empty(), model, external);
  OnnxDecoder(model, tensors).decode(proto);
  checkModel(model);
}

/// Large files may be weights without a model.
[[noreturn]] static void refuseSize(const OpenFile &file) {
  std::array<std::byte, 16> head = {};
  const char *help =
      file.read(0, head.data(), head.size()) ? wire::helpForFormat(head) : "";
  throw ReadFailure{Status::Limit, "",
                    "expected a file of at most 2 GiB, got " +
                        std::to_string(file.size()) + " bytes",
                    help};
}

std::unique_ptr<Model> readOnnx(const std::string &path,
                                const DiagnosticHandler &report) {
  auto model = std::make_unique<Model>();
  ReaderBoundary boundary(path, report);
  bool done = boundary.run([&] {
    std::shared_ptr<OpenFile> file = OpenFile::open(path);
    if (file->size() > wire::maxMessageBytes)
      refuseSize(*file);
    model->path = path;
    size_t slash = path.rfind('/');
    model->directory =
        slash == std::string::npos ? "." : path.substr(0, slash + 1);
    model->files.push_back({path, file});
    try {
      readInto(
          *model, file->map(), [&] { return FileRoot::ofModel(path); },
          boundary);
    } catch (ReadFailure &failure) {
      // Every file that no other format recognizes is read as ONNX.
      if (failure.text.starts_with("not an ONNX model") &&
          failure.help.empty() && !path.ends_with(".onnx"))
        failure.help = whatModelsAre;
      throw;
    }
    file->unmap();
    if (!file->unchanged())
      fail("", "the file changed while it was read", Status::Io);
  });
  return done ? std::move(model) : nullptr;
}

std::unique_ptr<Model> readOnnx(std::span<const std::byte> bytes,
                                const std::string &name,
                                const std::string &baseDirectory,
                                const DiagnosticHandler &report) {
  auto model = std::make_unique<Model>();
  ReaderBoundary boundary(name, report);
  bool done = boundary.run([&] {
    model->directory = baseDirectory;
    readInto(
        *model, bytes,
        [&]() -> std::shared_ptr<FileRoot> {
          if (baseDirectory.empty())
            return nullptr;
          return std::make_shared<FileRoot>(baseDirectory, baseDirectory);
        },
        boundary);
  });
  return done ? std::move(model) : nullptr;
}

std::optional<Tensor> readOnnxTensorFile(const std::string &path,
                                         const DiagnosticHandler &report) {
  std::optional<Tensor> tensor;
  ReaderBoundary boundary(path, report);
  bool done = boundary.run([&] {
    std::shared_ptr<OpenFile> file = OpenFile::open(path);
    if (file->size() > wire::maxMessageBytes)
      fail("", "expected a file of at most 2 GiB", Status::Limit);
    std::span<const std::byte> bytes = file->map();
    ::onnx::TensorProto proto;
    wire::parseMessage(bytes, tensorSchema, "a tensor", proto);
    Model holder;
    ExternalData external(
        holder, [&] { return FileRoot::ofModel(path); },
        [&](Diagnostic d) { boundary.say(std::move(d)); });
    TensorDecoder tensors(bytes, /*mayRefer=*/false, holder, external);
    try {
      tensor = tensors.decode(proto, "");
    } catch (const wire::WireError &) {
      throw; // the bytes are no protobuf message
    } catch (const ReadFailure &) {
      // A sequence or an optional is another message with the same field
      // numbers as a tensor. The field of a sequence's name is the field of a
      // tensor's dims, in packed form. A message without a name that has an
      // element type can only be a tensor.
      bool named = !bytes.empty() && bytes[0] == std::byte{0x0a};
      if (!named && proto.data_type() != 0 && !proto.has_segment())
        throw;
      fail("", "expected a single tensor, got a sequence or an optional",
           Status::Unsupported);
    }
    if (std::holds_alternative<FileRange>(tensor->payload)) {
      auto copy = holder.bytes(*tensor);
      if (!copy)
        fail("", "cannot read the tensor's external data", Status::Io);
      tensor->payload = std::move(*copy);
    }
  });
  return done ? std::move(tensor) : std::nullopt;
}

} // namespace tenon
