// The plan of a contraction in register tiles: the tile, the task, where
// columns are packed, where sums wait.
#ifndef TENON_PASSES_CPU_GEMM_GEMMPLAN_H
#define TENON_PASSES_CPU_GEMM_GEMMPLAN_H

#include "dialects/tenon/KernelPlan.h"
#include "passes/cpu/tile/NestFacts.h"
#include "passes/kernel/nest/ContractionNest.h"

namespace tenon {

/// From this many rows a large operand is packed even if its columns lie side
/// by side.
constexpr int64_t packingRows = 24;

/// Decides from static facts alone.
TilePlanAttr planGemm(const NestFacts &facts, MachineAttr machine);

/// A nest and its plan, as emitters read them.
struct GemmPlan {
  GemmPlan(const ContractionNest &nest, TilePlanAttr plan, MachineAttr machine);

  bool isChain() const { return facts.isChain; }
  /// Columns lie across memory.
  bool columnsAcross() const { return !facts.columnsSideBySide; }
  bool packs() const { return plan.getPack(); }
  /// The packed columns of a tile have room over the whole depth.
  bool packsWhole() const { return packs() && plan.getPiece() == 0; }
  /// Sums wait on the stack while taps and pieces of the depth meet all rows.
  bool inPieces() const {
    return plan.getPiece() != 0 && (packs() || !isChain());
  }
  /// The same of a chain in panels: its last piece leaves the sums in
  /// registers.
  bool isDeep() const { return plan.getPiece() != 0 && !packs() && isChain(); }

  const ContractionNest &nest;
  TilePlanAttr plan;
  MachineAttr machine;
  NestFacts facts;
  int64_t lanes; ///< of a vector
  RegisterTile tile;
  TaskBlock block;
  int64_t width;      ///< columns of a tile
  int64_t sharedRows; ///< that meet a piece of a panel before the next piece
};

} // namespace tenon

#endif // TENON_PASSES_CPU_GEMM_GEMMPLAN_H
