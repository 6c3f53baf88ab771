// Rounds the operands of pairs to bf16 once, for any number of tiles that read
// them. Rows are rounded by a conversion, which the kernel that computes them
// may include; weights are rounded by a recipe.
#include "passes/graph/Passes.h"

#include "passes/graph/WholeWords.h"

#include "dialects/tenon/Contraction.h"
#include "dialects/tenon/Packing.h"
#include "dialects/tenon/Quantization.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_ROUNDOPERANDS
#include "passes/graph/Passes.h.inc"

namespace {
RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// `x` as bf16. The conversion goes before reshapes, next to the op that
/// computes `x`.
Value rounded(OpBuilder &b, Value x) {
  auto type = cast<RankedTensorType>(typeOf(x).clone(b.getBF16Type()));
  if (auto reshape = x.getDefiningOp<ReshapeOp>())
    return ReshapeOp::create(b, reshape.getLoc(), type,
                             rounded(b, reshape.getOperand()),
                             reshape.getSizes(), reshape.getStaticSizes());
  return ConvertOp::create(b, x.getLoc(), x, b.getBF16Type());
}

/// The weight behind `rhs`, stored in pairs.
Value paired(OpBuilder &b, Value rhs) {
  auto unpack = rhs.getDefiningOp<UnpackOp>();
  Location loc = unpack.getOperand().getLoc();
  Value panels = unpack.getOperand();
  if (auto dequantize = panels.getDefiningOp<DequantizeOp>())
    panels = dequantize.getOperand();
  if (!typeOf(panels).getElementType().isBF16())
    panels = rounded(b, panels);
  Value words = PairOp::create(b, loc, panels);
  return UnpackOp::create(b, loc, UnpairOp::create(b, loc, words),
                          unpack.getDim(), unpack.getExtent());
}

/// Erases the reshapes, or the ops of a weight's stored form, that have no use
/// left.
void eraseUnused(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<ReshapeOp, UnpackOp, DequantizeOp>(op) || !op->use_empty())
      return;
    value = op->getOperand(0);
    op->erase();
  }
}

struct RoundOperands : impl::RoundOperandsBase<RoundOperands> {
  void runOnOperation() override {
    for (Operation *op : productsOfPairs(getOperation()))
      round(op);
  }

  static void round(Operation *op) {
    OpBuilder builder(op);
    Value lhs = op->getOperand(0), rhs = op->getOperand(1);
    if (typeOf(lhs).getElementType().isBF16() || !rhs.getDefiningOp<UnpackOp>())
      return;
    op->setOperand(0, inWholeWords(builder, rounded(builder, lhs), pairCount));
    op->setOperand(1, paired(builder, rhs));
    eraseUnused(lhs);
    eraseUnused(rhs);
  }
};
} // namespace
} // namespace tenon
