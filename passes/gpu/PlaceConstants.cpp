// Constants that buffers of the graph name are in host memory. They get places
// at the start of the arena, so that kernels read them like all other values,
// and are copied there once a run.
#include "passes/gpu/Passes.h"

#include "dialects/tenon/Annotations.h"
#include "dialects/tenon/Device.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_PLACECONSTANTS
#include "passes/gpu/Passes.h.inc"

namespace {
/// The alignment of a place in the arena, in bytes.
constexpr int64_t placeAlignment = 64;

/// The argument of a placed function that is its arena.
Value arenaOf(func::FuncOp func) {
  for (Value argument : func.getArguments())
    if (memoryRootOf(argument) == MemoryRoot::Arena)
      return argument;
  return {};
}

struct PlaceConstants : impl::PlaceConstantsBase<PlaceConstants> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (annotation::numInputs.isOn(func) && failed(place(func)))
        return signalPassFailure();
  }

  LogicalResult place(func::FuncOp func) {
    llvm::MapVector<StringRef, SmallVector<memref::GetGlobalOp>> uses;
    func.walk(
        [&](memref::GetGlobalOp use) { uses[use.getName()].push_back(use); });
    if (uses.empty())
      return success();
    Value arena = arenaOf(func);
    SmallVector<OpOperand *> others;
    for (OpOperand &use : arena.getUses())
      others.push_back(&use);
    OpBuilder b = OpBuilder::atBlockBegin(&func.getBody().front());
    Location loc = func.getLoc();
    int64_t bytes = 0;
    for (auto &[name, gets] : uses) {
      MemRefType type = gets.front().getType();
      Value offset = arith::ConstantIndexOp::create(b, loc, bytes);
      Value place =
          memref::ViewOp::create(b, loc, type, arena, offset, ValueRange());
      Value constant = memref::GetGlobalOp::create(b, loc, type, name);
      memref::CopyOp::create(b, loc, constant, place);
      for (memref::GetGlobalOp get : gets)
        get.replaceAllUsesWith(place);
      bytes += llvm::alignTo(
          std::max<int64_t>(
              1, type.getNumElements() *
                     llvm::divideCeil(type.getElementTypeBitWidth(), 8)),
          placeAlignment);
    }
    moveOthers(b, loc, arena, others, bytes);
    // Not before: the builder may stand at one of them.
    for (auto &[name, gets] : uses)
      for (memref::GetGlobalOp get : gets)
        get.erase();
    return growPlan(func, bytes);
  }

  /// Lets all other buffers of the arena begin after the constants.
  static void moveOthers(OpBuilder &b, Location loc, Value arena,
                         ArrayRef<OpOperand *> others, int64_t bytes) {
    Value first = arith::ConstantIndexOp::create(b, loc, bytes);
    Value unlimited = arith::ConstantIndexOp::create(b, loc, INT64_MAX);
    Value rest = memref::ViewOp::create(
        b, loc, cast<MemRefType>(arena.getType()), arena, first, unlimited);
    for (OpOperand *use : others)
      use->set(rest);
  }

  LogicalResult growPlan(func::FuncOp func, int64_t bytes) {
    auto plan = getOperation().lookupSymbol<func::FuncOp>(
        (func.getName() + ".plan").str());
    if (!plan)
      return func.emitError("expected a plan of the function");
    plan.walk([&](func::ReturnOp result) {
      OpBuilder b(result);
      Value more = arith::ConstantIndexOp::create(b, result.getLoc(), bytes);
      result.setOperand(0, arith::AddIOp::create(b, result.getLoc(),
                                                 result.getOperand(0), more));
    });
    if (CountAttr known = annotation::arenaBytes.of(func))
      annotation::arenaBytes.setCount(func, known.getInt() + bytes);
    return success();
  }
};
} // namespace
} // namespace tenon
