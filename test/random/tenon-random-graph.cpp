// Prints the random graph of a seed, and its inputs as attributes that
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
  return 0;
}
