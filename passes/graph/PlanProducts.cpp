// Chooses the form of each contraction's products: the fastest form of the
// target for the requested precision. Only this pass decides it; it writes the
// form to the op, and packing and kernels follow it.
#include "passes/graph/Passes.h"

#include "dialects/tenon/Packing.h"
#include "dialects/tenon/Quantization.h"
#include "dialects/tenon/Remarks.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_PLANPRODUCTS
#include "passes/graph/Passes.h.inc"

namespace {
/// The least number of weight elements for which pairs are used. With fewer,
/// rounding the rows takes as long as the products.
constexpr int64_t fewestElements = 1 << 8;

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The dimension of `rhs` that runs along the depth of its panels. Nullopt if
/// `rhs` is no weight in panels, or one of integers with scales.
std::optional<int64_t> depthOf(Value rhs) {
  auto unpack = rhs.getDefiningOp<UnpackOp>();
  if (!unpack || typeOf(rhs).getRank() < 2)
    return std::nullopt;
  Value stored = unpack.getOperand();
  if (auto dequantize = stored.getDefiningOp<DequantizeOp>()) {
    if (dequantize.getScales())
      return std::nullopt;
    stored = dequantize.getOperand();
  }
  if (!stored.getDefiningOp<GetWeightOp>())
    return std::nullopt;
  int64_t last = typeOf(rhs).getRank() - 1;
  return int64_t(unpack.getDim()) == last ? last - 1 : last;
}

/// True if the innermost sum runs along the last dimension of lhs and the depth
/// of rhs: a pair must be two adjacent elements.
bool sumsAlong(Operation *op, int64_t depth) {
  if (auto dot = dyn_cast<DotGeneralOp>(op))
    return !dot.getRhsContract().empty() &&
           dot.getRhsContract().back() == depth &&
           dot.getLhsContract().back() == typeOf(dot.getLhs()).getRank() - 1;
  auto convolution = cast<ConvolutionOp>(op);
  return convolution.getGroups() == 1 &&
         depth == typeOf(convolution.getRhs()).getRank() - 2;
}

bool isF32(Value value) { return typeOf(value).getElementType().isF32(); }

/// The reason why `op` cannot form its products in pairs; null if it can.
const char *obstacleToPairs(Operation *op) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  if (!isF32(lhs) || !isF32(rhs) || !isF32(op->getResult(0)))
    return "it is not of f32";
  std::optional<int64_t> depth = depthOf(rhs);
  if (!depth)
    return "its right operand is no weight in panels, or one of integers";
  if (!sumsAlong(op, *depth))
    return "the sum does not run along adjacent elements of both operands";
  // A sum of one product would pair it with zero.
  if (typeOf(rhs).getDimSize(*depth) <= 1)
    return "its sums have one product";
  if (typeOf(lhs).isDynamicDim(typeOf(lhs).getRank() - 1))
    return "its depth is dynamic";
  if (typeOf(rhs).getNumElements() < fewestElements)
    return "rounding its rows takes as long as its products";
  return nullptr;
}

struct PlanProducts : impl::PlanProductsBase<PlanProducts> {
  using Base::Base;

  void runOnOperation() override {
    if (form == Products::Chain)
      return;
    getOperation()->walk([&](Operation *op) {
      if (!isa<DotGeneralOp, ConvolutionOp>(op))
        return;
      if (const char *obstacle = obstacleToPairs(op)) {
        if (auto remark = remarkMissed(op, RemarkCategory::Products, "chain"))
          remark << "products are formed one by one" << because(obstacle);
        return;
      }
      if (auto remark = remarkDone(op, RemarkCategory::Products, "pairs"))
        remark << "products are formed in pairs of bf16";
      if (auto dot = dyn_cast<DotGeneralOp>(op))
        dot.setProducts(form);
      else
        cast<ConvolutionOp>(op).setProducts(form);
    });
  }
};
} // namespace
} // namespace tenon
