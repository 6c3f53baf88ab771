// Registers runs of consecutive phases as pipelines of tenon-opt.
#include "compiler/pipeline/Pipelines.h"

#include "passes/buffer/Passes.h"
#include "passes/cpu/Passes.h"
#include "passes/fuse/Passes.h"
#include "passes/gpu/Passes.h"
#include "passes/graph/Passes.h"
#include "passes/host/Passes.h"
#include "passes/shape/Passes.h"

#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace tenon {

void buildPhases(OpPassManager &pm, const Phase &from, const Phase &to,
                 const PipelineOptions &options) {
  for (const Phase *phase = &from + 1; phase <= &to; ++phase)
    buildPhase(pm, *phase, options);
}

std::string pipelineName(const Phase &from, const Phase &to) {
  bool fromFirst = &from == &phaseTable().front();
  return (fromFirst ? "tenon-to-" : "tenon-from-" + from.name + "-to-").str() +
         to.name.str();
}

void registerPipelines() {
  registerTenonGraphPasses();
  registerTenonShapePasses();
  registerTenonFusePasses();
  registerTenonBufferPasses();
  registerTenonCpuPasses();
  registerTenonGpuPasses();
  registerTenonHostPasses();
  for (const Phase &from : phaseTable())
    for (const Phase &to : phaseTable())
      if (&from < &to)
        PassPipelineRegistration<PipelineOptions>(
            pipelineName(from, to), to.rule,
            [&from, &to](OpPassManager &pm, const PipelineOptions &options) {
              buildPhases(pm, from, to, options);
            });
}

} // namespace tenon
