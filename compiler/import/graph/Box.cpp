// Normalizes the bounds of boxes, which may be static or known only at run
// time.
#include "compiler/import/graph/Box.h"

using namespace mlir;
using Predicate = arith::CmpIPredicate;

namespace tenon {

Box clampBox(GraphBuilder &g, Size start, Size end, Size step, Size extent) {
  Size zero = g.index(0), one = g.index(1);
  // INT64_MIN stands for a dynamic number, so take -INT64_MAX instead: both
  // leave any extent after one step.
  if (GraphBuilder::staticSize(step) == INT64_MIN)
    step = g.index(-INT64_MAX);
  if (!GraphBuilder::staticSize(step))
    step = g.select(g.cmp(Predicate::eq, step, zero), one, step);
  Size forward = g.cmp(Predicate::sgt, step, zero);
  Size last = g.sub(extent, one);
  auto fromEnd = [&](Size bound) {
    if (GraphBuilder::isNonNegative(bound))
      return bound;
    return g.select(g.cmp(Predicate::slt, bound, zero), g.add(bound, extent),
                    bound);
  };
  start = fromEnd(start);
  end = fromEnd(end);
  start = g.max(g.min(start, g.select(forward, extent, last)), zero);
  end = g.min(g.max(end, g.select(forward, zero, g.index(-1))),
              g.select(forward, extent, last));
  Size count = g.max(g.ceilDiv(g.sub(end, start), step), zero);
  // With a negative step and an extent of 0, the clamped bounds would give one
  // element. So the count is at most the extent.
  if (GraphBuilder::staticSize(step).value_or(0) <= 0)
    count = g.min(count, extent);
  return {start, count, step};
}

} // namespace tenon
