// Stores weights of bytes in words of four, so that an instruction multiplies
// four at once. The sums are exact in any order, so this changes no result.
#include "passes/graph/Passes.h"

#include "passes/graph/WholeWords.h"

#include "dialects/tenon/NumericsContract.h"
#include "dialects/tenon/Packing.h"
#include "dialects/tenon/Remarks.h"
#include "dialects/tenon/TenonDialect.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_QUADPRODUCTS
#include "passes/graph/Passes.h.inc"

namespace {
RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

bool multipliesBytes(Operation *op) {
  return isa<DotGeneralOp, ConvolutionOp>(op) &&
         typeOf(op->getOperand(0)).getElementType().isUnsignedInteger(8) &&
         typeOf(op->getOperand(1)).getElementType().isSignlessInteger(8) &&
         typeOf(op->getResult(0)).getElementType().isSignlessInteger(32);
}

/// The dimension of the weight that becomes the result's columns.
int64_t columnOf(Operation *op) {
  if (auto dot = dyn_cast<DotGeneralOp>(op))
    return dot.getRhsFree().front();
  return typeOf(op->getOperand(1)).getRank() - 1;
}

/// The reason why `op`, which multiplies bytes, cannot form quads; null if it
/// can.
const char *obstacleToQuads(Operation *op) {
  RankedTensorType lhs = typeOf(op->getOperand(0)),
                   rhs = typeOf(op->getOperand(1));
  if (!op->getOperand(1).getDefiningOp<GetWeightOp>())
    return "its right operand is no weight";
  if (auto dot = dyn_cast<DotGeneralOp>(op);
      dot && (rhs.getRank() != 2 || dot.getRhsFree().size() != 1 ||
              dot.getLhsContract() != ArrayRef<int64_t>{lhs.getRank() - 1}))
    return "the sum does not run along adjacent elements of its rows";
  if (auto convolution = dyn_cast<ConvolutionOp>(op);
      convolution && convolution.getGroups() != 1)
    return "the convolution has groups";
  if (lhs.isDynamicDim(lhs.getRank() - 1))
    return "its depth is dynamic";
  if (rhs.getNumElements() == 0)
    return "its weight has no elements";
  if (2 * rhs.getDimSize(columnOf(op)) <= panelColumns)
    return "most of a panel would be padding";
  return nullptr;
}

/// Rewrites the operands of `op` to rows of whole words and to a weight in
/// panels of words.
template <typename Op> void formQuads(Op op) {
  OpBuilder b(op);
  Value weight = op.getRhs();
  Location loc = weight.getLoc();
  int64_t column = columnOf(op), extent = typeOf(weight).getDimSize(column);
  Value panels = PackOp::create(b, loc, weight, column, panelColumns),
        words = QuadOp::create(b, loc, panels),
        bytes = UnquadOp::create(b, loc, words);
  op.getLhsMutable().assign(inWholeWords(b, op.getLhs(), quadCount));
  op.getRhsMutable().assign(UnpackOp::create(b, loc, bytes, column, extent));
  op.setProducts(Products::Quads);
}

struct QuadProducts : impl::QuadProductsBase<QuadProducts> {
  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      if (!multipliesBytes(op))
        return;
      if (const char *obstacle = obstacleToQuads(op)) {
        if (auto remark = remarkMissed(op, RemarkCategory::Products, "chain"))
          remark << "products of bytes are formed one by one"
                 << because(obstacle);
        return;
      }
      if (auto remark = remarkDone(op, RemarkCategory::Products, "quads"))
        remark << "products are formed in quads of bytes";
      if (auto dot = dyn_cast<DotGeneralOp>(op))
        formQuads(dot);
      else
        formQuads(cast<ConvolutionOp>(op));
    });
  }
};
} // namespace
} // namespace tenon
