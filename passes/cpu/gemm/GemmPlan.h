// How a contraction's kernel goes about its work, decided before any of its
// code is made: the tile, the task, where columns are packed, where sums wait.
#ifndef TENON_PASSES_CPU_GEMM_GEMMPLAN_H
#define TENON_PASSES_CPU_GEMM_GEMMPLAN_H

#include "passes/cpu/tile/RegisterTile.h"
#include "passes/kernel/nest/ContractionNest.h"

namespace tenon {

/// Bytes of a packed panel: it stays in the first cache beside the rows.
constexpr int64_t panelBytes = 32 * 1024;
/// Where so many rows read an operand that is large, it is packed even if its
/// columns lie side by side.
constexpr int64_t manyRows = 24;

/// Of a nest, from its static facts alone.
struct GemmPlan {
  GemmPlan(const ContractionNest &nest, int64_t vectorBytes);

  bool columnsAcross() const;
  bool isChain() const;
  /// Whether two rows may share the register of half a vector of columns.
  bool sharesHalves() const;
  /// Whether the packed columns of a tile have room over the whole depth.
  bool packsWhole() const;
  /// Sums wait on the stack while taps and pieces of the depth meet all rows.
  bool inPieces() const;
  /// The same of a chain in panels: its last piece leaves the sums in
  /// registers.
  bool isDeep() const;
  int64_t pieceDepth() const; ///< of a deep sum: whole blocks

  const ContractionNest &nest;
  int64_t lanes; ///< of a vector
  ContractionSize size;
  bool packs; ///< columns go through a scratch panel
  RegisterTile tile;
  TaskBlock block;
  int64_t width, together; ///< columns of a panel, rows that share it

private:
  /// Whether rows after those of a tile meet the same packed panel, of a known
  /// sum in blocks.
  bool readsAgain() const;
  bool isLarge() const;
  int64_t sumBytes() const { return nest.sum.getIntOrFloatBitWidth() / 8; }
};

} // namespace tenon

#endif // TENON_PASSES_CPU_GEMM_GEMMPLAN_H
