// The order of the doors: size, envelope, protobuf, structures, checks.
// Everything thrown inside ends here as a diagnostic.
#include "compiler/import/onnx/OnnxReader.h"

#include "compiler/import/FileRoot.h"
#include "compiler/import/onnx/OnnxChecker.h"
#include "compiler/import/onnx/OnnxDecoder.h"
#include "compiler/import/onnx/OnnxEnvelope.h"
#include "compiler/import/onnx/OnnxTensorFile.h"
#include "compiler/import/onnx/ReadFailure.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <new>

namespace tenon {

using namespace onnx;

static constexpr uint64_t maxFileBytes = uint64_t(2) << 30;

namespace {

/// Runs a reader and turns what it throws into a diagnostic on `file`.
class Door {
public:
  Door(std::string file, const DiagnosticHandler &report)
      : file(std::move(file)), report(report) {}

  /// Whether `body` came to its end.
  template <typename Body> bool run(const Body &body) const {
    try {
      body();
      return true;
    } catch (const ReadFailure &e) {
      error(e.status, e.place, e.text, e.help);
    } catch (const wire::WireError &e) {
      error(e.status, "offset " + std::to_string(e.offset), e.text);
    } catch (const FileError &e) {
      error(e.status, "", e.text);
    } catch (const std::bad_alloc &) {
      error(Status::Limit, "", "out of memory");
    }
    return false;
  }

  void say(Diagnostic d) const {
    d.file = file;
    report(d);
  }

private:
  void error(Status status, const std::string &place, const std::string &text,
             const std::string &help = "") const {
    Diagnostic d;
    d.place = place;
    d.text = text;
    d.help = help;
    d.status = status;
    say(std::move(d));
  }

  std::string file;
  const DiagnosticHandler &report;
};

} // namespace

/// What a file that is no protobuf message looks like instead.
static const char *formatOf(std::span<const std::byte> bytes) {
  std::string_view text = wire::asText(bytes);
  if (text.starts_with("PK\3\4"))
    return "this is a ZIP archive";
  if (text.starts_with("\x7f"
                       "ELF"))
    return "this is an ELF file";
  if (text.starts_with("{") || text.starts_with("["))
    return "this looks like JSON";
  if (text.starts_with("\x89HDF"))
    return "this is an HDF5 file";
  return "";
}

template <typename Proto>
static void parse(std::span<const std::byte> bytes,
                  const wire::MessageSchema &schema, const char *what,
                  Proto &proto) {
  if (bytes.size() > maxFileBytes)
    fail("",
         "expected a file of at most 2 GiB, got " +
             std::to_string(bytes.size()) + " bytes",
         Status::Limit);
  std::string skeleton;
  try {
    skeleton = wire::checkEnvelope(bytes, schema);
  } catch (wire::WireError &error) {
    if (error.status == Status::InvalidModel)
      throw ReadFailure{
          Status::InvalidModel, "offset " + std::to_string(error.offset),
          std::string("not ") + what + ": " + error.text, formatOf(bytes)};
    throw;
  }
  // Protobuf's own limit; weights are not in the skeleton, so this is names and
  // numbers.
  if (skeleton.size() > INT32_MAX)
    fail("", "expected at most 2 GiB of structure, got more", Status::Limit);
  google::protobuf::io::ArrayInputStream stream(
      skeleton.data(), static_cast<int>(skeleton.size()));
  google::protobuf::io::CodedInputStream coded(&stream);
  // The envelope has counted levels already.
  coded.SetRecursionLimit(200);
  if (!proto.ParseFromCodedStream(&coded) || !coded.ConsumedEntireMessage())
    fail("", std::string("not ") + what + ": protobuf refuses it");
}

/// Reads `bytes` into `model`; model.files[0], when there, is the file they are
/// of.
static void readInto(Model &model, std::span<const std::byte> bytes,
                     std::function<std::shared_ptr<FileRoot>()> openRoot,
                     const Door &door) {
  ::onnx::ModelProto proto;
  parse(bytes, modelSchema, "an ONNX model", proto);
  ExternalData external(model, std::move(openRoot),
                        [&](Diagnostic d) { door.say(std::move(d)); });
  TensorDecoder tensors(bytes, !model.files.empty(), model, external);
  OnnxDecoder(model, tensors).decode(proto);
  checkModel(model);
}

std::unique_ptr<Model> readOnnx(const std::string &path,
                                const DiagnosticHandler &report) {
  auto model = std::make_unique<Model>();
  Door door(path, report);
  bool done = door.run([&] {
    std::shared_ptr<OpenFile> file = OpenFile::open(path);
    if (file->size() > maxFileBytes)
      fail("",
           "expected a file of at most 2 GiB, got " +
               std::to_string(file->size()) + " bytes",
           Status::Limit);
    model->path = path;
    size_t slash = path.rfind('/');
    model->directory =
        slash == std::string::npos ? "." : path.substr(0, slash + 1);
    model->files.push_back({path, file});
    readInto(
        *model, file->map(), [&] { return FileRoot::ofModel(path); }, door);
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
  Door door(name, report);
  bool done = door.run([&] {
    model->directory = baseDirectory;
    readInto(
        *model, bytes,
        [&]() -> std::shared_ptr<FileRoot> {
          if (baseDirectory.empty())
            return nullptr;
          return std::make_shared<FileRoot>(baseDirectory, baseDirectory);
        },
        door);
  });
  return done ? std::move(model) : nullptr;
}

std::optional<Tensor> readOnnxTensorFile(const std::string &path,
                                         const DiagnosticHandler &report) {
  std::optional<Tensor> tensor;
  Door door(path, report);
  bool done = door.run([&] {
    std::shared_ptr<OpenFile> file = OpenFile::open(path);
    if (file->size() > maxFileBytes)
      fail("", "expected a file of at most 2 GiB", Status::Limit);
    std::span<const std::byte> bytes = file->map();
    ::onnx::TensorProto proto;
    parse(bytes, tensorSchema, "a tensor", proto);
    Model holder;
    ExternalData external(
        holder, [&] { return FileRoot::ofModel(path); },
        [&](Diagnostic d) { door.say(std::move(d)); });
    TensorDecoder tensors(bytes, /*mayRefer=*/false, holder, external);
    try {
      tensor = tensors.decode(proto, "");
    } catch (const ReadFailure &) {
      // Sequences and optionals are other messages with the same field numbers:
      // where they keep a name, a tensor has packed dims, and where they keep
      // nothing, a tensor has a type.
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
