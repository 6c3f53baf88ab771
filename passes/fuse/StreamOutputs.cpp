// Decides which kernels copy past the caches. A line that is stored to is read
// first, unless it is written as a whole and not kept; but what is not kept
// comes from memory when somebody reads it. So it must be the caller's alone,
// and the run must be one that drives it out of the caches anyway.
#include "passes/fuse/Passes.h"

#include "dialects/tenon/Machine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_STREAMOUTPUTS
#include "passes/fuse/Passes.h.inc"

namespace {
struct StreamOutputs : impl::StreamOutputsBase<StreamOutputs> {
  void runOnOperation() override {
    // Such a run leaves nothing else in the last cache.
    if (weightBytes() < MachineAttr::of(getOperation()).lastCache())
      return;
    getOperation().walk([](FusionOp fusion) {
      if (fusion.getKind() == FusionKind::Attention)
        fusion.setStreamed(copiesForTheCaller(fusion));
    });
  }

  static bool copiesForTheCaller(FusionOp fusion) {
    bool copies = false;
    for (auto [value, result] :
         llvm::zip(fusion.getYield().getValues(), fusion.getResults())) {
      if (!value.getDefiningOp<ConcatenateOp>())
        continue;
      if (!llvm::all_of(result.getUsers(), llvm::IsaPred<func::ReturnOp>))
        return false;
      copies = true;
    }
    return copies;
  }

  /// Of weights that are read as a whole: of a table a run reads rows.
  int64_t weightBytes() {
    llvm::SmallPtrSet<Attribute, 32> seen;
    int64_t bits = 0;
    getOperation().walk([&](GetWeightOp op) {
      auto type = cast<RankedTensorType>(op.getType());
      bool multiplied = llvm::any_of(op->getUsers(), [](Operation *user) {
        auto fusion = dyn_cast<FusionOp>(user);
        return fusion && fusion.getKind() == FusionKind::Contraction;
      });
      if (multiplied && seen.insert(op.getWeightAttr()).second)
        bits += type.getNumElements() * type.getElementTypeBitWidth();
    });
    return bits / 8;
  }
};
} // namespace
} // namespace tenon
