// Lengths and offsets come from memory, so they are bounded before use: no
// length reaches past the keys, and no sum overflows.
#include "passes/kernel/attention/EntryKeys.h"

#include "passes/kernel/element/ElementEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tenon {

Value EntryKeys::elementOf(Value entries, Value entry) {
  Value element = ElementEmitter(kernel, 1).emit(entries, {{entry, 0}});
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), element);
}

Value EntryKeys::count(ArrayRef<Value> place) {
  Value lengths = op.getLengths();
  if (!lengths)
    return keys;
  return at().max(at().min(elementOf(lengths, place.front()), keys),
                  at().constant(0));
}

TaskKeys EntryKeys::of(ArrayRef<Value> place) {
  TaskKeys task{count(place), {}};
  Value causal = op.getCausal();
  if (!causal)
    return task;
  if (isa<IndexType>(causal.getType())) {
    task.causal = kernel.arguments.lookup(causal);
  } else {
    // Any offset beyond these bounds hides or shows all keys.
    Value least = at().sub(at().constant(0), rows);
    task.causal =
        at().max(at().min(elementOf(causal, place.front()), keys), least);
  }
  return task;
}

} // namespace tenon
