// Each thread writes its value to shared memory and combines those before it.
#include "passes/gpu/BlockPrefix.h"

#include "passes/gpu/BlockTile.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tenon {

BlockPrefix::Part BlockPrefix::partOf(Value count) {
  Value each = at().ceilDiv(count, blockThreads);
  Value low = at().min(at().mul(thread, each), count);
  return {low, at().min(at().add(low, each), count)};
}

Value BlockPrefix::before(Value own, Value identity,
                          llvm::function_ref<Value(Value, Value)> combine) {
  Value memory = shared("parts", blockThreads, own.getType());
  memref::StoreOp::create(b, loc, own, memory, thread);
  barrier();
  return carry(at().constant(0), thread, 1, identity,
               [&](Value i, const Values &former) -> Values {
                 Value next = memref::LoadOp::create(b, loc, memory, i);
                 return {combine(former[0], next)};
               })
      .front();
}

} // namespace tenon
