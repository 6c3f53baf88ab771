// Whether a contraction goes through the tiles of AMX, and in what pieces.
#ifndef TENON_PASSES_CPU_AMX_AMXPLAN_H
#define TENON_PASSES_CPU_AMX_AMXPLAN_H

#include "dialects/tenon/NumericsContract.h"
#include "passes/cpu/tile/RegisterTile.h"
#include "passes/kernel/nest/ContractionNest.h"

namespace tenon {

struct AmxPlan {
  /// Parts of bf16 that the operands are split into; part i of lhs meets part j
  /// of rhs where i + j is at most `order`.
  int64_t lhsParts, rhsParts, order;
  /// Operands are pairs of bf16 in memory already: nothing is split, and what
  /// lies there in whole tiles is read from there.
  bool paired, wholeRows, wholeColumns;
  int64_t stepExtent; ///< of the nest's sum, that a step goes along
  int64_t depth;      ///< of the nest's sum, split at once: whole steps
  TaskBlock block;    ///< rows in whole tiles, columns in whole panels
  /// Tasks of a block of rows that may share its split rows, if a thread is
  /// given them together.
  int64_t together;

  int64_t rowTiles() const { return block.rows / amxTile; }
  /// Whether nothing of a number may be lost, however small: of less than three
  /// parts nothing small is promised, and pairs are rounded before.
  bool watchesTiny() const { return !paired && order == 2; }
  int64_t columns() const { return block.columns * together; }
  int64_t steps() const { return depth / stepExtent; }
};

/// The plan for f32 operands in `parts`; none where the form of the nest or its
/// extents do not fit. If the nest's rows are not known they may be few.
std::optional<AmxPlan> planAmx(const ContractionNest &nest, int64_t parts);

} // namespace tenon

#endif // TENON_PASSES_CPU_AMX_AMXPLAN_H
