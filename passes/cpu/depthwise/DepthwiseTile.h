// How a depthwise convolution is cut: columns whose sums stay in registers,
// channels that go together, rows of one task. Pure arithmetic on static facts:
// neither the number of threads nor a dynamic extent has a say.
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
  std::optional<int64_t> input, result; ///< extents, where known

  /// Whether the tap of the window at a result column lies inside the input.
  bool fits(int64_t column, int64_t tap) const;
};

/// The extent, or nothing if it is dynamic.
std::optional<int64_t> knownExtent(int64_t extent);

/// Whether groups of so many features and outputs are better served by lanes
/// along several groups: elsewhere a register tile has enough lanes at work.
bool areNarrowGroups(int64_t features, int64_t outputs, int64_t lanes);

/// `tiles` tiles of `columns` columns each from `first` on. If `inner`, all
/// taps of all of them lie inside the input.
struct ColumnRun {
  int64_t first, columns, tiles;
  bool inner;
};

/// The tiles from left to right, of `columns` columns each; empty where their
/// places show in the run only, or are too many to be written out.
std::vector<ColumnRun> columnRuns(const ColumnWindow &window, int64_t columns);

/// `taps`: of all dimensions. `features`: of a group. `step`: channels of one
/// vector.
DepthwisePlanAttr planDepthwise(const ColumnWindow &window, int64_t taps,
                                int64_t features, int64_t channels,
                                int64_t step, MachineAttr machine);

} // namespace tenon

#endif // TENON_PASSES_CPU_DEPTHWISE_DEPTHWISETILE_H
