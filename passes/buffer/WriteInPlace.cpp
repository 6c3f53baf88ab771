// Makes elementwise kernels write to a buffer that they read for the last time:
// it is already in a cache, and a new buffer would cause cache misses.
#include "passes/buffer/Passes.h"

#include "dialects/tenon/NumericsContract.h"
#include "dialects/tenon/Remarks.h"

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
      if (auto own =
              fusion.getOutputs().front().getDefiningOp<memref::AllocOp>())
        place(own, fusion, numbers);
    });
  }

private:
  using Values = llvm::DenseSet<Value>;

  /// Replaces `own`, the fusion's output, by an input that is read for the last
  /// time. A fusion without an input of its output's size gets no remark.
  static void place(memref::AllocOp own, FusionOp fusion,
                    const Values &numbers) {
    const char *obstacle = nullptr;
    for (auto [input, argument] :
         llvm::zip(fusion.getInputs(), fusion.getBlock().getArguments())) {
      auto former = input.getDefiningOp<memref::AllocOp>();
      if (!former || !areAlike(former, own))
        continue;
      obstacle = obstacleTo(own, former, fusion, argument, numbers);
      if (obstacle)
        continue;
      own.replaceAllUsesWith(former.getResult());
      own.erase();
      if (auto remark =
              remarkDone(fusion, RemarkCategory::InPlace, "reused-input"))
        remark << "the kernel writes the buffer that it reads last";
      return;
    }
    if (obstacle)
      if (auto remark =
              remarkMissed(fusion, RemarkCategory::InPlace, "own-buffer"))
        remark << "the kernel writes a buffer of its own" << because(obstacle);
  }

  /// The reason why the kernel must not write its result to `former` instead of
  /// `own`; null if it may.
  static const char *obstacleTo(memref::AllocOp own, memref::AllocOp former,
                                FusionOp fusion, BlockArgument argument,
                                const Values &numbers) {
    if (numbers.contains(own) || numbers.contains(former))
      return "sizes are computed from one of the buffers";
    if (!startsWith(own, fusion))
      return "the result is used in another block or before the kernel";
    if (!rowsEndUnmasked(own.getType()))
      return "a masked store at the end of a row would delay the next row";
    if (!endsWith(former, fusion))
      return "another op reads the input later or shares its memory";
    if (!readsOwnElements(fusion, argument))
      return "the kernel reads other elements than the one it writes";
    return nullptr;
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
