// Calls of the C core, which is linked into each model.
#include "passes/kernel/CoreCalls.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tenon {

Value asInteger(Kernel &kernel, Value value) {
  return arith::IndexCastOp::create(kernel.builder, kernel.loc(),
                                    kernel.builder.getI64Type(), value);
}

Value addressOf(Kernel &kernel, Value memref, ArrayRef<Value> indices) {
  OpBuilder &b = kernel.builder;
  Location loc = kernel.loc();
  IndexBuilder at{b, loc};
  auto type = cast<MemRefType>(memref.getType());
  Value linear = at.constant(0);
  for (auto [d, index] : llvm::enumerate(indices)) {
    Value extent = type.isDynamicDim(d)
                       ? memref::DimOp::create(b, loc, memref, d).getResult()
                       : at.constant(type.getDimSize(d));
    linear = at.add(at.mul(linear, extent), index);
  }
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memref);
  Value address = at.add(
      base, at.mul(linear, at.constant(type.getElementTypeBitWidth() / 8)));
  return LLVM::IntToPtrOp::create(b, loc,
                                  LLVM::LLVMPointerType::get(b.getContext()),
                                  asInteger(kernel, address));
}

LLVM::LLVMFuncOp coreFunction(OpBuilder &builder, ModuleOp module,
                              StringRef name, ArrayRef<Type> types,
                              Type result) {
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  auto type = LLVM::LLVMFunctionType::get(
      result ? result : LLVM::LLVMVoidType::get(builder.getContext()), types);
  return LLVM::LLVMFuncOp::create(builder, module.getLoc(), name, type);
}

std::string coreRowFunction(StringRef what, Type element) {
  std::string name = "tenon_core_" + what.str() + "_";
  if (isa<FloatType>(element))
    return name + (isa<BFloat16Type>(element)
                       ? "bf16"
                       : "f" + std::to_string(element.getIntOrFloatBitWidth()));
  return name + (element.isUnsignedInteger() ? "u" : "i") +
         std::to_string(element.getIntOrFloatBitWidth());
}

Value callCore(Kernel &kernel, StringRef name, ValueRange arguments,
               Type result) {
  LLVM::LLVMFuncOp function =
      coreFunction(kernel.builder, kernel.func->getParentOfType<ModuleOp>(),
                   name, SmallVector<Type>(arguments.getTypes()), result);
  auto call =
      LLVM::CallOp::create(kernel.builder, kernel.loc(), function, arguments);
  return result ? call.getResult() : Value();
}

} // namespace tenon
