// How a depthwise convolution is cut: columns whose sums stay in registers,
// channels that go together, rows of one task. Pure arithmetic on static facts:
// neither the number of threads nor a dynamic extent has a say.
#ifndef TENON_PASSES_CPU_DEPTHWISE_DEPTHWISETILE_H
#define TENON_PASSES_CPU_DEPTHWISE_DEPTHWISETILE_H

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

/// `tiles` tiles of `columns` columns each from `first` on. If `inner`, all
/// taps of all of them lie inside the input.
struct ColumnRun {
  int64_t first, columns, tiles;
  bool inner;
};

struct DepthwiseTile {
  int64_t columns;  ///< of one tile
  int64_t channels; ///< that one task computes
  int64_t rows;     ///< that one task computes
  /// The tiles from left to right; empty where their places show in the run
  /// only, or are too many to be written out.
  std::vector<ColumnRun> runs;
};

/// `taps`: of all dimensions. `features`: of a group. `step`: channels of one
/// vector.
DepthwiseTile chooseDepthwiseTile(const ColumnWindow &window, int64_t taps,
                                  int64_t features, int64_t channels,
                                  int64_t step, int64_t vectorBytes);

} // namespace tenon

#endif // TENON_PASSES_CPU_DEPTHWISE_DEPTHWISETILE_H
