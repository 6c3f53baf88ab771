// The linker puts this function in the place of buildPhase (--wrap): after the
// phase `planned` of a version for devices one more pass erases a transfer. The
// product has no door for it.
#include "test/gpu/DroppedTransfer.h"

#include "compiler/pipeline/Phases.h"
#include "dialects/tenon/Device.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace tenon {

void buildSoundPhase(
    OpPassManager &pm, const Phase &phase,
    const PipelineOptions &options) __asm__("__real_" TENON_TEST_BUILD_PHASE);
void buildFaultyPhase(
    OpPassManager &pm, const Phase &phase,
    const PipelineOptions &options) __asm__("__wrap_" TENON_TEST_BUILD_PHASE);

namespace test {
TransferFault &transferFault() {
  static TransferFault fault;
  return fault;
}

namespace {
class DropTransfer : public PassWrapper<DropTransfer, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DropTransfer)

  StringRef getName() const override { return "DropTransfer"; }

  void runOnOperation() override {
    TransferFault &fault = transferFault();
    SmallVector<Operation *> transfers;
    getOperation().walk([&](Operation *op) {
      if (isa<TransferOp, DeviceStoreOp>(op))
        transfers.push_back(op);
    });
    if (transfers.empty()) // a version for CPUs, or a model without any
      return;
    fault.count = int(transfers.size());
    if (fault.dropped >= 0 && fault.dropped < fault.count)
      transfers[size_t(fault.dropped)]->erase();
  }
};
} // namespace
} // namespace test

void buildFaultyPhase(OpPassManager &pm, const Phase &phase,
                      const PipelineOptions &options) {
  buildSoundPhase(pm, phase, options);
  if (phase.name == "planned")
    pm.addPass(std::make_unique<test::DropTransfer>());
}

} // namespace tenon
