// Byte counts that cannot overflow.
#include "passes/buffer/ByteCounts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tenon {

int64_t multiplyBytes(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? maxBytes
                                          : std::min(product, maxBytes);
}

Value multiplyBytes(OpBuilder &builder, Location loc, Value a, Value b) {
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  Value most = arith::ConstantIndexOp::create(builder, loc, maxBytes);
  if (x && y)
    return arith::ConstantIndexOp::create(builder, loc, multiplyBytes(*x, *y));
  if (x == 1)
    return arith::MinSIOp::create(builder, loc, b, most);
  auto product = arith::MulSIExtendedOp::create(builder, loc, a, b);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                     product.getHigh(), zero);
  // Compared as unsigned: a product that wrapped to a negative number is large.
  Value least = arith::MinUIOp::create(builder, loc, product.getLow(), most);
  return arith::SelectOp::create(builder, loc, fits, least, most);
}

} // namespace tenon
