// The call has one table of extents and one of offsets, both made with the
// context.
#include "passes/host/ContextReads.h"

#include "dialects/tenon/State.h"
#include "runtime/tenon_abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include <cstddef>

using namespace mlir;

namespace tenon {

/// Replaces `op` by entry `number` of the table at byte `table` of the call.
static void replaceByEntry(Operation *op, size_t table, int64_t number) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  Value call = op->getParentOfType<func::FuncOp>().getArgument(0);
  auto load = [&](Value base, int64_t at, Type type) -> Value {
    Value address =
        LLVM::GEPOp::create(b, loc, call.getType(), b.getI8Type(), base,
                            ArrayRef<LLVM::GEPArg>{int32_t(at)});
    return LLVM::LoadOp::create(b, loc, type, address);
  };
  Value entry = load(load(call, table, call.getType()),
                     number * int64_t(sizeof(int64_t)), b.getI64Type());
  op->getResult(0).replaceAllUsesWith(
      arith::IndexCastOp::create(b, loc, b.getIndexType(), entry));
  op->erase();
}

void readContext(ModuleOp module) {
  SymbolTable symbols(module);
  module.walk([&](Operation *op) {
    if (auto read = dyn_cast<GetExtentOp>(op)) {
      auto extent = symbols.lookup<ContextExtentOp>(read.getExtent());
      replaceByEntry(op, offsetof(tenon_call, extents), *extent.getNumber());
    } else if (auto read = dyn_cast<StateOffsetOp>(op)) {
      auto state = symbols.lookup<StateOp>(read.getState());
      replaceByEntry(op, offsetof(tenon_call, state_offsets),
                     *state.getNumber());
    }
  });
}

} // namespace tenon
