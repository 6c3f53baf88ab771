// Quantization ops: one rule relates values, their stored form and scales.
#include "dialects/tenon/Quantization.h"

#include "dialects/tenon/InferShared.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/tenon/Quantization.cpp.inc"

namespace tenon {

static std::string text(Type type) {
  std::string result;
  llvm::raw_string_ostream(result) << type;
  return result;
}

static bool isPanels(RankedTensorType values) {
  return values.getRank() == 3 && values.hasStaticShape() &&
         values.getElementType().isF32();
}

static std::string scalesError(RankedTensorType values, RankedTensorType scales,
                               int64_t group, const char *label) {
  ArrayRef<int64_t> shape = values.getShape();
  SmallVector<int64_t> expected = {
      shape[0], int64_t(llvm::divideCeil(shape[1], group)), shape[2]};
  Type element = scales.getElementType();
  if (scales.getShape() == ArrayRef(expected) &&
      (element.isF32() || element.isBF16()))
    return "";
  return "expected scales " +
         text(RankedTensorType::get(expected,
                                    Float32Type::get(values.getContext()))) +
         " or the same of bf16 (" + label + "), got " + text(scales);
}

static std::string groupError(int64_t group, const char *label) {
  if (group > 0 && group % nibblesPerWord == 0)
    return "";
  return std::string("expected a group of a positive multiple of 8 (") + label +
         "), got " + std::to_string(group);
}

std::string quantizedFormError(RankedTensorType values, RankedTensorType stored,
                               RankedTensorType scales,
                               std::optional<int64_t> group) {
  if (!scales) {
    bool fits = !group && values.getElementType().isF32() &&
                isa<Float16Type, BFloat16Type>(stored.getElementType()) &&
                values.getShape() == stored.getShape();
    return fits ? ""
                : "expected f32 and f16 or bf16 of one shape and no group "
                  "without scales (C1), got " +
                      text(values) + " and " + text(stored);
  }
  if (!isPanels(values))
    return "expected panels x depth x width of f32 (C2), got " + text(values);
  if (std::string wrong = groupError(group.value_or(0), "C3"); !wrong.empty())
    return wrong;
  SmallVector<int64_t> shape(values.getShape());
  bool words = stored.getElementType().isInteger(32);
  if (words)
    shape[1] = llvm::divideCeil(shape[1], nibblesPerWord);
  Type element = IntegerType::get(values.getContext(), words ? 32 : 8);
  auto expected = RankedTensorType::get(shape, element);
  if (stored != expected)
    return "expected " + text(expected) + " to stand for " + text(values) +
           " (C2), got " + text(stored);
  return scalesError(values, scales, *group, "C3");
}

static RankedTensorType typeOf(Value value) {
  return value ? cast<RankedTensorType>(value.getType()) : RankedTensorType();
}

static LogicalResult emitIf(Operation *op, const std::string &wrong) {
  return wrong.empty() ? LogicalResult(success()) : op->emitOpError() << wrong;
}

LogicalResult QuantizeOp::verify() {
  return emitIf(*this,
                quantizedFormError(typeOf(getOperand()), typeOf(getResult()),
                                   typeOf(getScales()), getGroup()));
}

LogicalResult DequantizeOp::verify() {
  return emitIf(*this,
                quantizedFormError(typeOf(getResult()), typeOf(getOperand()),
                                   typeOf(getScales()), getGroup()));
}

LogicalResult GroupScalesOp::verify() {
  RankedTensorType values = typeOf(getOperand()), scales = typeOf(getResult());
  if (!isPanels(values))
    return emitOpError() << "expected panels x depth x width of f32 (C1), got "
                         << values;
  int64_t group = getGroup();
  if (std::string wrong = groupError(group, "C2"); !wrong.empty())
    return emitOpError() << wrong;
  if (getBits() != 8 && getBits() != 4)
    return emitOpError() << "expected 8 or 4 bits (C3), got " << getBits();
  if (std::string wrong = scalesError(values, scales, group, "C3");
      !wrong.empty())
    return emitOpError() << wrong;
  if (scales.getElementType().isF32() != (getBits() == 8))
    return emitOpError() << "expected scales of f32 for 8 bits and of bf16 for "
                            "4 (C3), got "
                         << scales << " for " << getBits();
  return success();
}

/// A result type has dynamic extents only if there are no scales; then the
/// extents are the operand's.
static LogicalResult reify(OpBuilder &builder, Operation *op,
                           ReifiedRankedShapedTypeDims &shapes) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!type.hasStaticShape())
    return reifyLikeOperand(builder, op, shapes);
  reifyMixed(builder, type.getShape(), {}, shapes);
  return success();
}

LogicalResult
GroupScalesOp::reifyResultShapes(OpBuilder &builder,
                                 ReifiedRankedShapedTypeDims &shapes) {
  return reify(builder, *this, shapes);
}

LogicalResult
QuantizeOp::reifyResultShapes(OpBuilder &builder,
                              ReifiedRankedShapedTypeDims &shapes) {
  return reify(builder, *this, shapes);
}

LogicalResult
DequantizeOp::reifyResultShapes(OpBuilder &builder,
                                ReifiedRankedShapedTypeDims &shapes) {
  return reify(builder, *this, shapes);
}

} // namespace tenon
