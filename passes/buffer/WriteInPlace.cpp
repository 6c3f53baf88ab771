// Makes elementwise kernels write to a buffer that they read for the last time:
// it is already in a cache, and a new buffer would cause cache misses.
#include "passes/buffer/Passes.h"

#include "dialects/tenon/NumericsContract.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "passes/buffer/OwnElements.h"
#include "passes/buffer/SizeCloner.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_WRITEINPLACE
#include "passes/buffer/Passes.h.inc"


namespace {
struct WriteInPlace : impl::WriteInPlaceBase<WriteInPlace> {
  void runOnOperation() override {
    llvm::DenseSet<Value> numbers = buffersBehindNumbers(getOperation());
    getOperation()->walk([&](FusionOp fusion) {
      if (fusion.getOutputs().size() != 1)
        return;
      auto own = fusion.getOutputs().front().getDefiningOp<memref::AllocOp>();
      if (!own || numbers.contains(own) || !startsWith(own, fusion) ||
          !rowsEndUnmasked(own.getType()))
        return;
      for (auto [input, argument] :
           llvm::zip(fusion.getInputs(), fusion.getBlock().getArguments())) {
        auto former = input.getDefiningOp<memref::AllocOp>();
        if (!former || numbers.contains(former) || !areAlike(former, own) ||
            !endsWith(former, fusion) || !readsOwnElements(fusion, argument))
          continue;
        own.replaceAllUsesWith(former.getResult());
        own.erase();
        return;
      }
    });
  }

  /// True if rows end in whole vectors on every machine. A masked store would
  /// delay the loads of the next row.
  static bool rowsEndUnmasked(MemRefType type) {
    if (type.getRank() < 2)
      return true;
    int64_t width = type.getShape().back();
    return !ShapedType::isDynamic(width) &&
           (width % panelColumns == 0 ||
            llvm::isPowerOf2_64(width % panelColumns));
  }

  static bool areAlike(memref::AllocOp a, memref::AllocOp b) {
    return a != b && a.getType() == b.getType() &&
           a.getDynamicSizes() == b.getDynamicSizes();
  }

  /// True if no op uses the buffer before the kernel.
  static bool startsWith(memref::AllocOp buffer, FusionOp fusion) {
    return buffer->getBlock() == fusion->getBlock() &&
           llvm::all_of(buffer->getUsers(), [&](Operation *user) {
             Operation *here = fusion->getBlock()->findAncestorOpInBlock(*user);
             return user == fusion || (here && fusion->isBeforeInBlock(here));
           });
  }

  /// True if the kernel is the buffer's last user, uses it as one operand only,
  /// and the buffer has no alias.
  static bool endsWith(memref::AllocOp buffer, FusionOp fusion) {
    return buffer->getBlock() == fusion->getBlock() &&
           llvm::count(fusion->getOperands(), buffer.getResult()) == 1 &&
           llvm::all_of(buffer->getUsers(), [&](Operation *user) {
             return user == fusion || (isa<FusionOp, memref::DimOp>(user) &&
                                       user->getBlock() == fusion->getBlock() &&
                                       user->isBeforeInBlock(fusion));
           });
  }
};
} // namespace
} // namespace tenon
