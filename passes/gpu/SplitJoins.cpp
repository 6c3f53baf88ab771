// Makes kernels of their own from the keys and values that attention joins. On
// a CPU, attention reads each joined block while it is in the caches. On a
// device, a block of threads reads all keys, and many blocks share them: they
// must be in memory before attention starts.
#include "passes/gpu/Passes.h"

#include "dialects/tenon/Annotations.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_SPLITJOINS
#include "passes/gpu/Passes.h.inc"

namespace {
/// Drops the ops and inputs of the fusion that nobody uses.
void dropUnused(FusionOp fusion) {
  IRRewriter rewriter(fusion.getContext());
  (void)runRegionDCE(rewriter, fusion->getRegions());
  Block &block = fusion.getBlock();
  for (int64_t i = block.getNumArguments() - 1; i >= 0; --i)
    if (block.getArgument(i).use_empty()) {
      block.eraseArgument(i);
      fusion.getInputsMutable().erase(i);
    }
}

/// Makes a kernel before `fusion` that computes output `number` alone.
void computeBefore(FusionOp fusion, unsigned number) {
  OpBuilder builder(fusion);
  auto copy = cast<FusionOp>(builder.clone(*fusion));
  copy.setKind(FusionKind::Map);
  copy.setStreamed(false);
  copy.getOutputsMutable().assign(fusion.getOutputs()[number]);
  copy.getYield()->setOperands(copy.getYield().getValues()[number]);
  dropUnused(copy);
}

/// Lets `fusion` read output `number` from memory instead of computing it.
void readOutput(FusionOp fusion, unsigned number) {
  Value joined = fusion.getYield().getValues()[number];
  Value memory = fusion.getOutputs()[number];
  fusion.getYield()->eraseOperand(number);
  fusion.getOutputsMutable().erase(number);
  fusion.getInputsMutable().append(memory);
  joined.replaceAllUsesWith(
      fusion.getBlock().addArgument(joined.getType(), fusion.getLoc()));
}

struct SplitJoins : impl::SplitJoinsBase<SplitJoins> {
  void runOnOperation() override {
    SmallVector<FusionOp> fusions;
    getOperation().walk([&](FusionOp fusion) {
      if (fusion.getKind() == FusionKind::Attention &&
          annotation::onDevice.isOn(fusion))
        fusions.push_back(fusion);
    });
    for (FusionOp fusion : fusions)
      split(fusion);
  }

  static void split(FusionOp fusion) {
    for (unsigned i = fusion.getOutputs().size(); i-- > 0;) {
      if (!fusion.getYield().getValues()[i].getDefiningOp<ConcatenateOp>())
        continue;
      computeBefore(fusion, i);
      readOutput(fusion, i);
    }
    fusion.setStreamed(false);
    dropUnused(fusion);
  }
};
} // namespace
} // namespace tenon
