// MLIR text of a module at phase `imported`. The text has no fixed first word,
// so a file of printable characters is taken as text.
#include "compiler/artifact/CheckRecipes.h"
#include "compiler/describe/DescribeMlir.h"
#include "compiler/formats/ModelFormat.h"
#include "compiler/pipeline/CheckImported.h"
#include "compiler/pipeline/Phases.h"
#include "compiler/report/PassDiagnostics.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace tenon {
namespace {

/// The deepest nesting of brackets; more could overflow the stack of MLIR's
/// parser.
constexpr int maxTextNesting = 200;
constexpr uint64_t sniffedBytes = 512;

int nesting(llvm::StringRef text) {
  int depth = 0, deepest = 0;
  for (char c : text) {
    if (c == '(' || c == '{' || c == '[' || c == '<')
      deepest = std::max(deepest, ++depth);
    else if (c == ')' || c == '}' || c == ']' || c == '>')
      depth = std::max(0, depth - 1);
  }
  return deepest;
}

/// Refuses --shape: all types of the text contain extents, not only the inputs'
/// types.
bool checkShapes(const CompileOptions &options,
                 const DiagnosticHandler &report) {
  if (options.shapes.empty())
    return true;
  report({.file = options.input,
          .text = "--shape gives an input of a model its shape, and this is "
                  "MLIR text, whose types say every shape",
          .status = Status::Usage});
  return false;
}

class MlirText : public ReadModel {
public:
  MlirText(std::string path, std::unique_ptr<llvm::MemoryBuffer> text)
      : text(std::move(text)) {
    files.push_back({std::move(path), nullptr});
  }

  OwningOpRef<ModuleOp> import(MLIRContext &context,
                               const CompileOptions &options,
                               const DiagnosticHandler &report) override {
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(text->getBuffer(), &context, options.input);
    if (module &&
        (failed(checkImported(*module)) || failed(checkRecipes(*module))))
      module = {};
    return module;
  }

  std::optional<ModelSummary>
  describe(const CompileOptions &options,
           const DiagnosticHandler &report) override {
    if (!checkShapes(options, report))
      return std::nullopt;
    DialectRegistry registry;
    registerPipelineDialects(registry);
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    context.loadAllAvailableDialects();
    PassDiagnostics diagnostics(context, options.input);
    OwningOpRef<ModuleOp> module = import(context, options, report);
    if (module)
      return describeMlir(*module);
    diagnostics.flush(report, /*parsing=*/true);
    return std::nullopt;
  }

private:
  std::unique_ptr<llvm::MemoryBuffer> text;
};

class MlirTextFormat : public ModelFormat {
public:
  bool recognise(const std::string &path) const override {
    // Open without blocking on pipes or reading endless devices.
    FileError error;
    std::shared_ptr<OpenFile> file = OpenFile::tryOpen(path, error);
    if (!file)
      return false;
    std::string bytes(std::min(file->size(), sniffedBytes), '\0');
    if (!file->read(0, bytes.data(), bytes.size()))
      return false;
    llvm::StringRef head(bytes);
    bool printable = llvm::all_of(
        head, [](unsigned char c) { return c >= ' ' || isspace(c); });
    return printable && (llvm::StringRef(path).ends_with(".mlir") ||
                         head.contains("func.func") ||
                         head.contains("module") || head.contains("tenon."));
  }

  bool checkRequest(const CompileOptions &options,
                    const DiagnosticHandler &report) const override {
    return checkShapes(options, report);
  }

  std::unique_ptr<ReadModel>
  read(const CompileOptions &options,
       const DiagnosticHandler &report) const override {
    auto fail = [&](Status status, std::string text) {
      report(
          {.file = options.input, .text = std::move(text), .status = status});
      return nullptr;
    };
    // Read the file into memory instead of mapping it, so that the parser gets
    // the bytes that were checked.
    auto buffer = llvm::MemoryBuffer::getFile(options.input, /*IsText=*/false,
                                              /*RequiresNullTerminator=*/true,
                                              /*IsVolatile=*/true);
    if (!buffer)
      return fail(Status::Io, "cannot be read: " + buffer.getError().message());
    if (nesting((*buffer)->getBuffer()) > maxTextNesting)
      return fail(Status::Limit, "brackets are nested deeper than " +
                                     std::to_string(maxTextNesting) +
                                     " levels");
    return std::make_unique<MlirText>(options.input, std::move(*buffer));
  }

  std::vector<std::string>
  listFiles(const CompileOptions &options) const override {
    return {options.input};
  }

  /// All functions of a text are compiled. An entry option only selects the one
  /// to run, so it needs no support here.
  void takeOwnOptions(CompileOptions &options) const override {
    llvm::erase_if(options.tensorflow.entries,
                   [](const EntryOption &entry) { return !entry.isSignature; });
  }
};
} // namespace

const ModelFormat &mlirTextFormat() {
  static const MlirTextFormat format;
  return format;
}

} // namespace tenon
