// Checks what holds for a whole module at phase `imported`, and what all passes
// rely on. Verifiers check only single ops.
#include "compiler/pipeline/CheckImported.h"

#include "compiler/pipeline/Phases.h"
#include "dialects/tenon/Annotations.h"
#include "dialects/tenon/State.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tenon {
namespace {

LogicalResult checkStage(ModuleOp module) {
  const Phase &imported = phaseTable().front();
  Operation *op = findViolation(imported, module);
  if (!op)
    return success();
  InFlightDiagnostic error = op->emitError("expected a module at stage ")
                             << imported.name << ", where there are "
                             << imported.rule << "; got '" << op->getName()
                             << "'";
  // Search from the last phase: a module of a late phase obeys earlier rules
  // too.
  for (const Phase &phase : llvm::reverse(phaseTable()))
    if (!findViolation(phase, module))
      return error << " of stage " << phase.name
                   << ", which passes cannot go through again: compile the "
                      "model, or a text of stage "
                   << imported.name;
  return error;
}

LogicalResult checkPlace(Operation *op) {
  if (isa_and_nonnull<ModuleOp>(op->getParentOp()) !=
      isa<func::FuncOp, WeightOp, StateOp, ContextExtentOp>(op))
    return op->emitError("expected a module of functions, weights and states, "
                         "which hold all other ops; got '")
           << op->getName() << "' in '" << op->getParentOp()->getName() << "'";
  return success();
}

bool isTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !tensor.getEncoding();
}

/// True for element types of tensors, which scalars may have too.
bool isElement(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    unsigned width = integer.getWidth();
    return (width == 1 && integer.isSignless()) || width == 8 || width == 16 ||
           width == 32 || width == 64;
  }
  return isa<IndexType, Float16Type, BFloat16Type, Float32Type, Float64Type>(
      type);
}

LogicalResult checkType(Location loc, Type type) {
  if (isElement(isTensor(type) ? cast<TensorType>(type).getElementType()
                               : type))
    return success();
  return emitError(loc) << "expected a tensor with a rank and of an element "
                           "type of ours (i1, i8 to i64, ui8 to ui64, f16, "
                           "bf16, f32, f64), or one such number; got "
                        << type;
}

LogicalResult checkFunction(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitError("expected a function of one block, got ")
           << function.getBody().getBlocks().size();
  if (function.isPrivate())
    return success();
  for (ArrayRef<Type> types :
       {function.getArgumentTypes(), function.getResultTypes()})
    for (Type type : types)
      if (!isTensor(type))
        return function.emitError("expected tensors as inputs and outputs of "
                                  "public functions, got ")
               << type;
  return success();
}

/// Refuses attributes and offsets that later phases choose.
LogicalResult checkAnnotations(Operation *op) {
  for (NamedAttribute attr : op->getDiscardableAttrs())
    if (isa_and_nonnull<TenonDialect>(attr.getNameDialect()) &&
        !annotation::isOfImported(attr.getName()))
      return op->emitError("expected attributes of stage imported, got '")
             << attr.getName().getValue() << "'";
  if (auto weight = dyn_cast<WeightOp>(op); weight && weight.getOffset())
    return op->emitError("expected a weight without an offset, which is for "
                         "stage placed to give");
  if (auto state = dyn_cast<StateOp>(op);
      state && (state.getOffset() || state.getNumber()))
    return op->emitError("expected a state without an offset and a number, "
                         "which are for stage placed to give");
  if (auto extent = dyn_cast<ContextExtentOp>(op); extent && extent.getNumber())
    return op->emitError("expected a context extent without a number, which is "
                         "for stage placed to give");
  return success();
}

} // namespace

LogicalResult checkImported(ModuleOp module) {
  if (failed(checkStage(module)))
    return failure();
  WalkResult result = module.walk([&](Operation *op) -> WalkResult {
    if (failed(checkAnnotations(op)))
      return WalkResult::interrupt();
    if (op == module)
      return WalkResult::advance();
    if (failed(checkPlace(op)))
      return WalkResult::interrupt();
    for (Value value : op->getResults())
      if (failed(checkType(op->getLoc(), value.getType())))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        if (failed(checkType(argument.getLoc(), argument.getType())))
          return WalkResult::interrupt();
    if (auto function = dyn_cast<func::FuncOp>(op))
      if (failed(checkFunction(function)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

} // namespace tenon
