// Replaces every composite by its primitives, as the op itself declares them.
#include "passes/graph/Passes.h"

#include "dialects/tenon/TenonDialect.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_DECOMPOSECOMPOSITES
#include "passes/graph/Passes.h.inc"

namespace {
struct DecomposeComposites
    : impl::DecomposeCompositesBase<DecomposeComposites> {
  void runOnOperation() override {
    SmallVector<CompositeOp> composites;
    getOperation()->walk([&](CompositeOp op) { composites.push_back(op); });
    for (CompositeOp op : composites) {
      OpBuilder builder(op);
      op->replaceAllUsesWith(op.decompose(builder));
      op->erase();
    }
  }
};
} // namespace
} // namespace tenon
