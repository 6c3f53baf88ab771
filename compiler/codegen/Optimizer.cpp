// Runs LLVM's passes, and after them the passes that correct their result.
#include "compiler/codegen/Optimizer.h"

#include "compiler/codegen/HalfRoundings.h"
#include "compiler/codegen/LargeCallers.h"
#include "compiler/codegen/OuterLoops.h"
#include "compiler/codegen/SingleLaneStores.h"

#include "llvm/Passes/PassBuilder.h"

#include <algorithm>

using namespace llvm;

namespace tenon {
namespace {
// The passes for the code of CPUs. Kernels come in tiles and vectors, without
// repeated or invariant computations: of the passes in LLVM's own pipeline,
// each kind is needed once or twice. LLVM's pipeline takes twice the time, for
// code of the same speed and size.
#define TENON_SIMPLIFY "instcombine<no-verify-fixpoint>"
#define TENON_HOIST "loop-mssa(licm<allowspeculation>)"
constexpr char scalarPasses[] =
    "sroa<modify-cfg>,early-cse<memssa>,simplifycfg," TENON_SIMPLIFY ","
    "loop-mssa(loop-instsimplify,loop-simplifycfg,licm<allowspeculation>,"
    "loop-rotate<header-duplication>,licm<allowspeculation>,"
    "simple-loop-unswitch<trivial>),simplifycfg," TENON_SIMPLIFY ","
    "loop(loop-idiom,indvars,loop-deletion,loop-unroll-full),sroa<modify-cfg>,"
    "gvn," TENON_SIMPLIFY "," TENON_HOIST ",dse,simplifycfg";
constexpr char vectorPasses[] = "loop-vectorize,slp-vectorizer,vector-combine";
constexpr char lastPasses[] =
    TENON_SIMPLIFY ",loop-unroll<O2>,sroa<modify-cfg>," TENON_SIMPLIFY
                   "," TENON_HOIST ",simplifycfg";

std::string pipelineFor(int optLevel) {
  std::string vectors =
      optLevel >= 2 ? std::string(vectorPasses) + "," : std::string();
  return std::string("ipsccp,cgscc(inline),globaldce,function<eager-inv>(") +
         scalarPasses + "," + vectors + lastPasses + "),globaldce";
}

/// The passes of `optLevel`. Level 3 is LLVM's own, and devices have LLVM's at
/// every level: their code needs passes of the target within the pipeline.
ModulePassManager passesFor(PassBuilder &builder, bool isDevice, int optLevel) {
  if (optLevel <= 0)
    return builder.buildO0DefaultPipeline(OptimizationLevel::O0);
  if (isDevice || optLevel >= 3) {
    const OptimizationLevel levels[] = {
        OptimizationLevel::O1, OptimizationLevel::O2, OptimizationLevel::O3};
    return builder.buildPerModuleDefaultPipeline(
        levels[std::min(optLevel, 3) - 1]);
  }
  ModulePassManager passes;
  cantFail(builder.parsePassPipeline(passes, pipelineFor(optLevel)));
  return passes;
}
} // namespace

void optimize(Module &module, TargetMachine &machine, int optLevel) {
  PipelineTuningOptions tuning;
  tuning.SLPVectorization = optLevel >= 2;
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  bool isDevice = machine.getTargetTriple().isNVPTX();
  ModulePassManager passes = passesFor(builder, isDevice, optLevel);
  keepOuterLoops(module);
  if (!isDevice)
    keepLargeCallers(module);
  passes.run(module, modules);
  replaceSingleLaneStores(module);
  fenceHalfRoundings(module);
}

} // namespace tenon
