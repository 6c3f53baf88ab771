// Chooses the sizes of depthwise tiles. A tile needs a register for the sums of
// each column, one for each weight that several of its columns share, and one
// for the input.
#include "passes/cpu/depthwise/DepthwiseTile.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace tenon {
using llvm::divideCeilSigned;

/// The most and the fewest columns of a tile; each column is a chain. Five
/// chains keep the FMA units busy, and more than eight columns save few further
/// loads.
constexpr int64_t maxColumns = 8, fewestColumns = 5;
/// The assumed columns of the result if their number is dynamic.
constexpr int64_t typicalColumns = 64;
/// The fewest products of a task; they take a few microseconds.
constexpr int64_t leastWork = 1 << 17;
/// The most runs of tiles that get code of their own.
constexpr size_t maxRuns = 9;

/// The most registers of inputs from which a vector of channels is shuffled.
constexpr int64_t maxInputs = 4;

std::optional<int64_t> knownExtent(int64_t extent) {
  return mlir::ShapedType::isDynamic(extent) ? std::nullopt
                                             : std::optional(extent);
}

bool areNarrowGroups(int64_t features, int64_t outputs, int64_t lanes) {
  if (features == 1)
    return outputs <= lanes;
  return outputs <= lanes / 2 &&
         lanes / outputs * features <= maxInputs * lanes;
}

bool ColumnWindow::fits(int64_t column, int64_t tap) const {
  int64_t place = column * stride - low + tap * dilation;
  return place >= 0 && place < *input;
}

static int64_t columnsOf(const ColumnWindow &window, MachineAttr machine) {
  int64_t most = maxColumns;
  auto needed = [&] {
    return most + std::min(window.taps, (most - 1) * window.stride + 1) + 2;
  };
  while (most > 4 && needed() > machine.getRegisters())
    --most;
  if (!window.result || *window.result <= most)
    return window.result ? std::max<int64_t>(1, *window.result) : most;
  for (int64_t columns = most; columns >= std::min(most, fewestColumns);
       --columns)
    if (*window.result % columns == 0)
      return columns;
  return most;
}

std::vector<ColumnRun> columnRuns(const ColumnWindow &window, int64_t columns) {
  std::vector<ColumnRun> runs;
  if (!window.input || !window.result)
    return runs;
  for (int64_t first = 0; first < *window.result; first += columns) {
    int64_t here = std::min(columns, *window.result - first);
    bool inner =
        window.fits(first, 0) && window.fits(first + here - 1, window.taps - 1);
    if (inner && !runs.empty() && runs.back().inner &&
        runs.back().columns == here)
      ++runs.back().tiles;
    else
      runs.push_back({first, here, 1, inner});
    if (runs.size() > maxRuns)
      return {};
  }
  return runs;
}

DepthwisePlanAttr planDepthwise(const ColumnWindow &window, int64_t taps,
                                int64_t features, int64_t channels,
                                int64_t step, MachineAttr machine) {
  int64_t columns = columnsOf(window, machine),
          span = (columns - 1) * window.stride +
                 (window.taps - 1) * window.dilation + 1,
          rowsOfWindow = taps / std::max<int64_t>(1, window.taps);
  // The next row of a tile reads most of the input again, so the input may take
  // three quarters of L1, in f32.
  int64_t windowElements = machine.l1Bytes() * 3 / 4 / 4,
          most = std::max(step, windowElements / (span * rowsOfWindow)),
          pieces = divideCeilSigned(channels, most),
          taskChannels =
              divideCeilSigned(divideCeilSigned(channels, pieces), step) * step,
          work = window.result.value_or(typicalColumns) * taskChannels * taps *
                 features,
          rows = divideCeilSigned(leastWork, std::max<int64_t>(1, work));
  return DepthwisePlanAttr::get(machine.getContext(), columns, taskChannels,
                                rows);
}

} // namespace tenon
