// The kernel's range of tasks, cut to the numbers of each nest.
#include "passes/kernel/nest/NestTurns.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tenon {

NestTurns::NestTurns(Kernel &kernel, size_t numNests)
    : kernel(kernel), isAlone(numNests == 1) {
  zero = done = IndexBuilder{kernel.builder, kernel.loc()}.constant(0);
}

void NestTurns::add(const TaskCounter &count,
                    llvm::function_ref<void(Value, Value)> emit) {
  counters.push_back(count);
  if (isAlone)
    return emit(kernel.begin, kernel.end);
  OpBuilder &b = kernel.builder;
  IndexBuilder at{b, kernel.loc()};
  Value tasks =
      count(b, kernel.loc(),
            memref::getMixedSizes(b, kernel.loc(), kernel.outputs[0]));
  Value begin = at.min(at.max(at.sub(kernel.begin, done), zero), tasks);
  Value end = at.min(at.max(at.sub(kernel.end, done), zero), tasks);
  emit(begin, end);
  done = at.add(done, tasks);
}

TaskCounter NestTurns::counter() const {
  return [counters = counters](OpBuilder &b, Location loc,
                               ArrayRef<OpFoldResult> sizes) {
    Value sum = counters.front()(b, loc, sizes);
    for (const TaskCounter &counter : ArrayRef(counters).drop_front())
      sum = IndexBuilder{b, loc}.add(sum, counter(b, loc, sizes));
    return sum;
  };
}

} // namespace tenon
