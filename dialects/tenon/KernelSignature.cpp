// Launches on the CPU and on a device check their kernels alike.
#include "dialects/tenon/KernelSignature.h"

#include "dialects/tenon/ShapeRules.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace tenon {

/// True if a kernel's argument can be given `operand`: a memref may differ in
/// which extents are static, and in elements of the same bytes.
static bool isPassedAs(Type operand, Type argument) {
  auto a = dyn_cast<MemRefType>(operand), b = dyn_cast<MemRefType>(argument);
  auto bytes = [](MemRefType type) {
    return llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  };
  return a && b ? compatible(a.getShape(), b.getShape()) && bytes(a) == bytes(b)
                : operand == argument;
}

LogicalResult verifyLaunched(Operation *launch, FlatSymbolRefAttr name,
                             Operation *op, TypeRange operands) {
  // launch C1
  auto kernel = dyn_cast_if_present<FunctionOpInterface>(op);
  if (!kernel || kernel.getNumResults() != 0)
    return launch->emitOpError("expected a function without results named ")
           << name << " (C1)";
  // launch C2
  ArrayRef<Type> types = kernel.getArgumentTypes();
  if (types.size() < 3 || !isa<LLVM::LLVMPointerType>(types.front()) ||
      !llvm::equal(operands, types.drop_front().drop_back(2), isPassedAs) ||
      !types[types.size() - 2].isIndex() || !types.back().isIndex()) {
    InFlightDiagnostic error =
        launch->emitOpError("expected a kernel of a pointer, the operands and "
                            "two index (C2), got one of ")
        << types;
    error.attachNote(kernel.getLoc()) << "the kernel is here";
    return error;
  }
  return success();
}

} // namespace tenon
