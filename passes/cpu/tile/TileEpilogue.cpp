// ElementEmitter computes the epilogue with the contraction's result preset to
// the given sums.
#include "passes/cpu/tile/TileEpilogue.h"

#include "passes/kernel/element/ElementEmitter.h"
#include "passes/kernel/numerics/Conversions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon {

constexpr int64_t shortEpilogue = 8;

TileEpilogue::TileEpilogue(Kernel &kernel, Value dot, Type sum, int64_t lanes)
    : kernel(kernel), dot(dot),
      element(cast<RankedTensorType>(dot.getType()).getElementType()), sum(sum),
      lanes(lanes) {}

bool TileEpilogue::isShort() {
  int64_t count = 0;
  for (Operation &op : kernel.fusion.getBlock().without_terminator()) {
    if (!op.hasTrait<Elementwise>())
      continue;
    if (!isa<AddOp, SubtractOp, MultiplyOp, NegateOp, MaximumOp, MinimumOp,
             ClampOp>(op))
      return false;
    ++count;
  }
  return count <= shortEpilogue;
}

bool TileEpilogue::emit(int64_t lanes, ArrayRef<Value> place, Value sums,
                        Value mask, Value valid) {
  OpBuilder &b = kernel.builder;
  ElementEmitter emitter(kernel, lanes);
  if (mask)
    emitter.setMask(mask, valid);
  emitter.preset(dot, emitConvert(b, kernel.loc(), sums, sum, element));
  SmallVector<LaneIndex> indices;
  for (Value index : place)
    indices.push_back({index, 0});
  indices.back().stride = lanes != 1;
  Value root = kernel.fusion.getYield().getOperand(0);
  Value value = emitter.emit(root, indices);
  if (emitter.failed())
    return false;
  emitter.store(value, cast<RankedTensorType>(root.getType()).getElementType(),
                kernel.outputs[0], place);
  return true;
}

bool TileEpilogue::vectorizes(bool columnIsLast) {
  if (!columnIsLast)
    return false;
  // Emits the ops once in a loop that is then erased.
  OpBuilder &b = kernel.builder;
  Location loc = kernel.loc();
  IndexBuilder at{b, loc};
  auto trial = scf::ForOp::create(b, loc, at.constant(0), at.constant(1),
                                  at.constant(1));
  bool emitted;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(trial.getBody());
    auto type = VectorType::get({lanes}, sum);
    Value sums = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    int64_t rank = cast<MemRefType>(kernel.outputs[0].getType()).getRank();
    SmallVector<Value> place(rank, trial.getInductionVar());
    emitted = emit(lanes, place, sums, {}, {});
  }
  trial.erase();
  return emitted;
}

void TileEpilogue::finish(ArrayRef<Value> place, Value sums, Value mask,
                          Value valid) {
  emit(lanes, place, sums, mask, valid);
}

void TileEpilogue::finishOne(ArrayRef<Value> place, Value one) {
  emit(1, place, one, {}, {});
}

} // namespace tenon
