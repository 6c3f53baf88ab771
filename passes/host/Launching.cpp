// Functions may be converted already when a launch in them is.
#include "passes/host/Launching.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tenon {

Value callOf(Operation *op) {
  Operation *function = op->getParentOfType<FunctionOpInterface>();
  Block &entry = function->getRegion(0).front();
  if (entry.getNumArguments() == 0)
    return {};
  Value call = entry.getArgument(0);
  return isa<LLVM::LLVMPointerType>(call.getType()) ? call : Value();
}

/// True if the function around `op` is a plan.
static bool returnsValue(Operation *op) {
  if (auto function = op->getParentOfType<func::FuncOp>())
    return function.getNumResults() != 0;
  auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
  return !isa<LLVM::LLVMVoidType>(function.getFunctionType().getReturnType());
}

void returnWhere(Operation *op, ConversionPatternRewriter &rewriter,
                 Value stop) {
  Location loc = op->getLoc();
  Value zero = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32Type(),
                                        rewriter.getI32IntegerAttr(0));
  Value stops =
      LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::ne, stop, zero);
  Block *before = op->getBlock();
  Block *on = rewriter.splitBlock(before, Block::iterator(op));
  Block *out = rewriter.createBlock(on->getParent(), on->getParent()->end());
  SmallVector<Value> results;
  if (returnsValue(op))
    results.push_back(LLVM::ConstantOp::create(
        rewriter, loc, rewriter.getI64Type(), rewriter.getI64IntegerAttr(0)));
  LLVM::ReturnOp::create(rewriter, loc, results);
  rewriter.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(rewriter, loc, stops, out, on);
  rewriter.setInsertionPoint(op);
}

Value allocateAtEntry(Operation *op, ConversionPatternRewriter &rewriter,
                      Type type) {
  OpBuilder::InsertionGuard guard(rewriter);
  Operation *function = op->getParentOfType<FunctionOpInterface>();
  rewriter.setInsertionPointToStart(&function->getRegion(0).front());
  Value one =
      LLVM::ConstantOp::create(rewriter, op->getLoc(), rewriter.getI64Type(),
                               rewriter.getI64IntegerAttr(1));
  return LLVM::AllocaOp::create(
      rewriter, op->getLoc(), LLVM::LLVMPointerType::get(rewriter.getContext()),
      type, one, 8);
}

} // namespace tenon
