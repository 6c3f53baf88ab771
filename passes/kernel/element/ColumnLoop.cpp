// Whole vectors in a loop, then one partial vector.
#include "passes/kernel/element/ColumnLoop.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tenon {

bool emitVectorColumns(Kernel &kernel, Value low, Value high, int64_t lanes,
                       ColumnWriter write) {
  OpBuilder &b = kernel.builder;
  Location loc = kernel.loc();
  IndexBuilder at{b, loc};
  Value step = at.constant(lanes);
  Value whole = at.mul(at.floorDiv(at.sub(high, low), step), step);
  Value end = at.add(low, whole);
  auto loop = scf::ForOp::create(b, loc, low, end, step);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    ElementEmitter emitter(kernel, lanes);
    if (!write(emitter, loop.getInductionVar())) {
      loop.erase();
      return false;
    }
  }
  Value rest = at.sub(high, end);
  std::optional<int64_t> known = getConstantIntValue(rest);
  if (known == 0)
    return true;
  // Store the remainder without a mask: if the kernel writes what it reads,
  // loads of the next row would wait for a masked store.
  if (known && llvm::isPowerOf2_64(*known)) {
    ElementEmitter emitter(kernel, *known);
    write(emitter, end);
    return true;
  }
  auto branch = scf::IfOp::create(b, loc, at.less(end, high), false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  ElementEmitter emitter(kernel, lanes);
  emitter.setValid(rest);
  write(emitter, end);
  return true;
}

} // namespace tenon
