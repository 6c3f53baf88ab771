// The innermost loops of contractions. A register tile holds the sums; a vector
// of columns is loaded once for all rows, and elements of the rows are
// broadcast from memory.
#ifndef TENON_PASSES_CPU_TILE_TILEKERNEL_H
#define TENON_PASSES_CPU_TILE_TILEKERNEL_H

#include "passes/kernel/KernelLoops.h"
#include "passes/kernel/nest/ContractionNest.h"

#include <optional>

namespace tenon {

/// Up to this many steps of the innermost loop are emitted without a loop.
constexpr int64_t straightSteps = 16;
/// Steps of the innermost loop in one iteration: whole elements of rhs.
int64_t stepsPerIteration(const ContractionNest &nest);

/// The cache lines that a tile prefetches while it computes: from each base on,
/// `lines` consecutive lines of the columns' memory in each iteration of the
/// innermost loop.
struct Prefetch {
  llvm::SmallVector<mlir::Value> bases;
  int64_t lines, lineElements;
  bool intoL1 = false; ///< true: into L1; false: into L2
  /// From step `turn` on, the prefetched lines are `jump` elements further;
  /// null: no jump.
  mlir::Value turn{}, jump{};
};

/// The columns that a tile reads: vector v of row k is at base + k * stride +
/// places[v].
struct ColumnSource {
  mlir::Value memory; ///< rank 1
  mlir::Type element; ///< of the tenon tensor, or of the sums if packed
  mlir::Value base, stride;
  llvm::SmallVector<mlir::Value> places;  ///< per vector
  llvm::SmallVector<mlir::Value> masks{}; ///< per vector; null: all lanes
  std::optional<Prefetch> prefetch{};
  std::optional<ScaleSource> scales{};
  /// True if no more than half of the last vector's lanes exist: two rows share
  /// a register for its sums.
  bool halved = false;

  /// Vectors for which each row has sums of its own.
  int64_t wholeVectors() const { return int64_t(places.size()) - halved; }
};

class TileKernel : KernelLoops {
public:
  TileKernel(Kernel &kernel, const ContractionNest &nest, int64_t lanes)
      : KernelLoops(kernel), nest(nest), lanes(lanes),
        hasTable(kernel.machine.getVectorBytes() == 64) {}

  /// Adds one chain of products over k in [0, extent) to `sums` (rows x
  /// vectors, row by row). The rows start at `rows` in lhs and have stride
  /// `rowStride`. `meanwhile` emits other work into each iteration; its
  /// argument is the first step of the iteration, which has stepsPerIteration
  /// steps. Its arithmetic is divided among the products. `inWholeIterations`:
  /// the extent is known to be whole iterations.
  llvm::SmallVector<mlir::Value>
  chain(llvm::ArrayRef<mlir::Value> rows, mlir::Value rowStride,
        const ColumnSource &columns, mlir::Value extent, mlir::ValueRange sums,
        llvm::function_ref<void(mlir::Value)> meanwhile = {},
        bool inWholeIterations = false);

  /// Adds the products [first, first + extent) of such a chain to the `former`
  /// sums, in blocks if the nest has blocks. `first` must be the first product
  /// of a block. If there is only one block, `former` is called after its
  /// products: the former sums then need no registers in the loop.
  llvm::SmallVector<mlir::Value> run(llvm::ArrayRef<mlir::Value> rows,
                                     mlir::Value rowStride,
                                     const ColumnSource &columns,
                                     mlir::Value first, mlir::Value extent,
                                     llvm::function_ref<Values()> former);

  /// Adds the products over all sum dimensions. `positions` are the indices of
  /// each row of the tile, one for each row dimension; they tell which taps are
  /// outside the input. If `oftenInside`, tiles whose taps are all inside have
  /// faster code of their own.
  llvm::SmallVector<mlir::Value>
  runAll(llvm::ArrayRef<mlir::Value> rows,
         llvm::ArrayRef<llvm::SmallVector<mlir::Value>> positions,
         const ColumnSource &columns, mlir::ValueRange sums, bool oftenInside);

  /// Where the window of the row at `position` starts along each guarded
  /// dimension of the sum.
  llvm::SmallVector<mlir::Value>
  windowStarts(llvm::ArrayRef<mlir::Value> position);

  /// True if a row whose window starts at `starts` reads inside the input at
  /// the sum indices `taps`; null: always true.
  mlir::Value fits(llvm::ArrayRef<mlir::Value> taps,
                   llvm::ArrayRef<mlir::Value> starts);

private:
  /// Applies `change` to the offsets of the rows. A row at a constant distance
  /// from the first row keeps this distance, so that the loop needs one
  /// register for all such rows.
  Values changed(llvm::ArrayRef<mlir::Value> rows,
                 llvm::function_ref<mlir::Value(mlir::Value)> change);
  /// Adds `offset` to the offsets of the rows.
  Values moved(llvm::ArrayRef<mlir::Value> rows, mlir::Value offset);
  Values runWhole(llvm::ArrayRef<mlir::Value> rows, mlir::Value rowStride,
                  const ColumnSource &columns, mlir::Value first,
                  mlir::Value extent, llvm::function_ref<Values()> former);
  /// The `former` sums plus the sum of products [first, first + extent), which
  /// is one block.
  Values addBlock(llvm::ArrayRef<mlir::Value> rows, mlir::Value rowStride,
                  const ColumnSource &columns, mlir::Value first,
                  mlir::Value extent, llvm::function_ref<Values()> former,
                  bool inWholeIterations = false);
  /// `former` plus the sums of the block that starts with product `first`. If
  /// the columns have scales, each sum is multiplied by its scale first.
  Values joined(const ColumnSource &columns, mlir::Value first, Values sums,
                mlir::ValueRange former);
  mlir::Value ifBlocked(mlir::Value yes, mlir::Value no);
  Prefetch prefetchAfter(Prefetch prefetch, mlir::Value elements);
  Prefetch prefetchAt(Prefetch prefetch, mlir::Value k);
  void emitPrefetch(const ColumnSource &columns, mlir::Value k);
  /// Adds product number k + within. k is the first product of an iteration.
  void step(llvm::ArrayRef<mlir::Value> rows, mlir::Value rowStride,
            const ColumnSource &columns, mlir::Value k, int64_t within,
            Values &sums);
  /// Adds the products [k, k + count), all constants, without a loop.
  void steps(llvm::ArrayRef<mlir::Value> rows, mlir::Value rowStride,
             const ColumnSource &columns, int64_t k, int64_t count,
             Values &sums);
  Values nestFrom(size_t level, llvm::ArrayRef<SumDim> sums, Values rows,
                  ColumnSource columns, mlir::ValueRange carried);
  llvm::SmallVector<SumDim> withoutGuards(size_t level);
  mlir::Value areInsideOneLine(llvm::ArrayRef<Values> positions);
  Values overImage(llvm::ArrayRef<mlir::Value> rows,
                   llvm::ArrayRef<Values> positions,
                   const ColumnSource &columns, mlir::ValueRange sums,
                   bool oftenInside);
  Values guardedFrom(size_t level, Values rows,
                     llvm::ArrayRef<Values> positions, Values valid,
                     ColumnSource columns, mlir::ValueRange carried,
                     bool oftenInside);
  /// The sums over the last guarded dimension if the rows are a line of an
  /// image whose places are constants: each tap has code for the rows that are
  /// inside. Nothing if they are not.
  std::optional<Values> lineByTaps(size_t level, const Values &rows,
                                   llvm::ArrayRef<Values> positions,
                                   const Values &valid,
                                   const ColumnSource &columns,
                                   mlir::ValueRange carried);
  Values lastGuarded(size_t level, const Values &rows,
                     llvm::ArrayRef<Values> positions, const Values &valid,
                     const ColumnSource &columns, mlir::ValueRange carried,
                     bool oftenInside);
  ColumnSource columnsAt(const ColumnSource &columns, mlir::Value offset);
  /// Emits a loop over one dimension of the sum.
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
