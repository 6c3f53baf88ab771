// Calls from kernels into the C core that is linked into each model.
#include "passes/cpu/CoreCalls.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
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

Value callCore(Kernel &kernel, StringRef name, ValueRange arguments,
               Type result) {
  OpBuilder &b = kernel.builder;
  auto module = kernel.func->getParentOfType<ModuleOp>();
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    Type returned = result ? result : LLVM::LLVMVoidType::get(b.getContext());
    function = LLVM::LLVMFuncOp::create(
        b, module.getLoc(), name,
        LLVM::LLVMFunctionType::get(returned,
                                    SmallVector<Type>(arguments.getTypes())));
  }
  auto call = LLVM::CallOp::create(b, kernel.loc(), function, arguments);
  return result ? call.getResult() : Value();
}

} // namespace tenon
