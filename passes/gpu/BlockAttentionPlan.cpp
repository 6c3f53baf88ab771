// Chooses the rows of a block of threads. More rows read the keys less often,
// but a thread's sums must stay in registers.
#include "passes/gpu/AttentionMemory.h"
#include "passes/gpu/BlockAttention.h"

#include "dialects/tenon/NumericsContract.h"

using namespace mlir;

namespace tenon {

/// Groups of sixteen threads in a block.
constexpr int64_t groups = 8;

BlockAttentionPlanAttr planBlockAttention(MLIRContext *context,
                                          std::optional<int64_t> rows,
                                          int64_t depth) {
  // Deep rows have more sums, which are in registers.
  int64_t threadRows = depth <= 64 ? 8 : depth <= 128 ? 4 : 2;
  while (rows && threadRows > 1 && groups * threadRows / 2 >= *rows)
    threadRows /= 2;
  return BlockAttentionPlanAttr::get(context, groups * threadRows, threadRows);
}

BlockAttentionPlanAttr planBlockAttention(Kernel &kernel) {
  std::optional<AttentionViews> views = AttentionViews::of(kernel);
  if (kernel.outputs.size() != 1 || !views)
    return {};
  int64_t depth = std::max(views->depth(), views->valueDepth());
  if (std::min(views->depth(), views->valueDepth()) < 1 ||
      depth > attentionDepth)
    return {};
  std::optional<int64_t> rows =
      getConstantIntValue(views->query.extents[views->batch()]);
  if (rows)
    *rows *= views->group();
  return planBlockAttention(kernel.fusion.getContext(), rows, depth);
}

int64_t attentionThreads(BlockAttentionPlanAttr plan) {
  return plan.getRows() / plan.getThreadRows() * attentionLanes;
}

} // namespace tenon
