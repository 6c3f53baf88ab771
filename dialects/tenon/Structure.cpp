// Structure ops: weights and fusion regions.
#include "dialects/tenon/InferShared.h"
#include "dialects/tenon/KernelPlan.h"
#include "dialects/tenon/KernelSignature.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace tenon {

LogicalResult WeightOp::verify() {
  auto type = dyn_cast<RankedTensorType>(getType());
  // weight C1
  if (!type || !type.hasStaticShape() ||
      getSource().has_value() == !getRecipe().empty())
    return emitOpError(
        "expected a static tensor type and either a source or a recipe (C1)");
  // weight C2
  int64_t bytes = (type.getElementType().getIntOrFloatBitWidth() + 7) / 8 *
                  elementCount(type.getShape());
  if (auto source = getSource(); source && source->getLength() != bytes)
    return emitOpError("expected a source of ")
           << bytes << " bytes (C2), got " << source->getLength();
  // weight C3
  if (!getRecipe().empty()) {
    auto yield = dyn_cast<YieldOp>(getRecipe().front().getTerminator());
    if (!yield || yield.getNumOperands() != 1 ||
        yield.getOperand(0).getType() != type)
      return emitOpError("expected the recipe to yield ") << type << " (C3)";
  }
  return success();
}

LogicalResult GetWeightOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // get_weight C1
  auto weight = symbols.lookupNearestSymbolFrom<WeightOp>(getOperation(),
                                                          getWeightAttr());
  auto type = dyn_cast<ShapedType>(getType());
  auto expected = weight ? cast<ShapedType>(weight.getType()) : ShapedType();
  if (!weight || type.getShape() != expected.getShape() ||
      type.getElementType() != expected.getElementType())
    return emitOpError("expected a weight of type ")
           << getType() << " named " << getWeight() << " (C1)";
  return success();
}

LogicalResult
GetWeightOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  reifyMixed(builder, cast<ShapedType>(getType()).getShape(), {}, shapes);
  return success();
}

YieldOp FusionOp::getYield() {
  return cast<YieldOp>(getBlock().getTerminator());
}

/// The tensor type that a fusion's region uses for a tensor or memref.
static Type asTensor(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref
             ? RankedTensorType::get(memref.getShape(), memref.getElementType())
             : type;
}

LogicalResult FusionOp::verify() {
  auto sameTensor = [](Type region, Type outer) {
    auto a = dyn_cast<RankedTensorType>(region),
         b = dyn_cast<RankedTensorType>(asTensor(outer));
    return a && b ? compatible(a.getShape(), b.getShape()) &&
                        (isa<MemRefType>(outer) ||
                         a.getElementType() == b.getElementType())
                  : region == outer;
  };
  // fusion C1
  if (getBlock().getNumArguments() != getInputs().size())
    return emitOpError("expected a region argument per input (C1)");
  for (auto [argument, input] :
       llvm::zip(getBlock().getArguments(), getInputs()))
    if (!sameTensor(argument.getType(), input.getType()))
      return emitOpError("expected region argument ")
             << argument.getType() << " to match input " << input.getType()
             << " (C1)";
  // fusion C2
  auto yield = dyn_cast<YieldOp>(getBlock().getTerminator());
  if (!yield || yield.getNumOperands() != getOutputs().size())
    return emitOpError("expected a yielded value per output (C2)");
  for (auto [value, output] : llvm::zip(yield.getValues(), getOutputs()))
    if (!sameTensor(value.getType(), output.getType()))
      return emitOpError("expected yielded ")
             << value.getType() << " to match output " << output.getType()
             << " (C2)";
  // fusion C3
  SmallVector<Type> tensors;
  for (Value output : getOutputs())
    if (isa<RankedTensorType>(output.getType()))
      tensors.push_back(output.getType());
  if (!llvm::equal(tensors, getResultTypes()))
    return emitOpError("expected a result per tensor output, of its type (C3)");
  // fusion C4
  if (getStreamed() && getKind() != FusionKind::Attention)
    return emitOpError("expected attention where it is streamed (C4)");
  return verifyPlan(*this, planOf(*this));
}

void FusionOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &input : getInputsMutable())
    if (isa<MemRefType>(input.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &input);
  for (OpOperand &output : getOutputsMutable())
    if (isa<MemRefType>(output.get().getType()))
      effects.emplace_back(MemoryEffects::Write::get(), &output);
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // launch C1, C2
  return verifyLaunched(
      *this, getKernelAttr(),
      symbols.lookupNearestSymbolFrom(getOperation(), getKernelAttr()),
      getOperands_().getTypes());
}

/// True if a <= b is evident: both are constants, or they are one value.
static bool knownNotAbove(Value a, Value b) {
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  return a == b || (x && y && *x <= *y);
}

LogicalResult CheckSizeOp::canonicalize(CheckSizeOp op,
                                        PatternRewriter &rewriter) {
  if (!knownNotAbove(op.getLow(), op.getFound()) ||
      !knownNotAbove(op.getFound(), op.getHigh()))
    return rewriter.notifyMatchFailure(op, "not known to hold");
  rewriter.eraseOp(op);
  return success();
}

bool isReadElementwise(Value value) {
  SmallVector<Value> open{value};
  SmallPtrSet<Operation *, 8> seen;
  while (!open.empty())
    for (Operation *user : open.pop_back_val().getUsers()) {
      if (isa<YieldOp>(user) || !seen.insert(user).second)
        continue;
      if (!user->hasTrait<Elementwise>())
        return false;
      llvm::append_range(open, user->getResults());
    }
  return true;
}

} // namespace tenon

#define GET_OP_CLASSES
#include "dialects/tenon/TenonOps.cpp.inc"
