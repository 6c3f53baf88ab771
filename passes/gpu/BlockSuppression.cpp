// Both kernels are a call of the core.
#include "passes/gpu/BlockSuppression.h"

#include "passes/kernel/CoreCalls.h"
#include "passes/kernel/element/ElementEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tenon {

/// Blocks that share the batches and classes.
constexpr int64_t mostBlocks = 512;

static Value startOf(Kernel &kernel, Value memory) {
  IndexBuilder at{kernel.builder, kernel.loc()};
  int64_t rank = cast<MemRefType>(memory.getType()).getRank();
  return addressOf(kernel, memory, SmallVector<Value>(rank, at.constant(0)));
}

/// The blocks of the first kernel: not more than batches and classes.
static int64_t countBlocks(NonMaxSuppressionOp op) {
  auto scores = cast<RankedTensorType>(op.getScores().getType());
  int64_t batches = scores.getDimSize(0), classes = scores.getDimSize(1);
  if (ShapedType::isDynamic(batches) || ShapedType::isDynamic(classes))
    return mostBlocks;
  return std::clamp<int64_t>(batches * classes, 1, mostBlocks);
}

TaskCounter emitBlockSuppression(Kernel &kernel) {
  auto op = opOf<NonMaxSuppressionOp>(kernel);
  OpBuilder &b = kernel.builder;
  IndexBuilder at{b, kernel.loc()};
  ElementEmitter emitter(kernel, 1);
  auto extent = [&](int64_t dim) {
    return asInteger(kernel, emitter.extent(op.getScores(), dim));
  };
  int64_t blocks = countBlocks(op);
  callCore(kernel, "tenon_core_block_nms",
           {startOf(kernel, kernel.arguments.lookup(op.getBoxes())),
            startOf(kernel, kernel.arguments.lookup(op.getScores())), extent(0),
            extent(1), extent(2),
            asInteger(kernel, emitter.index(op.getLimit())),
            emitter.emit(op.getIouThreshold(), {}),
            emitter.emit(op.getScoreThreshold(), {}),
            arith::ConstantIntOp::create(b, kernel.loc(), op.getCenter(), 32),
            startOf(kernel, kernel.outputs[0]), asInteger(kernel, kernel.begin),
            asInteger(kernel, at.constant(blocks))});
  return [blocks](OpBuilder &b, Location loc, ArrayRef<OpFoldResult>) -> Value {
    return IndexBuilder{b, loc}.constant(blocks);
  };
}

TaskCounter emitJoinedSuppression(Kernel &kernel) {
  auto op = opOf<NonMaxSuppressionOp>(kernel);
  IndexBuilder at{kernel.builder, kernel.loc()};
  ElementEmitter emitter(kernel, 1);
  Value most =
      at.min(emitter.index(op.getLimit()), emitter.extent(op.getScores(), 2));
  callCore(kernel, "tenon_core_block_nms_join",
           {startOf(kernel, kernel.outputs[0]),
            asInteger(kernel, emitter.extent(kernel.outputs[0], 0)),
            asInteger(kernel, most), startOf(kernel, kernel.outputs[1])});
  return oneTask();
}

} // namespace tenon
