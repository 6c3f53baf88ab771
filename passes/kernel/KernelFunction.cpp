// Maps the arguments of the function to the arguments of the region and to the
// outputs of the kernel.
#include "passes/kernel/KernelFunction.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"

using namespace mlir;

namespace tenon {

FunctionType kernelType(FusionOp fusion) {
  Builder b(fusion.getContext());
  SmallVector<Type> types = {LLVM::LLVMPointerType::get(b.getContext())};
  for (Value operand : fusion.getOperands())
    types.push_back(isa<MemRefType>(operand.getType())
                        ? Type(kernelMemRef(operand.getType()))
                        : operand.getType());
  types.append(2, b.getIndexType());
  return b.getFunctionType(types, {});
}

Kernel startKernel(FusionOp fusion, func::FuncOp func) {
  Block *entry = func.addEntryBlock();
  Kernel kernel{.fusion = fusion,
                .func = func,
                .builder = OpBuilder::atBlockEnd(entry),
                .call = entry->getArgument(0),
                .begin = entry->getArguments().drop_back().back(),
                .end = entry->getArguments().back(),
                .machine = MachineAttr::of(fusion)};
  auto arguments = entry->getArguments().drop_front();
  for (BlockArgument inner : fusion.getBlock().getArguments())
    kernel.arguments[inner] = arguments[inner.getArgNumber()];
  for (size_t i = 0; i < fusion.getOutputs().size(); ++i)
    kernel.outputs.push_back(arguments[fusion.getInputs().size() + i]);
  return kernel;
}

} // namespace tenon
