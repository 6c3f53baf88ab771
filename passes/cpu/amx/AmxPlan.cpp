// Chooses the sizes of AMX tasks. The split columns of two panels stay in L1
// and the split rows of a block in L2; both are on the stack.
#include "passes/cpu/amx/AmxPlan.h"

#include "passes/kernel/nest/ContractionNest.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tenon {

/// Bytes of the stack that a task leaves free: the code for fewer rows may need
/// memory of its own, and registers are spilled.
constexpr int64_t spareStack = 48 << 10;
/// The most rows that share a split panel, and the fewest columns of a task.
/// Split rows are shared by as many columns as have room for their sums,
/// because splitting an element takes as long as about eight f32 products. More
/// than `mostColumns` gain nothing.
constexpr int64_t maxRows = 224, fewestColumns = 64, mostColumns = 1536;
/// The fewest tasks. Each thread that gets a task splits its rows, so fewer
/// tasks split less, but would leave threads idle.
constexpr int64_t fewestTasks = 8;
/// From this sum on, a task of the fewest columns takes about a millisecond.
/// The runtime asks between such tasks if the run is cancelled, and calls each
/// alone, so that they share nothing.
constexpr int64_t deepSum = 4096;
/// The blocks of rows of an image whose size is open: 28 x 28 positions.
constexpr int64_t openImageBlocks = 4;
/// The order of f32 accuracy: six products of three parts, or all four of two
/// parts.
constexpr int64_t allProducts = 2;

/// Bytes of the split columns of a panel. There are two such buffers, which
/// fill the 48 KiB of L1 that processors with AMX have.
static int64_t columnBytes(MachineAttr machine) {
  return machine.l1Bytes() * 3 / 4;
}

/// The columns of a block whose sums and magnitudes fit the stack.
static int64_t roomFor(MachineAttr machine, int64_t rows) {
  int64_t columns = columnBytes(machine),
          rowBytes = columns / amxPanel + 2 * amxTile * 4,
          left = machine.getTileStack() - spareStack - 2 * columns -
                 rows * rowBytes;
  return std::min(left / (rows * 4 + 2 * 4) / amxPanel * amxPanel, mostColumns);
}

/// True if the machine has tiles for the nest's products.
static bool hasTiles(const NestFacts &facts, MachineAttr machine) {
  if (facts.quads)
    return machine.getByteTiles() && facts.lhsStep == 4;
  if (machine.getTiles() == 0 || !facts.sumIsF32)
    return false;
  return facts.pairs
             ? facts.lhsStep == 2
             : facts.lhsStep == 1 && facts.lhsParts != 0 && facts.rhsParts != 0;
}

/// True if the taps of a window fill most of their tiles: each tap starts a
/// step of its own.
static bool fillsSteps(const NestFacts &facts, int64_t step) {
  return facts.isChain ||
         (facts.depth && facts.sumsAreOneRun &&
          *facts.depth * 4 >= int64_t(llvm::alignTo(*facts.depth, step)) * 3);
}

/// The pairs of parts that are multiplied.
static int64_t countProducts(int64_t lhs, int64_t rhs, int64_t order) {
  int64_t count = 0;
  for (int64_t i = 0; i < lhs; ++i)
    for (int64_t j = 0; j < rhs; ++j)
      count += i + j <= order;
  return count;
}

/// True if split operands are multiplied much faster than by fused
/// multiply-adds. Compares the cycles of sixteen rows of many, as measured on
/// one thread of a Granite Rapids in November 2026; several threads gain less,
/// because each splits the rows again. The number of rows has no effect,
/// because the bits of a row must not depend on it.
static bool worthSplitting(const NestFacts &facts, int64_t products) {
  int64_t columns = *facts.size.columns,
          tiles = llvm::divideCeil(columns, amxTile),
          steps = *facts.size.sum / *facts.depth *
                  llvm::divideCeil(*facts.depth, amxStep),
          groups =
              facts.scaled ? llvm::divideCeil(*facts.size.sum, facts.block) : 0,
          plain = amxTile * columns * *facts.size.sum / 24,
          // The taps of a window share the cache lines of their rows.
      splitRows = facts.isChain ? 400 : 150,
          tiled = tiles * steps * (20 * products + 60) // multiply
                  + 20 * tiles * groups                // scale
                  + splitRows * steps + 250 * tiles;   // and finish the sums
  return tiled * 14 < plain * 10;
}

namespace {
/// Rows and columns of one task, and the tasks that share split rows.
struct TaskShape {
  TaskBlock block;
  int64_t sharingTasks;
};
} // namespace

/// Makes as few groups of tasks as the stack has room for. Each group has as
/// many tasks as threads need.
static TaskShape shapeTasks(const NestFacts &facts, MachineAttr machine,
                            int64_t rows) {
  auto panels = [](int64_t columns, int64_t parts) -> int64_t {
    return llvm::alignTo(llvm::divideCeil(columns, parts), amxPanel);
  };
  int64_t columns = *facts.size.columns,
          blocks = llvm::divideCeil(rows, maxRows);
  TaskShape shape;
  shape.block.rows = llvm::alignTo(llvm::divideCeil(rows, blocks), amxTile);
  int64_t room = roomFor(machine, shape.block.rows),
          groups = llvm::divideCeil(columns, room),
          lines = facts.size.outer.value_or(1) * blocks;
  // Few long tasks split less than many that each split their rows.
  if (facts.size.isOpenImage && *facts.size.sum >= deepSum)
    lines *= openImageBlocks;
  shape.sharingTasks = llvm::divideCeil(fewestTasks, lines * groups);
  int64_t shared = panels(columns, groups);
  shape.block.columns = std::max<int64_t>(panels(shared, shape.sharingTasks),
                                          std::min(shared, fewestColumns));
  shape.sharingTasks =
      std::min<int64_t>(llvm::divideCeil(shared, shape.block.columns),
                        room / shape.block.columns);
  return shape;
}

AmxPlanAttr planAmx(const NestFacts &facts, MachineAttr machine,
                    TilePlanAttr fewRows) {
  const ContractionSize &size = facts.size;
  bool inWords = facts.pairs || facts.quads;
  int64_t step = inWords ? amxStep / 2 : amxStep;
  if (!facts.panelWidth || *facts.panelWidth % amxTile != 0 ||
      (facts.scaled && facts.block % step != 0) || !facts.columnIsLast ||
      !hasTiles(facts, machine) || !fillsSteps(facts, step) || !size.columns ||
      *size.columns < amxPanel || !size.sum || *size.sum < step)
    return {};
  bool wholeSteps = inWords && *facts.depth % step == 0,
       wholeRows = wholeSteps && facts.isChain && facts.hasRowStride;
  // The wanted precision applies to f32 products; f16 and bf16 use all their
  // parts.
  auto partsOf = [&](int64_t whole) {
    return inWords ? 1 : whole == 3 ? machine.getTiles() : whole;
  };
  int64_t lhs = partsOf(facts.lhsParts), rhs = partsOf(facts.rhsParts);
  int64_t few = fewRowsOf(inWords, rhs);
  if (size.rows && *size.rows <= few)
    return {};
  bool anyRounds = facts.lhsParts == 3 || facts.rhsParts == 3;
  int64_t order = anyRounds ? std::max(lhs, rhs) - 1 : allProducts;
  if (!inWords && !worthSplitting(facts, countProducts(lhs, rhs, order)))
    return {};
  int64_t stepBytes = amxPanel * amxStep * 2 * std::max(lhs, rhs),
          mostSteps = columnBytes(machine) / stepBytes,
          tapSteps = llvm::divideCeil(*facts.depth, step),
          steps = std::min(mostSteps, tapSteps);
  if (facts.scaled) { // a piece is whole groups
    int64_t group = facts.block / step;
    if (mostSteps < group)
      return {};
    steps = std::max(steps / group, int64_t(1)) * group;
  }
  int64_t taps = std::min(mostSteps / steps, *size.sum / *facts.depth);
  auto planOf = [&](int64_t rows, TilePlanAttr less, AmxPlanAttr oneTile) {
    TaskShape tasks = shapeTasks(facts, machine, rows);
    return AmxPlanAttr::get(machine.getContext(), lhs, rhs, order, steps * step,
                            tasks.block.rows, tasks.block.columns,
                            tasks.sharingTasks, taps, wholeRows, wholeSteps,
                            less, oneTile);
  };
  if (size.rows)
    return planOf(*size.rows, {}, {});
  return planOf(maxRows, fewRows,
                few < amxTile - 1 ? planOf(amxTile, {}, {}) : AmxPlanAttr());
}

AmxPlan::AmxPlan(AmxPlanAttr plan, const ContractionNest &nest)
    : lhsParts(plan.getLhsParts()), rhsParts(plan.getRhsParts()),
      order(plan.getOrder()), products(nest.products),
      wholeRows(plan.getLhsInPlace()), wholeColumns(plan.getRhsInPlace()),
      stepExtent(inWords() ? amxStep / 2 : amxStep), taps(plan.getTaps()),
      depth(plan.getDepth()),
      groupSteps(nest.scales ? nest.block / amxStep : 0),
      block{plan.getBlockRows(), plan.getBlockColumns(), amxTile},
      sharingTasks(plan.getTasks()) {}

} // namespace tenon
