// The innermost loops of contractions: a register tile of sums, a vector of
// columns loaded once for all rows, rows' elements broadcast from memory.
#ifndef TENON_PASSES_CPU_TILE_TILEKERNEL_H
#define TENON_PASSES_CPU_TILE_TILEKERNEL_H

#include "passes/cpu/tile/KernelLoops.h"
#include "passes/kernel/nest/ContractionNest.h"

#include <optional>

namespace tenon {

/// Steps of the innermost loop in one iteration: whole elements of rhs.
int64_t stepsPerIteration(const ContractionNest &nest);

/// What a tile fetches while it computes: `lines` lines of the cache for every
/// iteration of the innermost loop, one after another, from each base on in the
/// columns' memory.
struct FetchAhead {
  llvm::SmallVector<mlir::Value> bases;
  int64_t lines, lineElements;
  bool intoFirstCache = false; ///< else into the second
  /// From step `turn` on it goes on `jump` elements further; null: it does not.
  mlir::Value turn{}, jump{};
};

/// Where a tile reads its columns: vector v of line k at base + k * stride +
/// places[v].
struct ColumnSource {
  mlir::Value memory; ///< rank 1
  mlir::Type element; ///< of the tenon tensor, or the sums' in scratch
  mlir::Value base, stride;
  llvm::SmallVector<mlir::Value> places;  ///< per vector
  llvm::SmallVector<mlir::Value> masks{}; ///< per vector; null: all lanes
  std::optional<FetchAhead> ahead{};
  std::optional<ScaleSource> scales{};
  /// Of the last vector no more than half of the lanes exist: two rows share a
  /// register for it.
  bool halved = false;

  /// Vectors of which each row has sums of its own.
  int64_t wholeVectors() const { return int64_t(places.size()) - halved; }
};

class TileKernel : KernelLoops {
public:
  TileKernel(Kernel &kernel, const ContractionNest &nest, int64_t lanes)
      : KernelLoops(kernel), nest(nest), lanes(lanes),
        hasTable(kernel.machine.getVectorBytes() == 64) {}

  /// One chain of products over k in [0, extent) on top of `sums` (rows x
  /// vectors, row by row): rows start at `rows` in lhs and step by `rowStride`.
  /// `meanwhile` writes other work into each iteration of stepsPerIteration
  /// steps, the first of which it is given.
  llvm::SmallVector<mlir::Value>
  chain(llvm::ArrayRef<mlir::Value> rows, mlir::Value rowStride,
        const ColumnSource &columns, mlir::Value extent, mlir::ValueRange sums,
        llvm::function_ref<void(mlir::Value)> meanwhile = {});

  /// Adds to the `former` sums the products [first, first + extent) of such a
  /// chain, in blocks where the nest has them: `first` is the first of a block.
  /// A single block asks for them when it is summed: they need no registers
  /// meanwhile.
  llvm::SmallVector<mlir::Value> run(llvm::ArrayRef<mlir::Value> rows,
                                     mlir::Value rowStride,
                                     const ColumnSource &columns,
                                     mlir::Value first, mlir::Value extent,
                                     llvm::function_ref<Values()> former);

  /// Adds the products over all sum dimensions. `windows` are, per row of the
  /// tile and per row dimension, its positions: for taps that may lie outside.
  llvm::SmallVector<mlir::Value>
  runAll(llvm::ArrayRef<mlir::Value> rows,
         llvm::ArrayRef<llvm::SmallVector<mlir::Value>> positions,
         const ColumnSource &columns, mlir::ValueRange sums);

  /// Whether the row at `position` lies inside the input when the sum
  /// dimensions stand at `taps`; null: always.
  mlir::Value fits(llvm::ArrayRef<mlir::Value> taps,
                   llvm::ArrayRef<mlir::Value> position);

private:
  /// Where the rows are, `offset` further. What lies a fixed distance from the
  /// first of them still does: the loop needs one register for all.
  Values moved(llvm::ArrayRef<mlir::Value> rows, mlir::Value offset);
  Values runWhole(llvm::ArrayRef<mlir::Value> rows, mlir::Value rowStride,
                  const ColumnSource &columns, mlir::Value first,
                  mlir::Value extent, llvm::function_ref<Values()> former);
  /// The `former` sums plus the sum of products [first, first + extent).
  Values addBlock(llvm::ArrayRef<mlir::Value> rows, mlir::Value rowStride,
                  const ColumnSource &columns, mlir::Value first,
                  mlir::Value extent, llvm::function_ref<Values()> former);
  /// `former` plus the sums of the block that starts with product `first`, each
  /// times its scale where there are such.
  Values joined(const ColumnSource &columns, mlir::Value first, Values sums,
                mlir::ValueRange former);
  mlir::Value ifBlocked(mlir::Value yes, mlir::Value no);
  FetchAhead fetchedAfter(FetchAhead ahead, mlir::Value elements);
  FetchAhead fetchedAt(FetchAhead ahead, mlir::Value k);
  void fetch(const ColumnSource &columns, mlir::Value k);
  /// The product number k + within, where k is the first of an iteration.
  void step(llvm::ArrayRef<mlir::Value> rows, mlir::Value rowStride,
            const ColumnSource &columns, mlir::Value k, int64_t within,
            Values &sums);
  /// Those of [k, k + count) where all is known: no loop.
  void steps(llvm::ArrayRef<mlir::Value> rows, mlir::Value rowStride,
             const ColumnSource &columns, int64_t k, int64_t count,
             Values &sums);
  Values nestFrom(size_t level, llvm::ArrayRef<SumDim> sums, Values rows,
                  ColumnSource columns, mlir::ValueRange carried);
  Values guardedFrom(size_t level, Values rows,
                     llvm::ArrayRef<Values> positions, Values valid,
                     ColumnSource columns, mlir::ValueRange carried);
  Values lastGuarded(size_t level, const Values &rows,
                     llvm::ArrayRef<Values> positions, const Values &valid,
                     const ColumnSource &columns, mlir::ValueRange carried);
  /// A loop over one dimension of the sum.
  Values overDim(const SumDim &dim, const Values &rows,
                 const ColumnSource &columns, mlir::ValueRange carried,
                 llvm::function_ref<Values(mlir::Value, Values, ColumnSource,
                                           mlir::ValueRange)>
                     body);
  mlir::Value windowStart(const SumDim &dim,
                          llvm::ArrayRef<mlir::Value> position);
  mlir::Value inside(const SumDim &dim, mlir::Value at);
  mlir::Value both(mlir::Value a, mlir::Value b);

  const ContractionNest &nest;
  int64_t lanes;
  bool hasTable; ///< a register holds sixteen floats
};

} // namespace tenon

#endif // TENON_PASSES_CPU_TILE_TILEKERNEL_H
