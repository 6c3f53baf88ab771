// Decides which rows are divided among threads. A launch costs about a
// microsecond, so the work of a row must take several.
#include "passes/kernel/rows/RowKernels.h"

#include "dialects/tenon/NumericsContract.h"
#include "passes/kernel/KernelWork.h"
#include "passes/kernel/numerics/Conversions.h"

using namespace mlir;

namespace tenon {

/// The least work of a divided row, in simple operations on elements.
constexpr int64_t leastWork = 1 << 18;

static bool isCheap(Operation &op) {
  return !op.hasTrait<Elementwise>() ||
         isa<AddOp, SubtractOp, MultiplyOp, NegateOp, AbsOp, MaximumOp,
             MinimumOp, AndOp, OrOp, XorOp, NotOp, CompareOp, SelectOp, ClampOp,
             ConvertOp>(op);
}

std::optional<LongRows> LongRows::of(FusionOp fusion) {
  if (fusion.getKind() != FusionKind::Rows)
    return std::nullopt;
  LongRows result{0, {}, 1};
  int64_t width = 0, costs = 0;
  for (Operation &op : fusion.getBlock().without_terminator()) {
    costs += isCheap(op) ? 1 : transcendentalFlops;
    if (!isa<ReduceOp, ArgReduceOp>(op))
      continue;
    auto type = cast<RankedTensorType>(op.getOperand(0).getType());
    Type element = type.getElementType();
    width = type.getShape().back();
    if (ShapedType::isDynamic(width) || width <= wholeRow ||
        element.isInteger(1))
      return std::nullopt;
    result.pieces = llvm::divideCeil(width, rowPiece);
    Type sum = isa<Float16Type, BFloat16Type>(element)
                   ? Float32Type::get(element.getContext())
                   : kernelElementType(element);
    int64_t places = mostRows * result.pieces;
    result.scratch.push_back(MemRefType::get({places}, sum));
    if (isa<ArgReduceOp>(op))
      result.scratch.push_back(
          MemRefType::get({places}, IntegerType::get(op.getContext(), 64)));
    ++result.phases;
  }
  if (width > INT64_MAX / costs || width * costs < leastWork)
    return std::nullopt;
  return result;
}

} // namespace tenon
