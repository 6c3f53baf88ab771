// Traces a memref to the op that made it. A value that a loop carries keeps its
// shape: tenon-check-sizes ensures that.
#include "passes/buffer/BufferExtents.h"

#include "dialects/tenon/SizeForms.h"
#include "dialects/tenon/State.h"
#include "passes/buffer/SizeArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon {

/// The common extent of two memrefs; null unless their extents are equal by
/// construction.
static OpFoldResult commonExtent(Value one, Value other, int64_t dim) {
  OpFoldResult a = extentOf(one, dim), b = extentOf(other, dim);
  std::optional<int64_t> x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x || y)
    return x == y ? Builder(one.getContext()).getIndexAttr(*x) : OpFoldResult();
  return isSameSize(cast<Value>(a), cast<Value>(b)) ? a : OpFoldResult();
}

/// The extent that a result gets in both branches, if it is computed before the
/// branch; null otherwise.
static OpFoldResult agreedExtent(scf::IfOp branch, unsigned number,
                                 int64_t dim) {
  OpFoldResult extent =
      commonExtent(branch.thenYield().getOperand(number),
                   branch.elseYield().getOperand(number), dim);
  auto value = dyn_cast_if_present<Value>(extent);
  if (!value)
    return extent;
  if (!isKnownBefore(branch, value))
    return {};
  OpBuilder builder(branch);
  return hoistBefore(builder, branch, value);
}

/// The extent of a value that a loop carries, from its `source`; null if only
/// the iteration computes it.
static OpFoldResult carriedExtent(Value memref, Value source, int64_t dim) {
  OpFoldResult extent = extentOf(source, dim);
  auto value = dyn_cast<Value>(extent);
  Operation *loop = memref.getDefiningOp();
  if (!loop)
    loop = memref.getParentBlock()->getParentOp();
  return value && loop->isAncestor(value.getParentBlock()->getParentOp())
             ? OpFoldResult()
             : extent;
}

/// The traced extent; null if only the memref holds it.
static OpFoldResult traceExtent(Value memref, int64_t dim) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(dim))
    return Builder(memref.getContext()).getIndexAttr(type.getDimSize(dim));
  if (Value source = carriedFrom(memref))
    return carriedExtent(memref, source, dim);
  Operation *op = memref.getDefiningOp();
  if (!op)
    return {};
  if (auto state = dyn_cast<StateMemoryOp>(op)) {
    OpBuilder builder(op);
    return stateExtent(builder, op, state.getStateAttr(), dim);
  }
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return alloc.getDynamicSizes()[type.getDynamicDimIndex(dim)];
  if (auto cast = dyn_cast<memref::CastOp>(op))
    return extentOf(cast.getSource(), dim);
  if (auto view = dyn_cast<memref::ReinterpretCastOp>(op))
    return view.getMixedSizes()[dim];
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return agreedExtent(branch, cast<OpResult>(memref).getResultNumber(), dim);
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return commonExtent(select.getTrueValue(), select.getFalseValue(), dim);
  return {};
}

OpFoldResult extentOf(Value memref, int64_t dim) {
  if (OpFoldResult traced = traceExtent(memref, dim))
    return traced;
  OpBuilder builder(memref.getContext());
  builder.setInsertionPointAfterValue(memref);
  return memref::DimOp::create(builder, memref.getLoc(), memref, dim)
      .getResult();
}

void resolveExtents(func::FuncOp func) {
  func.walk([](memref::DimOp op) {
    std::optional<int64_t> dim = op.getConstantIndex();
    if (!dim || !isa<MemRefType>(op.getSource().getType()))
      return;
    if (OpFoldResult traced = traceExtent(op.getSource(), *dim)) {
      OpBuilder builder(op);
      op.replaceAllUsesWith(
          getValueOrCreateConstantIndexOp(builder, op.getLoc(), traced));
      op.erase();
    }
  });
}

} // namespace tenon
