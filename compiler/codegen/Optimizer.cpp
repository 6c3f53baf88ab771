// Runs LLVM's passes, and after them the passes that correct their result.
#include "compiler/codegen/Optimizer.h"

#include "compiler/codegen/HalfRoundings.h"
#include "compiler/codegen/OuterLoops.h"
#include "compiler/codegen/SingleLaneStores.h"

#include "llvm/Passes/PassBuilder.h"

#include <algorithm>

using namespace llvm;

namespace tenon {

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
  const OptimizationLevel levels[] = {
      OptimizationLevel::O0, OptimizationLevel::O1, OptimizationLevel::O2,
      OptimizationLevel::O3};
  OptimizationLevel level = levels[std::clamp(optLevel, 0, 3)];
  ModulePassManager passes = level == OptimizationLevel::O0
                                 ? builder.buildO0DefaultPipeline(level)
                                 : builder.buildPerModuleDefaultPipeline(level);
  keepOuterLoops(module);
  passes.run(module, modules);
  replaceSingleLaneStores(module);
  fenceHalfRoundings(module);
}

} // namespace tenon
