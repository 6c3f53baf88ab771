// Chooses the sizes of attention tasks. A task packs all keys and values that
// it reads. It has all rows of a head if their scores and sums stay in L2, so
// that few tasks pack the same keys.
#include "passes/cpu/attention/AttentionPlan.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace tenon {
using llvm::divideCeilSigned;

/// Bytes of the stack that a task leaves free for spilled registers.
constexpr int64_t spareStack = 16 << 10;
/// With fewer tasks it pays to split a head, although each part packs the keys.
constexpr int64_t fewestTasks = 8;
constexpr int64_t maxTileRows = 6;
/// `overlappedRows`: the rows of a tile whose sums leave registers for an
/// exponential of the next tile. `tallTask`: the fewest rows of a task for
/// which this overlap pays.
constexpr int64_t overlappedRows = 4, tallTask = 16;
/// The greatest depth with tiles.
constexpr int64_t deepestTiles = 256;
/// Rows of scratch memory beyond a task's rows, see scratchRows.
constexpr int64_t spareRows = 3 * maxTileRows;

static int64_t wholeTiles(int64_t rows, int64_t tile) {
  return divideCeilSigned(rows, tile) * tile;
}

/// Bytes of the bf16 parts of `count` elements.
static int64_t bytesOfParts(int64_t count) { return count * 3 * 2; }

/// True if AMX tiles multiply many rows: the depth fills most of its steps, and
/// the stack has room for a block beside the rows.
static bool usesTiles(const AttentionFacts &facts, MachineAttr machine) {
  return machine.getTiles() != 0 && facts.tameQueries && !facts.causal &&
         std::max(facts.depth, facts.valueDepth) <= deepestTiles &&
         facts.rows.value_or(INT64_MAX) > amxFewSplitRows &&
         facts.depth * 4 >= int64_t(llvm::alignTo(facts.depth, amxStep)) * 3;
}

/// Rows of one task, before they are rounded to whole tiles.
static int64_t rowsOfTask(const AttentionFacts &facts, int64_t valueWidth,
                          MachineAttr machine, bool tiles) {
  int64_t packed = 4 * attentionBlock * (facts.depth + valueWidth),
          row = 4 * (attentionBlock + valueWidth + attentionLanes + 4),
          stack = machine.getStack();
  if (tiles) {
    int64_t depth = llvm::alignTo(facts.depth, amxStep);
    row += bytesOfParts(depth);
    packed += bytesOfParts(attentionBlock * depth);
    stack = machine.getTileStack();
  }
  // Processors with AMX have the largest L2.
  int64_t bytes = std::min(tiles ? machine.l2Bytes() : machine.l2Bytes() / 4,
                           stack - spareStack - packed - facts.copied),
          most = std::max(attentionTaskRows, bytes / row - spareRows),
          rows = std::max<int64_t>(1, facts.rows.value_or(most)),
          heads = std::max<int64_t>(1, facts.heads),
          parts = divideCeilSigned(rows, most);
  while (heads * parts < fewestTasks && rows >= 2 * parts * attentionTaskRows)
    parts *= 2;
  return divideCeilSigned(rows, parts);
}

AttentionPlanAttr planAttention(const AttentionFacts &facts,
                                MachineAttr machine) {
  bool tiles = usesTiles(facts, machine);
  int64_t lanes = machine.lanes(4),
          valueWidth = wholeTiles(facts.valueDepth, lanes),
          part = rowsOfTask(facts, valueWidth, machine, tiles);
  bool tall = machine.getRegisters() >= 32 && part >= tallTask;
  int64_t scoreRows =
      divideCeilSigned(part, divideCeilSigned(part, maxTileRows));
  if (tall)
    for (int64_t fewer : {5, 4})
      if (wholeTiles(part, fewer) < wholeTiles(part, scoreRows))
        scoreRows = fewer;
  int64_t valueRows = tall ? overlappedRows : scoreRows;
  // A tile has scores for the keys that any of its rows sees, so the tiles of
  // both steps must have the same rows.
  if (facts.causal || tiles)
    scoreRows = valueRows;
  int64_t taskRows = wholeTiles(part, valueRows);
  // One tile reads keys and values once; packing would read them twice.
  bool keysInPlace = facts.rows && taskRows == scoreRows &&
                     taskRows == valueRows && facts.depth % lanes == 0 &&
                     facts.wholeKeys,
       valuesInPlace = facts.rows && taskRows == valueRows &&
                       facts.valueDepth == valueWidth && facts.wholeValues;
  return AttentionPlanAttr::get(machine.getContext(), taskRows, scoreRows,
                                valueRows, machine.accumulators(),
                                tall && !facts.causal, keysInPlace,
                                valuesInPlace, tiles);
}

AttentionSizes::AttentionSizes(AttentionPlanAttr plan, MachineAttr machine,
                               int64_t depth, int64_t valueDepth)
    : lanes(machine.lanes(4)), depth(depth), valueDepth(valueDepth),
      valueWidth(wholeTiles(valueDepth, lanes)), accumulators(plan.getSums()),
      taskRows(plan.getTaskRows()), scoreRows(plan.getScoreRows()),
      valueRows(plan.getValueRows()), overlapped(plan.getOverlapped()),
      tiles(plan.getTiles()) {}

} // namespace tenon
