// Traces elements through movement ops, which copy elements, and elementwise
// ops, which compute each element from one of each operand. An element with
// another origin is read from its tensor at run time.
#include "compiler/import/sizes/ElementTracer.h"

#include "compiler/import/sizes/ElementRules.h"
#include "compiler/import/sizes/ElementSources.h"
#include "compiler/import/sizes/FloatSizes.h"

#include "dialects/tenon/ShapeRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace tenon {

std::optional<Sizes> ElementTracer::elements(Value tensor, int depth) {
  auto type = GraphBuilder::typeOf(tensor);
  Type element = type.getElementType();
  int64_t count = elementCount(type.getShape());
  if (!type.hasStaticShape() || count < 0 || count > ShapeValues::maxElements ||
      (!isa<IntegerType>(element) && !FloatSizes::isSupported(element)))
    return std::nullopt;
  if (auto found = known.find(tensor); found != known.end())
    return found->second;
  if (untraceable.contains(tensor))
    return std::nullopt;
  std::optional<Sizes> result = trace(tensor, depth);
  if (!result && isa<IntegerType>(element))
    result = read(tensor);
  if (result)
    known[tensor] = *result;
  else
    untraceable.insert(tensor);
  return result;
}

/// The elements of a constant of integers, bools or floats.
static Sizes elementsOf(GraphBuilder &g, DenseElementsAttr constant) {
  Sizes result;
  if (isa<FloatType>(constant.getElementType())) {
    for (Attribute element : constant.getValues<Attribute>())
      result.push_back(element);
    return result;
  }
  auto type = cast<IntegerType>(constant.getElementType());
  for (const APInt &element : constant.getValues<APInt>())
    result.push_back(g.index(type.isUnsigned() || type.getWidth() == 1
                                 ? int64_t(element.getZExtValue())
                                 : element.getSExtValue()));
  return result;
}

/// Converts an integer scalar to a size.
static Size sizeOfScalar(GraphBuilder &g, Value scalar) {
  if (auto cast = scalar.getDefiningOp<arith::IndexCastOp>())
    return getAsOpFoldResult(cast.getIn());
  if (std::optional<int64_t> number = getConstantIntValue(scalar))
    return g.index(*number);
  OpBuilder::InsertionGuard guard(g.ops);
  g.ops.setInsertionPointAfterValue(scalar);
  return g.make<arith::IndexCastOp>(g.ops.getIndexType(), scalar);
}

std::optional<Sizes> ElementTracer::trace(Value tensor, int depth) {
  if (DenseElementsAttr constant = shapes.constantOf(tensor))
    return elementsOf(g, constant);
  Operation *op = tensor.getDefiningOp();
  if (!op || depth > 100)
    return std::nullopt;
  if (isa<scf::IfOp>(op))
    return traceBranch(cast<OpResult>(tensor), depth);
  if (isa<tensor::CastOp>(op))
    return elements(op->getOperand(0), depth + 1);
  if (auto iota = dyn_cast<IotaOp>(op))
    return traceIota(iota);
  if (auto from = dyn_cast<tensor::FromElementsOp>(op)) {
    if (!isa<IntegerType>(GraphBuilder::elementOf(tensor)))
      return std::nullopt;
    Sizes result;
    for (Value element : from.getElements())
      result.push_back(sizeOfScalar(g, element));
    return result;
  }
  if (!isa<ReduceOp, CumulativeOp, GatherOp>(op) &&
      !op->hasTrait<Elementwise>() && !elementSources(op))
    return std::nullopt;
  SmallVector<Sizes> operands;
  for (Value operand : op->getOperands()) {
    // Skip operands that are sizes: the static result type has them, too.
    if (!isa<RankedTensorType>(operand.getType()))
      continue;
    std::optional<Sizes> traced = elements(operand, depth + 1);
    if (!traced)
      return std::nullopt;
    operands.push_back(*traced);
  }
  return traceOp(op, operands);
}

/// Copies the elements of operands that `sources` names.
static std::optional<Sizes>
moved(const std::optional<SmallVector<ElementSource>> &sources,
      ArrayRef<Sizes> operands) {
  if (!sources)
    return std::nullopt;
  Sizes result;
  for (ElementSource source : *sources)
    result.push_back(operands[source.operand][source.element]);
  return result;
}

std::optional<Sizes> ElementTracer::traceOp(Operation *op,
                                            ArrayRef<Sizes> operands) {
  if (op->hasTrait<Elementwise>())
    return traceElements(op, operands);
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return traceReduce(reduce, operands[0]);
  if (auto cumulative = dyn_cast<CumulativeOp>(op))
    return traceCumulative(cumulative, operands[0]);
  if (auto gather = dyn_cast<GatherOp>(op)) {
    auto positions = GraphBuilder::staticSizes(operands[1]);
    return positions ? moved(gatherSources(gather, *positions), operands)
                     : std::nullopt;
  }
  return moved(elementSources(op), operands);
}

Size ElementTracer::conditionOf(scf::IfOp branch, int depth) {
  auto read = branch.getCondition().getDefiningOp<tensor::ExtractOp>();
  std::optional<Sizes> traced =
      read ? elements(read.getTensor(), depth + 1) : std::nullopt;
  return traced && traced->size() == 1
             ? g.cmp(arith::CmpIPredicate::ne, traced->front(), g.index(0))
             : getAsOpFoldResult(branch.getCondition());
}

/// Selects between the elements of both branches. All of them must be computed
/// outside the branches.
std::optional<Sizes> ElementTracer::traceBranch(OpResult result, int depth) {
  auto branch = cast<scf::IfOp>(result.getOwner());
  unsigned i = result.getResultNumber();
  std::optional<Sizes> yes = elements(branch.thenYield().getOperand(i),
                                      depth + 1),
                       no = elements(branch.elseYield().getOperand(i),
                                     depth + 1);
  if (!yes || !no || yes->size() != no->size())
    return std::nullopt;
  auto isInside = [&](Size size) {
    auto value = dyn_cast<Value>(size);
    return value &&
           branch->isProperAncestor(value.getParentBlock()->getParentOp());
  };
  if (llvm::any_of(*yes, isInside) || llvm::any_of(*no, isInside))
    return std::nullopt;
  bool isFloat = isa<FloatType>(GraphBuilder::elementOf(result));
  Size condition = conditionOf(branch, depth);
  Sizes chosen;
  for (auto [a, b] : llvm::zip(*yes, *no))
    chosen.push_back(isFloat ? FloatSizes(g).select(condition, a, b)
                             : g.select(condition, a, b));
  return chosen;
}

std::optional<Sizes> ElementTracer::traceElements(Operation *op,
                                                  ArrayRef<Sizes> operands) {
  Sizes result;
  for (size_t i = 0; i < operands[0].size(); ++i) {
    Sizes elements;
    for (const Sizes &operand : operands)
      elements.push_back(operand[i]);
    std::optional<Size> element = elementOfResult(g, op, elements);
    if (!element)
      return std::nullopt;
    result.push_back(*element);
  }
  return result;
}

Sizes ElementTracer::traceIota(IotaOp iota) {
  RankedTensorType type = iota.getType();
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  Sizes result;
  for (int64_t i = 0, n = type.getNumElements(); i < n; ++i) {
    Size place = g.index(delinearize(i, strides)[iota.getDim()]);
    result.push_back(isa<FloatType>(type.getElementType())
                         ? FloatSizes(g).fromSize(place, type.getElementType())
                         : place);
  }
  return result;
}

std::optional<Sizes> ElementTracer::traceReduce(ReduceOp reduce,
                                                const Sizes &from) {
  auto type = cast<RankedTensorType>(reduce.getType());
  ArrayRef<int64_t> shape = GraphBuilder::shapeOf(reduce.getOperand());
  SmallVector<int64_t> strides = computeStrides(shape),
                       resultStrides = computeStrides(type.getShape());
  Sizes result(type.getNumElements());
  for (auto [i, element] : llvm::enumerate(from)) {
    SmallVector<int64_t> kept;
    for (auto [d, place] : llvm::enumerate(delinearize(i, strides)))
      if (!llvm::is_contained(reduce.getDims(), d))
        kept.push_back(place);
    Size &sum = result[linearize(kept, resultStrides)];
    std::optional<Size> joined =
        sum ? combined(g, reduce.getKind(), type.getElementType(), sum, element)
            : element;
    if (!joined)
      return std::nullopt;
    sum = *joined;
  }
  // The result of reducing zero elements.
  std::optional<int64_t> identity;
  if (reduce.getKind() == ReduceKind::Add)
    identity = 0;
  if (reduce.getKind() == ReduceKind::Multiply)
    identity = 1;
  for (Size &sum : result) {
    if (!sum && (!identity || !isa<IntegerType>(type.getElementType())))
      return std::nullopt;
    if (!sum)
      sum = g.index(*identity);
  }
  return result;
}

std::optional<Sizes> ElementTracer::traceCumulative(CumulativeOp op,
                                                    const Sizes &from) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  if (type.getRank() != 1 || op.getExclusive())
    return std::nullopt;
  Sizes result = from;
  if (op.getReverse())
    std::reverse(result.begin(), result.end());
  for (size_t i = 1; i < result.size(); ++i) {
    std::optional<Size> sum = combined(g, op.getKind(), type.getElementType(),
                                       result[i - 1], result[i]);
    if (!sum)
      return std::nullopt;
    result[i] = *sum;
  }
  if (op.getReverse())
    std::reverse(result.begin(), result.end());
  return result;
}

} // namespace tenon
