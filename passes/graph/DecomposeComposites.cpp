// Replaces composites by their decomposition into primitives, except for those
// that have a kernel of their own.
#include "passes/graph/Passes.h"

#include "dialects/tenon/TenonDialect.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_DECOMPOSECOMPOSITES
#include "passes/graph/Passes.h.inc"

namespace {
struct DecomposeComposites
    : impl::DecomposeCompositesBase<DecomposeComposites> {
  static bool hasKernel(CompositeOp op) {
    return isa<AttentionOp>(*op) &&
           !getElementTypeOrSelf(op->getResult(0)).isF64();
  }

  void runOnOperation() override {
    SmallVector<CompositeOp> composites;
    getOperation()->walk([&](CompositeOp op) {
      if (!hasKernel(op))
        composites.push_back(op);
    });
    for (CompositeOp op : composites) {
      OpBuilder builder(op);
      op->replaceAllUsesWith(op.decompose(builder));
      op->erase();
    }
  }
};
} // namespace
} // namespace tenon
