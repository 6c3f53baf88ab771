// A use inside a loop that does not contain the buffer's allocation needs the
// buffer during the whole loop, because another iteration follows.
#include "passes/buffer/BufferLifetimes.h"

#include "dialects/tenon/TenonDialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon {

BufferLifetimes::BufferLifetimes(func::FuncOp func) : views(func) {
  number(func.getBody().front());
}

void BufferLifetimes::number(Block &block) {
  for (Operation &op : block) {
    int64_t first = numSteps++;
    // A kernel is one step.
    if (!isa<FusionOp>(op))
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          number(inner);
    steps[&op] = {first, numSteps - 1};
  }
}

/// True if the regions of `op` may run several times.
static bool mayRepeat(Operation *op) { return !isa<scf::IfOp>(op); }

StepRange BufferLifetimes::needed(Operation *buffer, Operation *user) const {
  StepRange range = steps.lookup(user);
  auto cover = [&](Operation *from, Operation *until) {
    for (; from != until; from = from->getParentOp())
      if (mayRepeat(from->getParentOp())) {
        StepRange loop = steps.lookup(from->getParentOp());
        range = {std::min(range.first, loop.first),
                 std::max(range.last, loop.last)};
      }
  };
  // The ops of the smallest block that contains both.
  Operation *outer = buffer, *here = nullptr;
  while (!(here = outer->getBlock()->findAncestorOpInBlock(*user)))
    outer = outer->getParentOp();
  cover(user, here);
  cover(buffer, outer);
  return range;
}

StepRange BufferLifetimes::of(memref::AllocOp buffer) const {
  StepRange life = steps.lookup(buffer);
  for (Value alias : views.resolve(buffer))
    for (Operation *user : alias.getUsers()) {
      StepRange range = needed(buffer, user);
      life = {std::min(life.first, range.first),
              std::max(life.last, range.last)};
    }
  return life;
}

} // namespace tenon
