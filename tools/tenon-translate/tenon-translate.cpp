// Translates a model file into IR at phase `imported` and prints it.
#include "compiler/import/onnx/graph/OnnxImporter.h"
#include "compiler/import/onnx/reader/OnnxReader.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;

static cl::opt<std::string> input("import-onnx", cl::Required,
                                  cl::desc("an ONNX file"),
                                  cl::value_desc("file"));
static cl::list<std::string> dims("dim", cl::desc("NAME=SIZE"));
static cl::list<std::string> shapes("shape", cl::desc("INPUT:2x?x4"));
static cl::opt<bool> locations("locations", cl::desc("print locations"));

static bool parseOptions(tenon::ImportOptions &options) {
  for (llvm::StringRef text : dims) {
    auto [name, number] = text.split('=');
    int64_t size;
    if (number.getAsInteger(10, size))
      return false;
    options.dims.push_back({name.str(), size, size, 1});
  }
  for (llvm::StringRef text : shapes) {
    auto [name, list] = text.rsplit(':');
    tenon::ShapeOption option{name.str(), {}};
    llvm::SmallVector<llvm::StringRef> extents;
    list.split(extents, 'x');
    for (llvm::StringRef extent : extents) {
      int64_t size;
      if (extent == "?")
        option.dims.push_back(std::nullopt);
      else if (!extent.getAsInteger(10, size))
        option.dims.push_back(size);
      else
        return false;
    }
    options.shapes.push_back(option);
  }
  return true;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "Tenon model translator\n");
  tenon::Status status = tenon::Status::Success;
  tenon::DiagnosticHandler report = [&](const tenon::Diagnostic &d) {
    llvm::errs() << tenon::formatDiagnostic(d);
    if (d.severity == tenon::Severity::Error)
      status = d.status;
  };
  tenon::ImportOptions options;
  if (!parseOptions(options)) {
    llvm::errs() << "expected --dim=NAME=SIZE and --shape=INPUT:2x?x4\n";
    return int(tenon::Status::Usage);
  }
  std::unique_ptr<tenon::onnx::Model> model = tenon::readOnnx(input, report);
  if (!model)
    return int(status);
  mlir::MLIRContext context;
  auto module = tenon::importOnnx(context, *model, options, report);
  if (!module)
    return int(status);
  mlir::OpPrintingFlags flags;
  if (locations)
    flags.enableDebugInfo();
  module->print(llvm::outs(), flags);
  llvm::outs() << "\n";
  return 0;
}
