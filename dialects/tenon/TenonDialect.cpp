// Registers the dialect and defines the functions that all families share.
#include "dialects/tenon/TenonDialect.h"
#include "dialects/tenon/Device.h"
#include "dialects/tenon/InferShared.h"
#include "dialects/tenon/KernelPlan.h"
#include "dialects/tenon/Machine.h"
#include "dialects/tenon/Packing.h"
#include "dialects/tenon/Quantization.h"
#include "dialects/tenon/SizeSigns.h"
#include "dialects/tenon/State.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "dialects/tenon/TenonDialect.cpp.inc"
#include "dialects/tenon/TenonEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/tenon/TenonAttrs.cpp.inc"
#include "dialects/tenon/TenonInterfaces.cpp.inc"

namespace tenon {

namespace {
/// Allows inlining of every op, so that the functions of a model become one
/// graph: no op's meaning depends on its function.
struct TenonInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void TenonDialect::initialize() {
  addInterfaces<TenonInliner>();
  addOperations<
#define GET_OP_LIST
#include "dialects/tenon/TenonOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tenon/Packing.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tenon/Quantization.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tenon/State.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tenon/Device.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/tenon/TenonAttrs.cpp.inc"
      >();
}

Operation *TenonDialect::materializeConstant(OpBuilder &builder,
                                             Attribute value, Type type,
                                             Location loc) {
  if (auto elements = dyn_cast<ElementsAttr>(value);
      elements && elements.getType() == type)
    return ConstantOp::create(builder, loc, elements);
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

OpFoldResult mixedSize(OpBuilder &builder, Location loc, Value value,
                       int64_t dim) {
  auto type = cast<ShapedType>(value.getType());
  if (!type.isDynamicDim(dim))
    return builder.getIndexAttr(type.getDimSize(dim));
  return builder.createOrFold<tensor::DimOp>(loc, value, dim);
}

SmallVector<OpFoldResult> mixedSizes(OpBuilder &builder, Location loc,
                                     Value value) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t i = 0, rank = cast<ShapedType>(value.getType()).getRank();
       i < rank; ++i)
    sizes.push_back(mixedSize(builder, loc, value, i));
  return sizes;
}

LogicalResult inferElementwise(std::optional<Location> location,
                               ValueRange operands, Type element,
                               SmallVectorImpl<Type> &results) {
  SmallVector<int64_t> shape(shapeOf(operands[0]));
  for (Value operand : operands.drop_front()) {
    if (!compatible(shape, shapeOf(operand)))
      return emitOptionalError(
          location, "expected operands of one shape (C1), got ",
          operands[0].getType(), " and ", operand.getType());
    for (auto [joined, extent] : llvm::zip(shape, shapeOf(operand)))
      if (ShapedType::isDynamic(joined))
        joined = extent;
  }
  results.push_back(RankedTensorType::get(shape, element));
  return success();
}

LogicalResult reifyLikeOperand(OpBuilder &builder, Operation *op,
                               ReifiedRankedShapedTypeDims &shapes) {
  for (Value result : op->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    SmallVector<OpFoldResult> sizes;
    for (int64_t i = 0; i < type.getRank(); ++i)
      sizes.push_back(
          type.isDynamicDim(i)
              ? mixedSize(builder, op->getLoc(), op->getOperand(0), i)
              : OpFoldResult(builder.getIndexAttr(type.getDimSize(i))));
    shapes.push_back(sizes);
  }
  return success();
}

void reifyMixed(OpBuilder &builder, Extents staticSizes, ValueRange dynamic,
                ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(getMixedValues(staticSizes, dynamic, builder));
}

LogicalResult inferFrom(const ShapeOrError &rule, Type element,
                        std::optional<Location> location,
                        SmallVectorImpl<Type> &results) {
  if (!rule.ok())
    return emitOptionalError(location, rule.error);
  results.push_back(RankedTensorType::get(rule.shape, element));
  return success();
}

LogicalResult verifyShape(Operation *op, const ShapeOrError &rule, Type type,
                          StringRef label) {
  if (!rule.ok())
    return op->emitOpError() << rule.error;
  Extents actual = cast<RankedTensorType>(type).getShape();
  if (!compatible(rule.shape, actual))
    return op->emitOpError() << "expected a result of shape " << rule.shape
                             << " (" << label << "), got " << type;
  return success();
}

OpFoldResult SizeBuilder::constant(int64_t value) {
  return builder.getIndexAttr(value);
}

Value SizeBuilder::value(OpFoldResult a) {
  return getValueOrCreateConstantIndexOp(builder, loc, a);
}

template <typename Op>
static OpFoldResult
combine(SizeBuilder &sizes, OpFoldResult a, OpFoldResult b,
        llvm::function_ref<int64_t(int64_t, int64_t)> fold) {
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return sizes.constant(fold(*x, *y));
  return sizes.builder.createOrFold<Op>(sizes.loc, sizes.value(a),
                                        sizes.value(b));
}

/// x + c is x and c; every other size is itself and 0.
static std::pair<OpFoldResult, int64_t> splitConstant(OpFoldResult size) {
  auto value = dyn_cast<Value>(size);
  if (auto sum = value ? value.getDefiningOp<arith::AddIOp>() : nullptr)
    if (std::optional<int64_t> number = getConstantIntValue(sum.getRhs()))
      return {sum.getLhs(), *number};
  return {size, 0};
}

OpFoldResult SizeBuilder::add(OpFoldResult a, OpFoldResult b) {
  // All constants of a sum are one, so that x + 2 - 2 is x.
  auto [rest, former] = splitConstant(a);
  int64_t number;
  if (std::optional<int64_t> y = getConstantIntValue(b);
      y && former != 0 && !llvm::AddOverflow(former, *y, number))
    return number == 0 ? rest : add(rest, constant(number));
  return combine<arith::AddIOp>(*this, a, b,
                                [](int64_t x, int64_t y) { return x + y; });
}
OpFoldResult SizeBuilder::sub(OpFoldResult a, OpFoldResult b) {
  if (std::optional<int64_t> y = getConstantIntValue(b);
      y && *y != INT64_MIN && !getConstantIntValue(a))
    return add(a, constant(-*y));
  return combine<arith::SubIOp>(*this, a, b,
                                [](int64_t x, int64_t y) { return x - y; });
}
OpFoldResult SizeBuilder::mul(OpFoldResult a, OpFoldResult b) {
  return combine<arith::MulIOp>(*this, a, b,
                                [](int64_t x, int64_t y) { return x * y; });
}
OpFoldResult SizeBuilder::floorDiv(OpFoldResult a, int64_t b) {
  if (b == 1)
    return a;
  return combine<arith::FloorDivSIOp>(
      *this, a, constant(b),
      [](int64_t x, int64_t y) { return llvm::divideFloorSigned(x, y); });
}
OpFoldResult SizeBuilder::max(OpFoldResult a, int64_t b) {
  if (b <= 0 && isAtLeast(a, 0))
    return a;
  return combine<arith::MaxSIOp>(
      *this, a, constant(b),
      [](int64_t x, int64_t y) { return std::max(x, y); });
}

} // namespace tenon
