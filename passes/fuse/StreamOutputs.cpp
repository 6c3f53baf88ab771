// Decides which kernels use non-temporal stores. An ordinary store first reads
// its cache line into the cache; a non-temporal store of a whole line does not.
// A later read of the line then misses the caches. So only the caller may read
// the line, and the run must be one that evicts it from the caches anyway.
#include "passes/fuse/Passes.h"

#include "dialects/tenon/Machine.h"
#include "dialects/tenon/Remarks.h"

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
    bool evicts =
        weightBytes() >= MachineAttr::of(getOperation()).lastCacheBytes();
    if (!evicts && !wantsRemarks(getOperation()))
      return;
    getOperation().walk([&](FusionOp fusion) {
      if (fusion.getKind() != FusionKind::Attention)
        return;
      bool copies = copiesForTheCaller(fusion);
      if (evicts)
        fusion.setStreamed(copies);
      if (copies)
        report(fusion, evicts);
    });
  }

  static void report(FusionOp fusion, bool isStreamed) {
    if (isStreamed) {
      if (auto remark = remarkDone(fusion, RemarkCategory::Fusion, "streamed"))
        remark << "copies for the caller are written by non-temporal stores";
    } else if (auto remark =
                   remarkMissed(fusion, RemarkCategory::Fusion, "cached")) {
      remark << "copies for the caller are written by ordinary stores"
             << because("the run's weights fit into the last cache, so the "
                        "caller may find the copies there");
    }
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

  /// The bytes of weights that contractions read completely. Tables are not
  /// counted, because a run reads only some of their rows.
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
