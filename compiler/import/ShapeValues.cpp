// Tracing of integer tensors through the ops that computed them: one case per
// op that exporters use in shape arithmetic. Values are index values; bools are
// 0 and 1.
#include "compiler/import/ShapeValues.h"

#include "dialects/tenon/ShapeRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using Predicate = arith::CmpIPredicate;

namespace tenon {

DenseElementsAttr ShapeValues::constantOf(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (auto constant = dyn_cast_if_present<ConstantOp>(op))
    return dyn_cast<DenseElementsAttr>(constant.getValue());
  auto type = GraphBuilder::typeOf(tensor);
  if (!op || !type.hasStaticShape())
    return {};
  if (isa<ReshapeOp>(op))
    if (DenseElementsAttr inner = constantOf(op->getOperand(0)))
      return inner.reshape(type);
  if (isa<BroadcastInDimOp>(op))
    if (DenseElementsAttr inner = constantOf(op->getOperand(0));
        inner && inner.isSplat())
      return DenseElementsAttr::get(type, inner.getSplatValue<Attribute>());
  return {};
}

/// The elements of integer or bool constants.
static SmallVector<int64_t> integersOf(DenseElementsAttr constant) {
  auto type = cast<IntegerType>(constant.getElementType());
  SmallVector<int64_t> result;
  for (const APInt &element : constant.getValues<APInt>())
    result.push_back(type.isUnsigned() || type.getWidth() == 1
                         ? int64_t(element.getZExtValue())
                         : element.getSExtValue());
  return result;
}

std::optional<SmallVector<double>> ShapeValues::constantFloats(Value tensor) {
  DenseElementsAttr constant = constantOf(tensor);
  SmallVector<double> result;
  if (constant && isa<FloatType>(constant.getElementType())) {
    for (const APFloat &element : constant.getValues<APFloat>()) {
      APFloat wide = element;
      bool lossy;
      wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
      result.push_back(wide.convertToDouble());
    }
    return result;
  }
  if (isa<FloatType>(GraphBuilder::elementOf(tensor)))
    return std::nullopt;
  std::optional<SmallVector<int64_t>> integers = constants(tensor);
  if (!integers)
    return std::nullopt;
  result.assign(integers->begin(), integers->end());
  return result;
}

std::optional<SmallVector<int64_t>> ShapeValues::constants(Value tensor) {
  std::optional<Sizes> sizes = elements(tensor);
  return sizes ? GraphBuilder::staticSizes(*sizes) : std::nullopt;
}

std::optional<Sizes> ShapeValues::elements(Value tensor) {
  auto type = GraphBuilder::typeOf(tensor);
  int64_t count = elementCount(type.getShape());
  if (!type.hasStaticShape() || count < 0 || count > maxElements ||
      !isa<IntegerType>(type.getElementType()))
    return std::nullopt;
  if (auto found = memo.find(tensor); found != memo.end())
    return found->second;
  std::optional<Sizes> result = trace(tensor, 0);
  if (!result)
    result = extractAll(tensor, count);
  memo[tensor] = *result;
  return result;
}

Sizes ShapeValues::extractAll(Value tensor, int64_t count) {
  auto element = cast<IntegerType>(GraphBuilder::elementOf(tensor));
  OpBuilder::InsertionGuard guard(g.ops);
  g.ops.setInsertionPointAfterValue(tensor);
  // Scalars are signless.
  Value source = element.isSignless() ? tensor : g.convert(tensor, g.i64());
  ArrayRef<int64_t> shape = GraphBuilder::shapeOf(source);
  Sizes result;
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<Value> position(shape.size());
    int64_t rest = i;
    for (int64_t dim = int64_t(shape.size()) - 1; dim >= 0; --dim) {
      position[dim] = g.indexValue(g.index(rest % shape[dim]));
      rest /= shape[dim];
    }
    position.push_back(source);
    g.placeAfter(position);
    position.pop_back();
    Value scalar = g.make<tensor::ExtractOp>(source, position);
    Type index = g.ops.getIndexType();
    result.push_back(element.getWidth() == 1
                         ? g.make<arith::IndexCastUIOp>(index, scalar)
                         : g.make<arith::IndexCastOp>(index, scalar));
  }
  return result;
}

/// A scalar of an integer type as a size.
static Size sizeOfScalar(GraphBuilder &g, Value scalar) {
  if (auto cast = scalar.getDefiningOp<arith::IndexCastOp>())
    return getAsOpFoldResult(cast.getIn());
  if (std::optional<int64_t> number = getConstantIntValue(scalar))
    return g.index(*number);
  OpBuilder::InsertionGuard guard(g.ops);
  g.ops.setInsertionPointAfterValue(scalar);
  return g.make<arith::IndexCastOp>(g.ops.getIndexType(), scalar);
}

static Predicate predicateOf(CompareDirection direction, bool isUnsigned) {
  switch (direction) {
  case CompareDirection::EQ:
    return Predicate::eq;
  case CompareDirection::NE:
    return Predicate::ne;
  case CompareDirection::LT:
    return isUnsigned ? Predicate::ult : Predicate::slt;
  case CompareDirection::LE:
    return isUnsigned ? Predicate::ule : Predicate::sle;
  case CompareDirection::GT:
    return isUnsigned ? Predicate::ugt : Predicate::sgt;
  case CompareDirection::GE:
    return isUnsigned ? Predicate::uge : Predicate::sge;
  }
  llvm_unreachable("all directions are covered");
}

/// Division as the dialect defines it: x / 0 has all bits set.
static Size divide(GraphBuilder &g, Size a, Size b) {
  if (std::optional<int64_t> divisor = GraphBuilder::staticSize(b))
    return *divisor == 0 ? g.index(-1) : g.truncDiv(a, b);
  Size isZero = g.cmp(Predicate::eq, b, g.index(0));
  return g.select(isZero, g.index(-1),
                  g.truncDiv(a, g.select(isZero, g.index(1), b)));
}

std::optional<Sizes> ShapeValues::trace(Value tensor, int depth) {
  if (depth > 100)
    return std::nullopt;
  auto type = GraphBuilder::typeOf(tensor);
  if (!type.hasStaticShape() || !isa<IntegerType>(type.getElementType()))
    return std::nullopt;
  int64_t count = elementCount(type.getShape());
  if (count > maxElements)
    return std::nullopt;
  if (DenseElementsAttr constant = constantOf(tensor))
    return g.indices(integersOf(constant));
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return std::nullopt;
  // Operands are traced, or read; what cannot be either ends the trace.
  auto inner = [&](Value operand) -> std::optional<Sizes> {
    if (auto found = memo.find(operand); found != memo.end())
      return found->second;
    std::optional<Sizes> result = trace(operand, depth + 1);
    if (!result) {
      auto operandType = GraphBuilder::typeOf(operand);
      int64_t size = elementCount(operandType.getShape());
      if (!operandType.hasStaticShape() || size > maxElements ||
          !isa<IntegerType>(operandType.getElementType()))
        return std::nullopt;
      result = extractAll(operand, size);
    }
    memo[operand] = *result;
    return result;
  };
  auto elementwise =
      [&](llvm::function_ref<Size(Size, Size)> apply) -> std::optional<Sizes> {
    std::optional<Sizes> a = inner(op->getOperand(0));
    std::optional<Sizes> b = a ? inner(op->getOperand(1)) : std::nullopt;
    if (!b)
      return std::nullopt;
    Sizes result;
    for (auto [x, y] : llvm::zip(*a, *b))
      result.push_back(apply(x, y));
    return result;
  };
  auto unary = [&](llvm::function_ref<Size(Size)> apply) {
    std::optional<Sizes> result = inner(op->getOperand(0));
    if (result)
      for (Size &size : *result)
        size = apply(size);
    return result;
  };
  // Sizes saturate; a model's own numbers wrap.
  auto modular = [&](auto fold, llvm::function_ref<Size(Size, Size)> apply) {
    return elementwise([&](Size a, Size b) -> Size {
      std::optional<int64_t> x = g.staticSize(a), y = g.staticSize(b);
      return x && y ? g.index(int64_t(fold(uint64_t(*x), uint64_t(*y))))
                    : apply(a, b);
    });
  };
  using Result = std::optional<Sizes>;
  bool isBool = type.getElementType().isInteger(1);
  bool isUnsigned = type.getElementType().isUnsignedInteger();
  // Narrow and unsigned arithmetic may wrap where index arithmetic does not.
  bool isWide = isBool || type.getElementType().isSignlessInteger(64) ||
                type.getElementType().isSignlessInteger(32);
  return TypeSwitch<Operation *, Result>(op)
      .Case([&](tensor::FromElementsOp from) -> Result {
        Sizes result;
        for (Value element : from.getElements())
          result.push_back(sizeOfScalar(g, element));
        return result;
      })
      .Case<ReshapeOp, CheckRangeOp>(
          [&](auto) { return inner(op->getOperand(0)); })
      .Case([&](TransposeOp) -> Result {
        return type.getRank() <= 1 ? inner(op->getOperand(0)) : std::nullopt;
      })
      .Case([&](ConvertOp convert) -> Result {
        auto from = dyn_cast<IntegerType>(
            GraphBuilder::elementOf(convert.getOperand()));
        auto to = dyn_cast<IntegerType>(type.getElementType());
        if (!from || !to)
          return std::nullopt;
        if (to.getWidth() == 1)
          return unary([&](Size size) {
            return g.select(g.cmp(Predicate::ne, size, g.index(0)), g.index(1),
                            g.index(0));
          });
        if (to.getWidth() < 32 && from.getWidth() != 1)
          return std::nullopt;
        return inner(convert.getOperand());
      })
      .Case([&](BroadcastInDimOp broadcast) -> Result {
        Result from = inner(broadcast.getOperand());
        if (!from || from->size() == 0)
          return from;
        if (from->size() == 1)
          return Sizes(count, from->front());
        // A vector into the last dimension, repeated.
        if (broadcast.getDims().size() != 1 ||
            broadcast.getDims()[0] != type.getRank() - 1)
          return std::nullopt;
        Sizes result;
        while (int64_t(result.size()) < count)
          result.append(*from);
        return result;
      })
      .Case([&](ConcatenateOp concat) -> Result {
        if (concat.getDim() != 0)
          return std::nullopt;
        Sizes result;
        for (Value operand : concat.getOperands()) {
          Result part = inner(operand);
          if (!part)
            return std::nullopt;
          result.append(*part);
        }
        return result;
      })
      .Case([&](SliceOp slice) -> Result {
        if (type.getRank() != 1 ||
            ShapedType::isDynamic(slice.getStaticOffsets()[0]) ||
            ShapedType::isDynamic(slice.getStaticStrides()[0]))
          return std::nullopt;
        Result from = inner(slice.getOperand());
        if (!from)
          return std::nullopt;
        Sizes result;
        for (int64_t i = 0; i < count; ++i)
          result.push_back((*from)[slice.getStaticOffsets()[0] +
                                   i * slice.getStaticStrides()[0]]);
        return result;
      })
      .Case([&](ReverseOp reverse) -> Result {
        if (type.getRank() != 1)
          return std::nullopt;
        Result from = inner(reverse.getOperand());
        if (from)
          std::reverse(from->begin(), from->end());
        return from;
      })
      .Case([&](IotaOp) -> Result {
        if (type.getRank() != 1)
          return std::nullopt;
        return g.indices(llvm::to_vector(llvm::seq<int64_t>(0, count)));
      })
      .Case([&](GatherOp gather) -> Result {
        // Scalars of a vector at constant positions.
        Value operand = gather.getOperand();
        if (GraphBuilder::rankOf(operand) != 1 ||
            gather.getSliceSizes()[0] != 1 ||
            gather.getCollapsedDims().size() != 1 ||
            !gather.getOperandBatchingDims().empty())
          return std::nullopt;
        Result from = inner(operand), at = inner(gather.getIndices());
        std::optional<SmallVector<int64_t>> positions;
        if (from && at)
          positions = GraphBuilder::staticSizes(*at);
        if (!positions || from->empty())
          return std::nullopt;
        Sizes result;
        for (int64_t i : *positions)
          result.push_back(
              (*from)[std::clamp<int64_t>(i, 0, from->size() - 1)]);
        return result;
      })
      .Case([&](ReduceOp reduce) -> Result {
        Result from = inner(reduce.getOperand());
        if (!from || count != 1 || !isWide || isBool)
          return std::nullopt;
        Size result;
        switch (reduce.getKind()) {
        case ReduceKind::Multiply:
          return Sizes{g.product(*from)};
        case ReduceKind::Add:
          result = g.index(0);
          for (Size size : *from)
            result = g.add(result, size);
          return Sizes{result};
        case ReduceKind::Maximum:
        case ReduceKind::Minimum:
          if (from->empty())
            return std::nullopt;
          result = from->front();
          for (Size size : *from)
            result = reduce.getKind() == ReduceKind::Maximum
                         ? g.max(result, size)
                         : g.min(result, size);
          return Sizes{result};
        default:
          return std::nullopt;
        }
      })
      .Case([&](SelectOp select) -> Result {
        Result p = inner(select.getPred()), a = inner(select.getOnTrue()),
               b = inner(select.getOnFalse());
        if (!p || !a || !b)
          return std::nullopt;
        Sizes result;
        for (auto [c, x, y] : llvm::zip(*p, *a, *b))
          result.push_back(g.select(g.cmp(Predicate::ne, c, g.index(0)), x, y));
        return result;
      })
      .Case([&](CompareOp compare) -> Result {
        auto from =
            dyn_cast<IntegerType>(GraphBuilder::elementOf(compare.getLhs()));
        if (!from)
          return std::nullopt;
        Predicate predicate = predicateOf(
            compare.getDirection(), from.isUnsigned() || from.getWidth() == 1);
        return elementwise([&](Size a, Size b) {
          return g.select(g.cmp(predicate, a, b), g.index(1), g.index(0));
        });
      })
      .Case([&](ClampOp clamp) -> Result {
        Result low = inner(clamp.getLow()), value = inner(clamp.getOperand()),
               high = inner(clamp.getHigh());
        if (!low || !value || !high || isUnsigned)
          return std::nullopt;
        Sizes result;
        for (auto [l, v, h] : llvm::zip(*low, *value, *high))
          result.push_back(g.clamp(v, l, h));
        return result;
      })
      .Default([&](Operation *) -> Result {
        if (!isWide)
          return std::nullopt;
        if (isBool) {
          if (isa<AndOp, MultiplyOp, MinimumOp>(op))
            return elementwise([&](Size a, Size b) { return g.mul(a, b); });
          if (isa<OrOp, AddOp, MaximumOp>(op))
            return elementwise([&](Size a, Size b) { return g.max(a, b); });
          if (isa<NotOp>(op))
            return unary([&](Size a) { return g.sub(g.index(1), a); });
          return std::nullopt;
        }
        if (isa<AddOp>(op))
          return modular(std::plus<uint64_t>(),
                         [&](Size a, Size b) { return g.add(a, b); });
        if (isa<SubtractOp>(op))
          return modular(std::minus<uint64_t>(),
                         [&](Size a, Size b) { return g.sub(a, b); });
        if (isa<MultiplyOp>(op))
          return modular(std::multiplies<uint64_t>(),
                         [&](Size a, Size b) { return g.mul(a, b); });
        if (isa<MaximumOp>(op))
          return elementwise([&](Size a, Size b) { return g.max(a, b); });
        if (isa<MinimumOp>(op))
          return elementwise([&](Size a, Size b) { return g.min(a, b); });
        if (isa<DivideOp>(op))
          return elementwise([&](Size a, Size b) { return divide(g, a, b); });
        if (isa<RemainderOp>(op))
          return elementwise([&](Size a, Size b) {
            Size isZero = g.cmp(Predicate::eq, b, g.index(0));
            return g.select(isZero, a,
                            g.rem(a, g.select(isZero, g.index(1), b)));
          });
        if (isa<NegateOp>(op))
          return unary([&](Size a) { return g.sub(g.index(0), a); });
        if (isa<AbsOp>(op))
          return unary([&](Size a) { return g.max(a, g.sub(g.index(0), a)); });
        return std::nullopt;
      });
}

} // namespace tenon
