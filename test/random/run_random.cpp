// Runs random graphs through the compiler, or through its first phases, and
// compares with the oracle. A failing graph is reduced and printed with its
// seed. The last line has the counts that run_all.py reads.
#include "test/random/GraphCase.h"

#include "compiler/oracle/Oracle.h"
#include "compiler/pipeline/Pipelines.h"
#ifdef TENON_TEST_HAS_COMPILER
#include "test/random/CompiledBackend.h"
#endif

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;
using namespace mlir;

static cl::opt<uint64_t> seed("seed", cl::desc("seed of the first graph"),
                              cl::init(1));
static cl::opt<int> count("count", cl::desc("number of graphs"), cl::init(100));
static cl::opt<int> steps("steps", cl::desc("ops tried per graph"),
                          cl::init(12));
static cl::opt<bool> dynamic("dynamic", cl::desc("named extents"));
static cl::opt<bool> dataDependent("data-dependent",
                                   cl::desc("sizes that are values"));
static cl::opt<bool> narrowFloats("narrow-floats", cl::desc("f16 and bf16"),
                                  cl::init(true));
static cl::opt<bool> states("states", cl::desc("values kept between runs"));
static cl::opt<std::string>
    stage("stage",
          cl::desc("evaluate the graph after this phase with the oracle; "
                   "without it, compile and run"));
static cl::opt<int> optLevel("opt-level",
                             cl::desc("optimization level of the compiler"),
                             cl::init(2));
static cl::opt<std::string> cpu("cpu", cl::desc("CPU to compile for"),
                                cl::init("native"));
static cl::list<std::string>
    otherCpus("also-cpu",
              cl::desc("compile for these CPUs too, with -O0, and "
                       "expect equal bits"),
              cl::CommaSeparated);
static cl::list<std::string>
    versions("multiversion",
             cl::desc("compile for these CPUs in one artifact and expect "
                      "equal bits from each"),
             cl::CommaSeparated);
static cl::list<std::string>
    devices("device",
            cl::desc("compile for these devices too and expect equal bits"),
            cl::CommaSeparated);
static cl::opt<bool>
    specialize("specialize",
               cl::desc("add variants for the inputs' sizes and expect "
                        "equal bits"));
static cl::list<int>
    threads("run-threads",
            cl::desc("threads of a run; equal bits from each number"),
            cl::CommaSeparated);
static cl::opt<bool>
    bf16Products("bf16-products",
                 cl::desc("compile with --matmul-precision=bf16"));
static cl::opt<unsigned>
    seconds("seconds", cl::desc("limit of time for one graph"), cl::init(60));
static cl::opt<bool> reduceFailures("reduce", cl::desc("cut failures down"),
                                    cl::init(true));
static cl::opt<int> most("most", cl::desc("failures to print"), cl::init(5));

/// Runs the phases up to `phase`, then the oracle.
static llvm::Expected<std::vector<tenon::HostTensor>>
evaluateAfter(llvm::StringRef phase, tenon::RandomGraph &graph) {
  ModuleOp module = *graph.module;
  PassManager passes(module.getContext());
  const tenon::Phase *last = tenon::findPhase(phase);
  if (!last)
    return llvm::createStringError("there is no phase " + phase);
  buildPhases(passes, tenon::phaseTable().front(), *last,
              tenon::PipelineOptions());
  if (failed(passes.run(module)))
    return llvm::createStringError("the passes failed");
  if (!graph.main())
    return llvm::createStringError("@main is gone");
  tenon::OracleOptions options;
  options.roundToType = true;
  return graph.evaluateRuns(graph.main(), options);
}

static const char *name(tenon::Verdict verdict) {
  static const char *names[] = {"agrees", "DIFFERS", "REFUSED", "CRASHED",
                                "INVALID"};
  return names[int(verdict)];
}

static void report(const tenon::RandomGraph &graph, uint64_t seed,
                   const tenon::Outcome &outcome,
                   const tenon::Backend &backend) {
  llvm::outs() << "seed " << seed << ": " << name(outcome.verdict) << ": "
               << outcome.text << '\n';
  tenon::RandomGraph least = cloneGraph(graph);
  if (reduceFailures && outcome.verdict != tenon::Verdict::Invalid)
    least = reduce(graph, backend, seconds, outcome.verdict);
  least.module->print(llvm::outs());
  for (const tenon::HostTensor &input : least.inputs) {
    std::string text = input.text();
    llvm::outs() << "// input " << text.substr(0, 400)
                 << (text.size() > 400 ? "...\n" : "\n");
  }
  llvm::outs() << "// " << runAndCompare(least, backend, seconds).text
               << "\n\n";
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "Random graphs against the oracle\n");
  tenon::Backend backend;
  if (!stage.empty()) {
    backend = [](tenon::RandomGraph &graph) {
      return evaluateAfter(stage, graph);
    };
  } else {
#ifdef TENON_TEST_HAS_COMPILER
    tenon::CompiledOptions compiled;
    compiled.optLevel = optLevel;
    compiled.cpu = cpu;
    if (bf16Products)
      compiled.precision = tenon::MatmulPrecision::Bf16;
    compiled.otherCpus = otherCpus;
    compiled.versions = versions;
    compiled.devices = devices;
    compiled.specialize = specialize;
    if (!threads.empty())
      compiled.threads = threads;
    backend = tenon::compiledBackend(std::move(compiled));
#else
    llvm::errs() << "run-random: built without a compiler; use --stage\n";
    return 2;
#endif
  }
  DialectRegistry registry;
  tenon::registerPipelineDialects(registry);
  // No threads: graphs are judged in forked processes.
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  tenon::RandomGraphOptions options;
  options.steps = steps;
  options.dynamic = dynamic;
  options.dataDependent = dataDependent;
  options.narrowFloats = narrowFloats;
  options.states = states;
  int passed = 0, failed = 0;
  for (int i = 0; i < count; ++i) {
    llvm::outs().flush(); // otherwise each child would print it again
    // Pairs need weights, and most tiles need weights with many columns.
    options.wideWeights = bf16Products || (seed + i) % 3 == 0;
    tenon::RandomGraph graph = buildRandomGraph(context, seed + i, options);
    tenon::Outcome outcome = runAndCompare(graph, backend, seconds);
    if (outcome.verdict == tenon::Verdict::Agrees) {
      ++passed;
      continue;
    }
    if (failed++ < most)
      report(graph, seed + i, outcome, backend);
    else
      llvm::outs() << "seed " << seed + i << ": " << name(outcome.verdict)
                   << '\n';
  }
  llvm::outs() << passed << " passed, " << failed << " failed, 0 skipped\n";
  return failed != 0;
}
