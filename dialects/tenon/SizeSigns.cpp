// The table of rules, and the walk that applies it without knowing more.
#include "dialects/tenon/SizeSigns.h"

#include "dialects/tenon/TenonDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"

using namespace mlir;

namespace tenon {

static bool isConstantAtLeast(Attribute constant, int64_t least) {
  if (auto number = dyn_cast<FloatAttr>(constant))
    return !number.getValue().isNegative() &&
           !(number.getValueAsDouble() < double(least));
  std::optional<int64_t> known = getConstantIntValue(constant);
  return known && *known >= least;
}

/// True if `type` has fewer bits than a size, so that arithmetic may wrap.
static bool isNarrow(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.getWidth() < 64;
}

static bool isConversion(Operation *op) {
  return isa_and_present<arith::IndexCastOp, arith::FPToSIOp, arith::SIToFPOp,
                         arith::ExtFOp, arith::TruncFOp>(op);
}

/// True if a - b has the form x - x rem y, or k - x rem y where the constant k
/// is at least each remainder.
static bool leavesRemainder(arith::SubIOp sub, OperandProof operand) {
  auto remainder = sub.getRhs().getDefiningOp<arith::RemSIOp>();
  if (!remainder)
    return false;
  std::optional<int64_t> from = getConstantIntValue(sub.getLhs()),
                         by = getConstantIntValue(remainder.getRhs());
  return (from && by && *by > 0 && *from >= *by - 1) ||
         (remainder.getLhs() == sub.getLhs() && operand(sub.getLhs(), 0));
}

bool provesAtLeast(Value size, int64_t least, OperandProof operand) {
  assert(least >= 0 && "products of negative numbers follow other rules");
  Attribute constant;
  if (matchPattern(size, m_Constant(&constant)))
    return isConstantAtLeast(constant, least);
  Operation *op = size.getDefiningOp();
  if (!op || isNarrow(size.getType()))
    return false;
  auto given = [&](unsigned i, int64_t wanted) {
    return operand(op->getOperand(i), wanted);
  };
  if (isConversion(op))
    return given(0, least);
  if (isa<arith::MaxSIOp, arith::MaximumFOp>(op))
    return given(0, least) || given(1, least);
  if (isa<arith::MulIOp, arith::MinSIOp, arith::MulFOp, arith::MinimumFOp>(op))
    return given(0, least) && given(1, least);
  if (isa<arith::AddIOp, arith::AddFOp>(op))
    return given(0, 0) && given(1, 0) &&
           (least == 0 || given(0, least) || given(1, least));
  if (isa<arith::SelectOp>(op))
    return given(1, least) && given(2, least);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned i = cast<OpResult>(size).getResultNumber();
    return operand(branch.thenYield().getOperand(i), least) &&
           operand(branch.elseYield().getOperand(i), least);
  }
  if (least > 0)
    return false;
  if (isa<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
          arith::DivFOp>(op))
    return given(0, 0) && given(1, 0);
  if (isa<arith::RemSIOp>(op))
    return given(0, 0);
  if (auto sub = dyn_cast<arith::SubIOp>(op))
    return leavesRemainder(sub, operand);
  if (auto cast = dyn_cast<arith::IndexCastUIOp>(op))
    return isNarrow(cast.getIn().getType());
  // A bounded size is a count or an extent.
  return isa<BoundOp, ShapedDimOpInterface>(op);
}

bool isAtLeast(OpFoldResult size, int64_t least, int depth) {
  auto value = dyn_cast<Value>(size);
  if (!value)
    return isConstantAtLeast(cast<Attribute>(size), least);
  // Conversions do not count, because chains of them are short.
  bool counts = !isConversion(value.getDefiningOp());
  return depth >= 0 &&
         provesAtLeast(value, least, [&](Value operand, int64_t wanted) {
           return isAtLeast(getAsOpFoldResult(operand), wanted, depth - counts);
         });
}

} // namespace tenon
