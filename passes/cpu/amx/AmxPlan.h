// The plan of a contraction in the tiles of AMX.
#ifndef TENON_PASSES_CPU_AMX_AMXPLAN_H
#define TENON_PASSES_CPU_AMX_AMXPLAN_H

#include "dialects/tenon/KernelPlan.h"
#include "dialects/tenon/NumericsContract.h"
#include "passes/cpu/tile/NestFacts.h"

namespace tenon {

/// The plan in tiles; null where the machine has none or the form of the nest
/// or its extents do not fit. `fewRows` is the plan for few rows, which a nest
/// may have whose rows are only known in the run.
AmxPlanAttr planAmx(const NestFacts &facts, MachineAttr machine,
                    TilePlanAttr fewRows);

/// A plan as the emitter of its nest reads it.
struct AmxPlan {
  AmxPlan(AmxPlanAttr plan, const ContractionNest &nest);

  /// bf16 parts that the operands are split into; part i of lhs meets part j of
  /// rhs where i + j is at most `order`.
  int64_t lhsParts, rhsParts, order;
  /// Operands are pairs of bf16 in memory already: nothing is split. Operands
  /// that lie there in whole tiles are read from there.
  bool paired, wholeRows, wholeColumns;
  int64_t stepExtent; ///< of the nest's sum, that a step goes along
  int64_t depth;      ///< of the nest's sum, split at once: whole steps
  TaskBlock block;    ///< rows in whole tiles, columns in whole panels
  /// Tasks of a block of rows that may share its split rows, if a thread is
  /// given them at once.
  int64_t sharingTasks;

  int64_t rowTiles() const { return block.rows / amxTile; }
  /// Whether nothing of a number may be lost, however small: of fewer than
  /// three parts nothing small is promised, and pairs are rounded before.
  bool watchesTiny() const { return !paired && order == 2; }
  int64_t columns() const { return block.columns * sharingTasks; }
  int64_t steps() const { return depth / stepExtent; }
};

} // namespace tenon

#endif // TENON_PASSES_CPU_AMX_AMXPLAN_H
