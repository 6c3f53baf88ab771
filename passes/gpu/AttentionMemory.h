// The operands of attention and the parts of them that a block of threads has
// in shared memory.
#ifndef TENON_PASSES_GPU_ATTENTIONMEMORY_H
#define TENON_PASSES_GPU_ATTENTIONMEMORY_H

#include "dialects/tenon/KernelPlan.h"
#include "passes/gpu/BlockKernel.h"
#include "passes/kernel/nest/StridedOperand.h"

namespace tenon {

/// The operands of attention as strided views.
struct AttentionViews {
  AttentionOp op;
  StridedOperand query, key, value;
  std::optional<StridedOperand> table; ///< null: keys stand in their entry

  /// The views; nullopt if an operand is computed in the kernel or a depth is
  /// known only at run time.
  static std::optional<AttentionViews> of(Kernel &kernel);

  size_t batch() const { return key.extents.size() - 2; }
  int64_t group() const { return AttentionOp(op).getHeadGroup(); }
  int64_t depth() const { return *getConstantIntValue(query.extents.back()); }
  int64_t valueDepth() const {
    return *getConstantIntValue(value.extents.back());
  }
  /// The batch extents of queries, with the heads of the keys.
  llvm::SmallVector<mlir::Value> sharedExtents() const;
};

/// How a block's threads divide its rows, keys and columns. Sixteen threads
/// share `threadRows` rows; the keys and columns of thread t are t, t + 16, ...
struct AttentionShape {
  int64_t rows, threadRows, threads;
  int64_t depth, valueDepth;
  int64_t valueWidth; ///< whole columns of threads
  int64_t rowPitch;   ///< words from one key of the weights to the next
  int64_t keyPitch;   ///< words from one depth of the keys to the next

  AttentionShape(BlockAttentionPlanAttr plan, int64_t depth,
                 int64_t valueDepth);
  /// f32 of shared memory for a piece of keys or of values.
  int64_t pieceElements() const;
};

/// Depths of keys, and values, that are in shared memory at once.
inline constexpr int64_t attentionPiece = 16;

/// Where a thread's columns stand in the piece: the line of a depth or key, and
/// groups of neighbours in it.
struct ColumnPlaces {
  int64_t pitch;
  llvm::SmallVector<std::pair<mlir::Value, int64_t>> groups;
};

/// Rows in memory of the queries or weights, from line `first` on.
struct RowPlaces {
  mlir::Value tile, first;
  mlir::Value own; ///< the first row of the thread
};

/// Copies queries, keys and values to shared memory, as f32. Each of these
/// functions is called by all threads of a block, but for addProducts.
class AttentionMemory : BlockKernel {
public:
  AttentionMemory(Kernel &kernel, const AttentionViews &views,
                  const AttentionShape &shape, mlir::Value thread);

  /// Begins a task: `entry` has the batch indices of its queries, with the head
  /// of the keys, and `keys` is the number of its keys.
  void enter(mlir::ValueRange entry, mlir::Value keys);
  /// The batch indices and the row of query number `slot` of those that share
  /// the keys' head; behind the last query, those of the last one.
  Values placeOf(mlir::Value slot);

  /// Copies the queries from `firstSlot` on. Depth d of row r goes to element
  /// d * rowPitch + r of `queries`.
  void loadQueries(mlir::Value firstSlot);
  /// Chooses the 64 keys from `first` on for loadKeys.
  void chooseKeys(mlir::Value first);
  /// Copies `count` depths of the chosen keys, from `depth` on. Depth d of key
  /// k goes to element d * keyPitch + 4 (k % 16) + k / 16 of `piece`: a thread
  /// reads its four keys at once.
  void loadKeys(mlir::Value depth, int64_t count);
  /// Copies `count` values from key `first` on. Column c of value k goes to
  /// element k * valueWidth + c of `piece`.
  void loadValues(mlir::Value first, mlir::Value count);

  /// A number that is NaN in some thread if one of `count` values from key
  /// `first` on is not finite.
  mlir::Value finiteValues(mlir::Value first, mlir::Value count);

  /// Adds the products of the thread's rows and columns, for line number `k` of
  /// both.
  Values addProducts(const RowPlaces &rows, const ColumnPlaces &columns,
                     mlir::Value k, const Values &former);

  mlir::Value slots; ///< the queries that share a head of the keys
  mlir::Value queries, weights, piece;

private:
  mlir::Value lineOf(const StridedOperand &operand, mlir::Value key);
  mlir::Value quadsOf(const StridedOperand &operand);
  void either(mlir::Value quads, llvm::function_ref<void()> inQuads,
              llvm::function_ref<void()> oneByOne);
  mlir::Value chosenLine(mlir::Value position);
  void storeColumn(mlir::ValueRange values, mlir::Value tile, int64_t pitch,
                   mlir::Value depth, mlir::Value line);

  const AttentionViews &views;
  const AttentionShape &shape;
  mlir::Value thread;
  mlir::Value queryQuads, keyQuads, valueQuads; ///< true if aligned, or null
  Values entry;
  mlir::Value keys;
  mlir::Value firstKey;
  Values lines; ///< the chosen keys of the thread
};

} // namespace tenon

#endif // TENON_PASSES_GPU_ATTENTIONMEMORY_H
