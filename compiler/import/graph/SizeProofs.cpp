// Proves facts about a size by inspecting a few of the ops that compute it.
#include "compiler/import/graph/GraphBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace tenon {

/// True if `k` is at least the greatest possible `remainder`, so that k -
/// remainder is not negative.
static bool coversRemainder(Size k, Operation *remainder) {
  auto op = dyn_cast_if_present<arith::RemSIOp>(remainder);
  std::optional<int64_t> least = GraphBuilder::staticSize(k),
                         divisor = op ? getConstantIntValue(op.getRhs())
                                      : std::nullopt;
  return least && divisor && *divisor > 0 && *least >= *divisor - 1;
}

/// True if inspecting a few ops proves that a size is not negative.
static bool provedNonNegative(Size size, int depth) {
  if (auto attribute = dyn_cast<Attribute>(size))
    if (auto number = dyn_cast<FloatAttr>(attribute))
      return !number.getValue().isNegative();
  if (std::optional<int64_t> number = GraphBuilder::staticSize(size))
    return *number >= 0;
  Operation *op = cast<Value>(size).getDefiningOp();
  if (!op || depth > 6)
    return false;
  auto operand = [&](unsigned i) {
    return provedNonNegative(getAsOpFoldResult(op->getOperand(i)), depth + 1);
  };
  // Conversions do not increase the depth, because chains of them are short.
  if (isa<arith::IndexCastOp, arith::FPToSIOp, arith::SIToFPOp, arith::ExtFOp,
          arith::TruncFOp>(op))
    return provedNonNegative(getAsOpFoldResult(op->getOperand(0)), depth);
  if (isa<tensor::DimOp>(op))
    return true;
  if (isa<arith::AddIOp, arith::MulIOp, arith::MinSIOp, arith::FloorDivSIOp,
          arith::DivSIOp, arith::CeilDivSIOp, arith::AddFOp, arith::MulFOp,
          arith::DivFOp, arith::MinimumFOp>(op))
    return operand(0) && operand(1);
  if (isa<arith::MaxSIOp, arith::MaximumFOp>(op))
    return operand(0) || operand(1);
  if (isa<arith::RemSIOp>(op))
    return operand(0);
  if (auto sub = dyn_cast<arith::SubIOp>(op)) {
    Operation *taken = sub.getRhs().getDefiningOp();
    bool isRemainder = isa_and_present<arith::RemSIOp>(taken) &&
                       taken->getOperand(0) == sub.getLhs();
    return coversRemainder(getAsOpFoldResult(sub.getLhs()), taken) ||
           (isRemainder && operand(0));
  }
  if (isa<arith::SelectOp>(op))
    return operand(1) && operand(2);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned i = cast<OpResult>(cast<Value>(size)).getResultNumber();
    return provedNonNegative(branch.thenYield().getOperand(i), depth + 1) &&
           provedNonNegative(branch.elseYield().getOperand(i), depth + 1);
  }
  return isa<BoundOp>(op);
}

bool GraphBuilder::isNonNegative(Size size) {
  return provedNonNegative(size, 0);
}

} // namespace tenon
