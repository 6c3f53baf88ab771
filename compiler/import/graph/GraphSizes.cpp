// The sizes of the graph builder: the origin of a value's extents, and
// arithmetic on them. Each op made here is shared by its users and inserted
// right after the last of its operands.
#include "compiler/import/graph/GraphBuilder.h"

#include "dialects/tenon/SizeLimit.h"
#include "dialects/tenon/SizeSigns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tenon {

Size GraphBuilder::index(int64_t value) { return ops.getIndexAttr(value); }

Sizes GraphBuilder::indices(ArrayRef<int64_t> values) {
  Sizes result;
  for (int64_t value : values)
    result.push_back(index(value));
  return result;
}

std::optional<int64_t> GraphBuilder::staticSize(Size size) {
  return getConstantIntValue(size);
}

std::optional<SmallVector<int64_t>>
GraphBuilder::staticSizes(ArrayRef<Size> sizes) {
  SmallVector<int64_t> result;
  for (Size size : sizes) {
    std::optional<int64_t> value = staticSize(size);
    if (!value)
      return std::nullopt;
    result.push_back(*value);
  }
  return result;
}

bool GraphBuilder::same(Size a, Size b) {
  std::optional<int64_t> x = staticSize(a), y = staticSize(b);
  if (x || y)
    return x == y;
  return a == b;
}

// Deeper proofs change the sizes of exported detectors without a measured gain.
bool GraphBuilder::isNonNegative(Size size) { return isAtLeast(size, 0, 6); }

/// The block that defines a value.
static Block *blockOf(Value value) { return value.getParentBlock(); }

/// True if `b` is defined after `a` or in a region nested in a's block. Both
/// must be visible at one point.
static bool isLater(Value b, Value a) {
  Operation *from = a.getDefiningOp(), *to = b.getDefiningOp();
  if (blockOf(a) == blockOf(b))
    return to && (!from || from->isBeforeInBlock(to));
  if (!to)
    to = blockOf(b)->getParentOp();
  return to && blockOf(a)->findAncestorOpInBlock(*to);
}

void GraphBuilder::placeAfter(ArrayRef<Value> operands) {
  Value last = operands.front();
  for (Value operand : operands.drop_front())
    if (isLater(operand, last))
      last = operand;
  ops.setInsertionPointAfterValue(last);
}

Value GraphBuilder::indexValue(Size size) {
  if (auto value = dyn_cast<Value>(size))
    return value;
  int64_t number = *staticSize(size);
  Value &constant = indexConstants[number];
  if (!constant) {
    OpBuilder::InsertionGuard guard(ops);
    // Constants are inserted at the start of the function, so that all regions
    // can use them.
    Block *block = ops.getInsertionBlock();
    while (block->getParentOp() && !isa<func::FuncOp>(block->getParentOp()))
      block = block->getParentOp()->getBlock();
    ops.setInsertionPointToStart(block);
    constant = arith::ConstantIndexOp::create(
        ops, UnknownLoc::get(ops.getContext()), number);
  }
  return constant;
}

template <typename Op>
Size GraphBuilder::arithmetic(
    StringRef name, Size a, Size b,
    llvm::function_ref<std::optional<int64_t>(int64_t, int64_t)> fold) {
  std::optional<int64_t> x = staticSize(a), y = staticSize(b);
  if (x && y)
    if (std::optional<int64_t> result = fold(*x, *y))
      return index(*result);
  Value lhs = indexValue(a), rhs = indexValue(b);
  Value &result = shared[{name, lhs.getAsOpaquePointer(),
                          rhs.getAsOpaquePointer(), nullptr}];
  if (!result) {
    OpBuilder::InsertionGuard guard(ops);
    placeAfter({lhs, rhs});
    result = Op::create(ops, loc, lhs, rhs);
  }
  return result;
}

Size GraphBuilder::add(Size a, Size b) {
  if (same(b, index(0)))
    return a;
  if (same(a, index(0)))
    return b;
  if (staticSize(a))
    std::swap(a, b);
  return arithmetic<arith::AddIOp>("add", a, b, saturatingAdd);
}

Size GraphBuilder::sub(Size a, Size b) {
  if (same(a, b))
    return index(0);
  if (std::optional<int64_t> y = staticSize(b); y && *y != INT64_MIN)
    return add(a, index(-*y));
  // (x + y) - x is y.
  if (auto sum = dyn_cast<Value>(a))
    if (auto op = sum.getDefiningOp<arith::AddIOp>()) {
      if (same(op.getLhs(), b))
        return getAsOpFoldResult(op.getRhs());
      if (same(op.getRhs(), b))
        return getAsOpFoldResult(op.getLhs());
    }
  // The only static `b` here is INT64_MIN, which has no negative.
  return arithmetic<arith::SubIOp>("sub", a, b, [](int64_t x, int64_t y) {
    return x < 0 ? x - y : INT64_MAX;
  });
}

Size GraphBuilder::mul(Size a, Size b) {
  if (staticSize(a))
    std::swap(a, b);
  if (same(b, index(1)))
    return a;
  if (same(b, index(0)))
    return b;
  return arithmetic<arith::MulIOp>("mul", a, b, saturatingMul);
}

/// True if x / y is defined, so that it can be folded.
static bool divides(int64_t x, int64_t y) {
  return y != 0 && !(x == INT64_MIN && y == -1);
}

/// Returns x if `size` is x * factor, else null.
static std::optional<Size> withoutFactor(Size size, Size factor) {
  auto value = dyn_cast<Value>(size);
  auto op = value ? value.getDefiningOp<arith::MulIOp>() : nullptr;
  if (!op)
    return std::nullopt;
  if (GraphBuilder::same(op.getRhs(), factor))
    return getAsOpFoldResult(op.getLhs());
  if (GraphBuilder::same(op.getLhs(), factor))
    return getAsOpFoldResult(op.getRhs());
  return std::nullopt;
}

Size GraphBuilder::floorDiv(Size a, Size b) {
  if (same(b, index(1)))
    return a;
  if (staticSize(b) && !same(b, index(0)))
    if (std::optional<Size> quotient = withoutFactor(a, b))
      return *quotient;
  return arithmetic<arith::FloorDivSIOp>(
      "floordiv", a, b, [](int64_t x, int64_t y) -> std::optional<int64_t> {
        if (!divides(x, y))
          return std::nullopt;
        return llvm::divideFloorSigned(x, y);
      });
}

Size GraphBuilder::ceilDiv(Size a, Size b) {
  if (same(b, index(1)))
    return a;
  return arithmetic<arith::CeilDivSIOp>(
      "ceildiv", a, b, [](int64_t x, int64_t y) -> std::optional<int64_t> {
        if (!divides(x, y))
          return std::nullopt;
        return llvm::divideCeilSigned(x, y);
      });
}

Size GraphBuilder::truncDiv(Size a, Size b) {
  if (same(b, index(1)))
    return a;
  if (staticSize(b) && !same(b, index(0)))
    if (std::optional<Size> quotient = withoutFactor(a, b))
      return *quotient;
  return arithmetic<arith::DivSIOp>(
      "div", a, b, [](int64_t x, int64_t y) -> std::optional<int64_t> {
        if (!divides(x, y))
          return std::nullopt;
        return x / y;
      });
}

Size GraphBuilder::rem(Size a, Size b) {
  return arithmetic<arith::RemSIOp>(
      "rem", a, b, [](int64_t x, int64_t y) -> std::optional<int64_t> {
        if (!divides(x, y))
          return std::nullopt;
        return x % y;
      });
}

Size GraphBuilder::max(Size a, Size b) {
  if (staticSize(a))
    std::swap(a, b);
  std::optional<int64_t> floor = staticSize(b);
  if (same(a, b) ||
      (floor && (*floor == INT64_MIN || (*floor <= 0 && isNonNegative(a)))))
    return a;
  return arithmetic<arith::MaxSIOp>(
      "max", a, b, [](int64_t x, int64_t y) { return std::max(x, y); });
}

Size GraphBuilder::min(Size a, Size b) {
  if (staticSize(a))
    std::swap(a, b);
  std::optional<int64_t> ceiling = staticSize(b);
  if (same(a, b) || ceiling == INT64_MAX)
    return a;
  if (ceiling && *ceiling <= 0 && isNonNegative(a))
    return b;
  return arithmetic<arith::MinSIOp>(
      "min", a, b, [](int64_t x, int64_t y) { return std::min(x, y); });
}

Size GraphBuilder::clamp(Size value, Size low, Size high) {
  return min(max(value, low), high);
}

Size GraphBuilder::cmp(arith::CmpIPredicate predicate, Size a, Size b) {
  std::optional<int64_t> x = staticSize(a), y = staticSize(b);
  if (x && y)
    return ops.getBoolAttr(arith::applyCmpPredicate(
        predicate, APInt(64, *x, true), APInt(64, *y, true)));
  if (a == b)
    return ops.getBoolAttr(
        arith::applyCmpPredicate(predicate, APInt(64, 0), APInt(64, 0)));
  if ((predicate == arith::CmpIPredicate::slt ||
       predicate == arith::CmpIPredicate::sge) &&
      y == 0 && isNonNegative(a))
    return ops.getBoolAttr(predicate == arith::CmpIPredicate::sge);
  // A condition that was converted to 0 or 1 and is compared with 0.
  if (predicate == arith::CmpIPredicate::ne && y == 0)
    if (auto number = dyn_cast<Value>(a).getDefiningOp<arith::SelectOp>())
      if (getConstantIntValue(number.getTrueValue()) == 1 &&
          getConstantIntValue(number.getFalseValue()) == 0)
        return number.getCondition();
  Value lhs = indexValue(a), rhs = indexValue(b);
  Value &result =
      shared[{arith::stringifyCmpIPredicate(predicate),
              lhs.getAsOpaquePointer(), rhs.getAsOpaquePointer(), nullptr}];
  if (!result) {
    OpBuilder::InsertionGuard guard(ops);
    placeAfter({lhs, rhs});
    result = arith::CmpIOp::create(ops, loc, predicate, lhs, rhs);
  }
  return result;
}

Size GraphBuilder::select(Size condition, Size whenTrue, Size whenFalse) {
  if (std::optional<int64_t> known = staticSize(condition))
    return *known ? whenTrue : whenFalse;
  if (same(whenTrue, whenFalse))
    return whenTrue;
  Value chooser = cast<Value>(condition);
  Value yes = indexValue(whenTrue), no = indexValue(whenFalse);
  Value &result = shared[{"select", chooser.getAsOpaquePointer(),
                          yes.getAsOpaquePointer(), no.getAsOpaquePointer()}];
  if (!result) {
    OpBuilder::InsertionGuard guard(ops);
    placeAfter({chooser, yes, no});
    result = arith::SelectOp::create(ops, loc, chooser, yes, no);
  }
  return result;
}

/// Splits a product into its factors. Static ones are multiplied into `number`.
static void collectFactors(Size size, int64_t &number,
                           SmallVectorImpl<Value> &factors) {
  if (std::optional<int64_t> known = GraphBuilder::staticSize(size)) {
    number = saturatingMul(number, *known);
    return;
  }
  auto value = cast<Value>(size);
  auto op = value.getDefiningOp<arith::MulIOp>();
  if (!op || factors.size() > 64) {
    factors.push_back(value);
    return;
  }
  collectFactors(op.getLhs(), number, factors);
  collectFactors(op.getRhs(), number, factors);
}

Size GraphBuilder::product(ArrayRef<Size> sizes) {
  // Static factors come last, so that [n, 4, 8] and [n, 32] give one value.
  int64_t number = 1;
  SmallVector<Value> factors;
  for (Size size : sizes)
    collectFactors(size, number, factors);
  if (number == 0)
    return index(0);
  Size result = index(1);
  for (Value factor : factors)
    result = mul(result, factor);
  return mul(result, index(number));
}

Size GraphBuilder::quotient(ArrayRef<Size> dividend, ArrayRef<Size> divisor) {
  int64_t above = 1, below = 1;
  SmallVector<Value> up, down;
  for (Size size : dividend)
    collectFactors(size, above, up);
  for (Size size : divisor)
    collectFactors(size, below, down);
  for (Value *factor = down.begin(); factor != down.end();) {
    Value *equal = llvm::find(up, *factor);
    if (equal == up.end()) {
      ++factor;
      continue;
    }
    up.erase(equal);
    factor = down.erase(factor);
  }
  if (below != 0 && above % below == 0) {
    above /= below;
    below = 1;
  }
  Sizes over{index(above)}, under{index(below)};
  over.append(up.begin(), up.end());
  under.append(down.begin(), down.end());
  Size bottom = product(under);
  // Never divide by zero at run time: the divisor is at least one.
  if (!staticSize(bottom))
    bottom = max(bottom, index(1));
  return same(bottom, index(0)) ? index(0) : floorDiv(product(over), bottom);
}

Size GraphBuilder::bound(Size value, Size bound) {
  if (staticSize(value))
    return value;
  return make<BoundOp>(cast<Value>(value), indexValue(bound));
}

void GraphBuilder::checkSize(Size found, Size low, Size high, StringRef site) {
  auto notAbove = [](Size a, Size b) {
    std::optional<int64_t> x = staticSize(a), y = staticSize(b);
    return same(a, b) || (x && y && *x <= *y);
  };
  bool isNotBelow = notAbove(low, found) ||
                    (staticSize(low).value_or(1) <= 0 && isNonNegative(found));
  if (!isNotBelow || !notAbove(found, high))
    CheckSizeOp::create(ops, loc, indexValue(found), indexValue(low),
                        indexValue(high), ops.getStringAttr(site));
}

void GraphBuilder::recordSizes(Value value, ArrayRef<Size> sizes) {
  Sizes &entry = known[value];
  entry.assign(sizes.begin(), sizes.end());
  for (auto [i, extent] : llvm::enumerate(shapeOf(value)))
    if (!ShapedType::isDynamic(extent))
      entry[i] = index(extent);
}

Value GraphBuilder::withSizes(Value value, ArrayRef<Size> sizes) {
  Sizes own = this->sizes(value);
  SmallVector<int64_t> shape(shapeOf(value));
  bool isKnown = true;
  for (size_t d = 0; d < own.size(); ++d) {
    isKnown &= staticSize(own[d]) || same(own[d], sizes[d]);
    if (ShapedType::isDynamic(shape[d]))
      shape[d] = staticSize(sizes[d]).value_or(ShapedType::kDynamic);
  }
  if (isKnown)
    return value;
  // `value` itself keeps its sizes, because it may be used where nothing is
  // checked.
  Value result = make<tensor::CastOp>(typeOf(value).clone(shape), value);
  recordSizes(result, sizes);
  return result;
}

Size GraphBuilder::size(Value value, int64_t dim) {
  if (int64_t extent = shapeOf(value)[dim]; !ShapedType::isDynamic(extent))
    return index(extent);
  return sizes(value)[dim];
}

Sizes GraphBuilder::sizes(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  if (typeOf(value).hasStaticShape())
    return indices(shapeOf(value));
  Sizes result = traceSizes(value);
  recordSizes(value, result);
  return known[value];
}

Sizes GraphBuilder::askSizes(Value value) {
  Sizes result;
  for (auto [i, extent] : llvm::enumerate(shapeOf(value))) {
    if (!ShapedType::isDynamic(extent)) {
      result.push_back(index(extent));
      continue;
    }
    Value dim = indexValue(index(i));
    OpBuilder::InsertionGuard guard(ops);
    placeAfter({value, dim});
    result.push_back(make<tensor::DimOp>(value, dim));
  }
  return result;
}

Sizes GraphBuilder::traceSizes(Value value) {
  Operation *op = value.getDefiningOp();
  OpBuilder::InsertionGuard guard(ops);
  if (op && op->hasTrait<Elementwise>()) {
    Sizes joined = sizes(op->getOperand(0));
    for (Value operand : op->getOperands().drop_front())
      for (auto [mine, other] : llvm::zip(joined, sizes(operand)))
        if (staticSize(other))
          mine = other;
    return joined;
  }
  ops.setInsertionPointAfterValue(value);
  ReifiedRankedShapedTypeDims shapes;
  auto reify = dyn_cast_if_present<ReifyRankedShapedTypeOpInterface>(op);
  if (!reify || failed(reify.reifyResultShapes(ops, shapes)))
    return askSizes(value);
  Sizes result = shapes[cast<OpResult>(value).getResultNumber()];
  // An extent of an operand is replaced by its own origin.
  for (Size &entry : result) {
    auto extent = dyn_cast<Value>(entry);
    auto dim = extent ? extent.getDefiningOp<tensor::DimOp>() : nullptr;
    if (!dim || !dim.getConstantIndex() || dim.getSource() == value)
      continue;
    entry = size(dim.getSource(), *dim.getConstantIndex());
    if (dim->use_empty())
      dim->erase();
  }
  return result;
}

} // namespace tenon
