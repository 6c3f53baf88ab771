// Non-max suppression kernels: one call of the core. The count it returns is
// the second output.
#include "passes/kernel/index/IndexKernels.h"

#include "passes/kernel/CoreCalls.h"
#include "passes/kernel/element/ElementEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tenon {

TaskCounter emitNonMaxSuppression(Kernel &kernel) {
  auto op = opOf<NonMaxSuppressionOp>(kernel);
  OpBuilder &b = kernel.builder;
  Location loc = kernel.loc();
  IndexBuilder at{b, loc};
  ElementEmitter emitter(kernel, 1);
  auto start = [&](Value tensor, int64_t rank) {
    return addressOf(kernel, kernel.arguments.lookup(tensor),
                     SmallVector<Value>(rank, at.constant(0)));
  };
  auto extent = [&](Value tensor, int64_t dim) {
    return asInteger(kernel, emitter.extent(tensor, dim));
  };
  Value count = callCore(
      kernel, "tenon_core_nms",
      {start(op.getBoxes(), 3), start(op.getScores(), 3),
       extent(op.getScores(), 0), extent(op.getScores(), 1),
       extent(op.getScores(), 2),
       asInteger(kernel, emitter.index(op.getLimit())),
       emitter.emit(op.getIouThreshold(), {}),
       emitter.emit(op.getScoreThreshold(), {}),
       arith::ConstantIntOp::create(b, loc, op.getCenter(), 32),
       addressOf(kernel, kernel.outputs[0], {at.constant(0), at.constant(0)})},
      b.getI64Type());
  memref::StoreOp::create(b, loc, count, kernel.outputs[1], ValueRange());
  return oneTask();
}

} // namespace tenon
