// The plan of a contraction in register tiles: the tile, the task, and whether
// columns are packed and partial sums are stored on the stack.
#ifndef TENON_PASSES_CPU_GEMM_GEMMPLAN_H
#define TENON_PASSES_CPU_GEMM_GEMMPLAN_H

#include "dialects/tenon/KernelPlan.h"
#include "passes/cpu/tile/NestFacts.h"
#include "passes/kernel/nest/ContractionNest.h"

namespace tenon {

/// From this many rows a large operand is packed even if its columns are
/// contiguous.
constexpr int64_t packingRows = 24;

/// Up to this many rows, each tile reads a panel from its start to its end: as
/// few rows wait for memory, and pieces would make them wait between pieces
/// too.
constexpr int64_t fewRows = 16;

/// Plans a contraction from static facts alone.
TilePlanAttr planGemm(const NestFacts &facts, MachineAttr machine);

/// A nest and its plan, in the form that emitters read.
struct GemmPlan {
  GemmPlan(const ContractionNest &nest, TilePlanAttr plan, MachineAttr machine);

  bool isChain() const { return facts.isChain; }
  /// True if neighbouring columns are not contiguous in memory.
  bool columnsStrided() const { return !facts.columnsContiguous; }
  bool packs() const { return plan.getPack(); }
  /// True if the scratch panel holds a tile's packed columns over the whole
  /// depth.
  bool packsWhole() const { return packs() && plan.getPiece() == 0; }
  /// True if partial sums are stored on the stack while each tap and each piece
  /// of the depth is multiplied by all rows.
  bool inPieces() const {
    return plan.getPiece() != 0 && (packs() || !isChain());
  }
  /// True if a chain in panels is computed in pieces. Its last piece leaves the
  /// sums in registers.
  bool isDeep() const { return plan.getPiece() != 0 && !packs() && isChain(); }

  /// True if a deep panel stays in L2 and the number of rows is known only at
  /// run time. A remainder of rows then reads the panel as a whole, and so do
  /// few rows.
  bool mayReadWhole() const;
  /// True if tiles may find so few rows that all of them read a panel as a
  /// whole.
  bool mayBeFew() const { return mayReadWhole() && !facts.size.isOpenImage; }

  const ContractionNest &nest;
  TilePlanAttr plan;
  MachineAttr machine;
  NestFacts facts;
  int64_t lanes; ///< of a vector
  RegisterTile tile;
  TaskBlock block;
  int64_t width; ///< columns of a tile
  int64_t
      sharedRows; ///< rows that use a piece of a panel before the next piece
};

} // namespace tenon

#endif // TENON_PASSES_CPU_GEMM_GEMMPLAN_H
