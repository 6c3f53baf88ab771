// The padding is an op of its own, which the kernel of the rows may include.
#include "passes/graph/WholeWords.h"

#include "dialects/tenon/TenonDialect.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tenon {

Value inWholeWords(OpBuilder &b, Value x, int64_t count) {
  auto type = cast<RankedTensorType>(x.getType());
  int64_t rank = type.getRank(), extent = type.getDimSize(rank - 1),
          whole = llvm::alignTo(extent, count);
  if (extent == whole)
    return x;
  SmallVector<int64_t> none(rank), high(rank), shape(type.getShape());
  high.back() = whole - extent;
  shape.back() = whole;
  auto scalar = RankedTensorType::get({}, type.getElementType());
  Attribute nothing = b.getZeroAttr(type.getElementType());
  Value zero = ConstantOp::create(
      b, x.getLoc(), scalar,
      DenseElementsAttr::get(scalar, ArrayRef<Attribute>(nothing)));
  return PadOp::create(b, x.getLoc(), type.clone(shape), x, zero, ValueRange(),
                       ValueRange(), none, high, none);
}

} // namespace tenon
