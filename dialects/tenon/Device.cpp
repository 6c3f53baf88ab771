// Ops of host code that works with a device: their verification.
#include "dialects/tenon/Device.h"

#include "dialects/tenon/Annotations.h"
#include "dialects/tenon/KernelSignature.h"
#include "dialects/tenon/ShapeRules.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/tenon/Device.cpp.inc"

namespace tenon {

MemoryRoot memoryRootOf(Value value, int64_t *number) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || !argument.getOwner()->isEntryBlock())
    return MemoryRoot::Other;
  Operation *func = argument.getOwner()->getParentOp();
  if (!isa<FunctionOpInterface>(func) || !annotation::numInputs.isOn(func) ||
      !annotation::numOutputs.isOn(func))
    return MemoryRoot::Other;
  int64_t inputs = annotation::numInputs.of(func).getInt();
  int64_t outputs = annotation::numOutputs.of(func).getInt();
  int64_t place = int64_t(argument.getArgNumber()) - 1; // the call is first
  if (place < 0)
    return MemoryRoot::Other;
  if (number)
    *number = place < inputs ? place : place - inputs;
  if (place < inputs)
    return MemoryRoot::Input;
  place -= inputs;
  if (place < outputs)
    return MemoryRoot::Output;
  switch (place - outputs) {
  case 0:
    return MemoryRoot::Arena;
  case 1:
    return MemoryRoot::Weights;
  case 2:
    return MemoryRoot::State;
  default:
    return MemoryRoot::Other;
  }
}

LogicalResult HostMemoryOp::verify() {
  // host_memory C1
  MemoryRoot root = memoryRootOf(getMemory());
  if (root != MemoryRoot::Input && root != MemoryRoot::Arena &&
      root != MemoryRoot::Weights)
    return emitOpError("expected an input, the arena or the weights of a "
                       "placed function (C1)");
  return success();
}

LogicalResult TransferOp::verify() {
  // transfer C1
  auto source = cast<MemRefType>(getSource().getType()),
       target = cast<MemRefType>(getTarget().getType());
  if (source.getElementType() != target.getElementType() ||
      !compatible(source.getShape(), target.getShape()))
    return emitOpError("expected buffers of one shape and element type (C1), "
                       "got ")
           << source << " and " << target;
  // transfer C2
  if (getFromHost() && getToHost())
    return emitOpError("expected a buffer in device memory (C2), got two in "
                       "host memory");
  return success();
}

/// Checks the indices and the element of an access.
static LogicalResult verifyAccess(Operation *op, MemRefType memory,
                                  size_t indices, Type element) {
  if (int64_t(indices) != memory.getRank() ||
      element != memory.getElementType())
    return op->emitOpError("expected ")
           << memory.getRank() << " indices and an element of "
           << memory.getElementType() << " (C1), got " << indices << " and "
           << element;
  return success();
}

LogicalResult DeviceLoadOp::verify() {
  // device_load C1
  return verifyAccess(*this, cast<MemRefType>(getMemory().getType()),
                      getIndices().size(), getResult().getType());
}

LogicalResult DeviceStoreOp::verify() {
  // device_store C1
  return verifyAccess(*this, cast<MemRefType>(getMemory().getType()),
                      getIndices().size(), getValue().getType());
}

LogicalResult DeviceLaunchOp::verify() {
  // device_launch C3
  int64_t threads = getThreads(), tasks = getBlockTasks();
  if (threads < 32 || threads > 1024 || threads % 32 != 0 ||
      (tasks != 1 && tasks != threads))
    return emitOpError("expected threads in whole warps up to 1024, and one "
                       "task a block or a thread (C3), got ")
           << threads << " threads and " << tasks << " tasks";
  return success();
}

LogicalResult DeviceLaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // device_launch C1, C2
  auto path = SymbolRefAttr::get(getContext(), deviceModule, {getKernelAttr()});
  Operation *kernel = symbols.lookupNearestSymbolFrom(getOperation(), path);
  if (failed(verifyLaunched(*this, getKernelAttr(), kernel,
                            getOperands_().getTypes())))
    return failure();
  // The entry gets the dynamic extents, so both must have the same.
  ArrayRef<Type> arguments =
      cast<FunctionOpInterface>(kernel).getArgumentTypes();
  for (auto [operand, argument] :
       llvm::zip(getOperands_().getTypes(), arguments.drop_front()))
    if (auto memref = dyn_cast<MemRefType>(operand))
      if (memref.getShape() != cast<MemRefType>(argument).getShape())
        return emitOpError("expected a kernel with static extents where the "
                           "operand's are (C2), got ")
               << argument << " for " << operand;
  return success();
}

} // namespace tenon
