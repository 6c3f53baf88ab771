// The plan of a contraction in AMX tiles.
#ifndef TENON_PASSES_CPU_AMX_AMXPLAN_H
#define TENON_PASSES_CPU_AMX_AMXPLAN_H

#include "dialects/tenon/KernelPlan.h"
#include "dialects/tenon/NumericsContract.h"
#include "passes/cpu/tile/NestFacts.h"

namespace tenon {

/// The plan in tiles; null if the machine has no tiles, or the form or the
/// extents of the nest do not fit. `fewRows` is the plan for few rows, which
/// is used if the number of rows is known only at run time.
AmxPlanAttr planAmx(const NestFacts &facts, MachineAttr machine,
                    TilePlanAttr fewRows);

/// Up to this many rows are computed without tiles. `rhsParts` is the number of
/// parts of the columns.
constexpr int64_t fewRowsOf(bool inWords, int64_t rhsParts) {
  return inWords         ? amxFewRows
         : rhsParts == 1 ? amxFewWholeRows
                         : amxFewSplitRows;
}

/// A plan as the emitter of its nest reads it.
struct AmxPlan {
  AmxPlan(AmxPlanAttr plan, const ContractionNest &nest);

  /// The numbers of bf16 parts of lhs and rhs. Part i of lhs is multiplied by
  /// part j of rhs if i + j is at most `order`.
  int64_t lhsParts, rhsParts, order;
  /// With pairs and quads the operands in memory are words already, so nothing
  /// is split.
  Products products;
  /// `wholeRows`, `wholeColumns`: the operand is in memory in whole tiles and
  /// is read in place.
  bool wholeRows, wholeColumns;
  int64_t stepExtent; ///< indices of the nest's innermost sum in one step
  /// A piece of the sum: so many taps, and indices of the innermost sum. These
  /// are whole steps; all of a tap if there are several taps.
  int64_t taps, depth;
  /// Steps of a group of the sum that has a scale; 0 if nothing has scales.
  int64_t groupSteps;
  TaskBlock block; ///< rows in whole tiles, columns in whole panels
  /// The most tasks of one block of rows that share its split rows. They share
  /// them if one thread gets them in one call.
  int64_t sharingTasks;

  bool inWords() const { return products != Products::Chain; }
  bool ofBytes() const { return products == Products::Quads; }
  /// Elements in a row of an operand's tile.
  int64_t stepElements() const { return ofBytes() ? 2 * amxStep : amxStep; }
  int64_t fewRows() const { return fewRowsOf(inWords(), rhsParts); }
  int64_t rowTiles() const { return block.rows / amxTile; }
  /// True if sums that may have lost small numbers must be found. With an order
  /// below 2 no precision is promised for small numbers, and the operands of
  /// pairs are rounded beforehand.
  bool watchesTiny() const { return !inWords() && order == 2; }
  /// True if columns may have small numbers. Integers are none.
  bool watchesColumns() const { return watchesTiny() && groupSteps == 0; }
  int64_t columns() const { return block.columns * sharingTasks; }
  int64_t steps() const { return taps * (depth / stepExtent); }
};

} // namespace tenon

#endif // TENON_PASSES_CPU_AMX_AMXPLAN_H
