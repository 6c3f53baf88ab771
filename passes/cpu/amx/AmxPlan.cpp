// What is split of a panel of columns stays in the first cache, what is split
// of a block of rows in the second, and both lie on the stack.
#include "passes/cpu/amx/AmxPlan.h"

using namespace mlir;

namespace tenon {

/// Of a task, of the 640 KiB a kernel may take: the code for few rows may keep
/// 32 KiB of its own, and registers are spilled.
constexpr int64_t stackBytes = 592 * 1024;
/// Bytes of the split columns of a panel; of a split row, at most, and its
/// magnitudes.
constexpr int64_t columnBytes = 24 * 1024,
                  rowBytes = columnBytes / amxPanel + 2 * amxTile * 4;
/// Rows that share a split panel. Columns that share split rows are as many as
/// have room for their sums: splitting an element takes as long as some eight
/// f32 products.
constexpr int64_t mostRows = 224, fewestColumns = 64;
/// Each thread that gets a task splits its rows, but with fewer tasks threads
/// would stand idle.
constexpr int64_t fewestTasks = 8;
/// The order of plain accuracy: of three parts six products, of two all four.
constexpr int64_t allProducts = 2;

/// Parts that are a number of this type; 0: none of so few.
static int64_t wholeParts(Type element) {
  if (element.isBF16())
    return 1;
  if (element.isF16())
    return 2;
  return element.isF32() ? 3 : 0;
}

/// For how many columns of a block the stack has room: sums, and magnitudes.
static int64_t roomFor(int64_t rows) {
  int64_t left = stackBytes - columnBytes - rows * rowBytes;
  return left / (rows * 4 + 2 * 4) / amxPanel * amxPanel;
}

static bool fits(const ContractionNest &nest) {
  std::optional<int64_t> step = getConstantIntValue(nest.sums.back().lhsStride);
  return nest.panels && nest.panels->width % amxTile == 0 && !nest.scales &&
         nest.columnIsLast() && nest.sums.size() == 1 &&
         !nest.sums.back().guard && nest.sum.isF32() &&
         (nest.products == Products::Pairs
              ? step == 2
              : step == 1 && wholeParts(nest.lhsElement) != 0 &&
                    wholeParts(nest.rhsElement) != 0);
}

std::optional<AmxPlan> planAmx(const ContractionNest &nest, int64_t parts) {
  if (parts == 0 || !fits(nest))
    return std::nullopt;
  std::optional<int64_t> rows = knownProduct(nest.rows),
                         columns = getConstantIntValue(nest.column.extent),
                         sum = getConstantIntValue(nest.sums.back().extent);
  AmxPlan plan;
  plan.paired = nest.products == Products::Pairs;
  plan.stepExtent = plan.paired ? amxStep / 2 : amxStep;
  if (!columns || *columns < amxPanel || !sum || *sum < plan.stepExtent ||
      rows.value_or(mostRows) <= amxFewRows)
    return std::nullopt;
  bool wholeSteps = plan.paired && *sum % plan.stepExtent == 0;
  plan.wholeRows = wholeSteps && nest.rowStride && rows && *rows % amxTile == 0;
  plan.wholeColumns = wholeSteps;
  // A precision is that of f32 products; f16 and bf16 are multiplied whole.
  auto partsOf = [&](Type element) {
    return element.isF32() ? parts : wholeParts(element);
  };
  plan.lhsParts = plan.paired ? 1 : partsOf(nest.lhsElement);
  plan.rhsParts = plan.paired ? 1 : partsOf(nest.rhsElement);
  bool anyRounds = nest.lhsElement.isF32() || nest.rhsElement.isF32();
  plan.order =
      anyRounds ? std::max(plan.lhsParts, plan.rhsParts) - 1 : allProducts;
  int64_t stepBytes =
      amxPanel * amxStep * 2 * std::max(plan.lhsParts, plan.rhsParts);
  plan.depth = std::min<int64_t>(columnBytes / stepBytes * plan.stepExtent,
                                 llvm::alignTo(*sum, plan.stepExtent));
  int64_t known = rows.value_or(mostRows);
  int64_t blocks = llvm::divideCeil(known, mostRows);
  plan.block.rows = llvm::alignTo(llvm::divideCeil(known, blocks), amxTile);
  // As few groups of tasks as have room, each of as many tasks as there must
  // be.
  auto panels = [](int64_t columns, int64_t parts) -> int64_t {
    return llvm::alignTo(llvm::divideCeil(columns, parts), amxPanel);
  };
  int64_t room = roomFor(plan.block.rows),
          groups = llvm::divideCeil(*columns, room),
          lines = knownProduct(nest.outer).value_or(1) * blocks;
  plan.together = llvm::divideCeil(fewestTasks, lines * groups);
  int64_t shared = panels(*columns, groups);
  plan.block.columns = std::max<int64_t>(panels(shared, plan.together),
                                         std::min(shared, fewestColumns));
  plan.together = std::min<int64_t>(
      llvm::divideCeil(shared, plan.block.columns), room / plan.block.columns);
  return plan;
}

} // namespace tenon
