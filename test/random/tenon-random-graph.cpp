// Prints the random graph of a seed, with its inputs as attributes that
// tenon-eval reads.
#include "test/random/RandomGraph.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;

static cl::opt<uint64_t> seed("seed", cl::desc("which graph"), cl::init(1));
static cl::opt<int> steps("steps", cl::desc("ops that are tried"),
                          cl::init(12));
static cl::opt<bool> dynamic("dynamic", cl::desc("named extents"));
static cl::opt<bool> dataDependent("data-dependent",
                                   cl::desc("sizes that are values"));
static cl::opt<std::string>
    weights("weights", cl::desc("write the bytes of the graph's weights"),
            cl::value_desc("FILE"));
static cl::opt<bool> showInputs("inputs", cl::desc("print inputs as comments"));

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "Prints a random graph\n");
  mlir::MLIRContext context;
  tenon::loadGraphDialects(context);
  tenon::RandomGraphOptions options;
  options.steps = steps;
  options.dynamic = dynamic;
  options.dataDependent = dataDependent;
  tenon::RandomGraph graph = buildRandomGraph(context, seed, options);
  graph.module->print(llvm::outs(),
                      mlir::OpPrintingFlags().enableDebugInfo(true));
  if (showInputs)
    for (const tenon::HostTensor &input : graph.inputs)
      llvm::outs() << "// input " << input.text() << '\n';
  if (!weights.empty()) {
    std::error_code failed;
    llvm::raw_fd_ostream out(weights, failed);
    if (!failed)
      out.write(graph.weights.data(), graph.weights.size());
    if (failed || out.has_error()) {
      llvm::errs() << weights << ": cannot be written\n";
      return 1;
    }
  }
  return 0;
}
