// Chooses the tiles and tasks of a depthwise convolution: columns whose sums
// stay in registers, channels and rows of a task. The choice depends only on
// static facts, not on the number of threads or on dynamic extents.
#ifndef TENON_PASSES_CPU_DEPTHWISE_DEPTHWISETILE_H
#define TENON_PASSES_CPU_DEPTHWISE_DEPTHWISETILE_H

#include "dialects/tenon/KernelPlan.h"
#include "dialects/tenon/Machine.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tenon {

/// The innermost spatial dimension: `taps` steps of `dilation` in a window that
/// moves by `stride` and starts `low` before the input.
struct ColumnWindow {
  int64_t taps, stride, dilation, low;
  std::optional<int64_t> input, result; ///< extents, if static

  /// True if tap `tap` of the window at result column `column` is inside the
  /// input.
  bool fits(int64_t column, int64_t tap) const;
};

/// The extent; nullopt if it is dynamic.
std::optional<int64_t> knownExtent(int64_t extent);

/// True if groups with `features` inputs and `outputs` outputs are faster with
/// lanes along several groups. Otherwise a register tile uses enough lanes.
bool areNarrowGroups(int64_t features, int64_t outputs, int64_t lanes);

/// `tiles` tiles of `columns` columns each, from `first` on. If `inner`, all
/// their taps are inside the input.
struct ColumnRun {
  int64_t first, columns, tiles;
  bool inner;
};

/// The tiles from left to right, of `columns` columns each. Empty if their
/// places are known only at run time, or if there are too many runs.
std::vector<ColumnRun> columnRuns(const ColumnWindow &window, int64_t columns);

/// `taps`: taps of all dimensions. `features`: features of a group. `step`:
/// channels of one vector.
DepthwisePlanAttr planDepthwise(const ColumnWindow &window, int64_t taps,
                                int64_t features, int64_t channels,
                                int64_t step, MachineAttr machine);

} // namespace tenon

#endif // TENON_PASSES_CPU_DEPTHWISE_DEPTHWISETILE_H
