// Emits code for elements of any value inside a fusion, at given indices. The
// emitter recurses over the ops of the region: the index map of each op turns
// the indices of its result into those of its operands, down to loads from
// memory. It emits one element or `lanes` elements at once.
#ifndef TENON_PASSES_KERNEL_ELEMENT_ELEMENTEMITTER_H
#define TENON_PASSES_KERNEL_ELEMENT_ELEMENTEMITTER_H

#include "dialects/tenon/Packing.h"
#include "dialects/tenon/Quantization.h"
#include "passes/kernel/Kernel.h"
#include "passes/kernel/numerics/Lanes.h"

#include <map>
#include <vector>

namespace tenon {

/// The indices of `lanes` elements along one dimension: lane l is at base + l *
/// stride.
struct LaneIndex {
  mlir::Value base;
  int64_t stride = 0;
};

class ElementEmitter {
public:
  ElementEmitter(Kernel &kernel, int64_t lanes)
      : kernel(kernel), b(kernel.builder), lanes(lanes) {}

  /// The elements of `tensor` at `indices`: a scalar for one lane, else a
  /// vector. Null, with `failed()` set, if an op cannot be computed for several
  /// lanes.
  mlir::Value emit(mlir::Value tensor, llvm::ArrayRef<LaneIndex> indices);

  /// Masks the lanes for which `mask` is false: they neither load nor store,
  /// and their elements are unspecified. If the others are the first `valid`
  /// lanes, masked ones may load what those load, which takes no branches.
  void setMask(mlir::Value mask, mlir::Value valid = {}) {
    laneMask = mask;
    validLanes = valid;
  }
  /// Masks the lanes from `valid` on, with a mask made here.
  void setValid(mlir::Value valid) {
    setMask(firstLanes(b, kernel.loc(), lanes, valid), valid);
  }
  /// Makes `element` the value of `tensor` at all indices from now on.
  void preset(mlir::Value tensor, mlir::Value element) {
    presets[tensor] = element;
  }
  /// Promises that all lanes of `join` are in operand number `operand` from now
  /// on.
  void choose(ConcatenateOp join, size_t operand) { chosen[join] = operand; }
  /// Forgets the elements emitted so far. Call it before the builder moves to
  /// code that the earlier code does not dominate.
  void forget() { memo.clear(); }

  bool failed() const { return hasFailed; }

  /// An extent of a value in the region, a memref or a fusion output, computed
  /// from the function's arguments.
  mlir::Value extent(mlir::Value tensor, int64_t dim);

  /// Where the operands of a concatenation begin along its dimension.
  llvm::SmallVector<mlir::Value> startsOfOperands(ConcatenateOp join);

  /// The value in the function for an index or a mixed size of the region.
  mlir::Value index(mlir::OpFoldResult size);

  /// The register type of `lanes` elements of a tenon element type.
  mlir::Type laneType(mlir::Type tenonElement);

  /// Stores `value`, lanes in the register form of `tenonElement`, to `memref`.
  /// The lanes are contiguous along the last index.
  void store(mlir::Value value, mlir::Type tenonElement, mlir::Value memref,
             llvm::ArrayRef<mlir::Value> indices);

private:
  using Key = std::pair<void *, std::vector<std::pair<void *, int64_t>>>;

  mlir::Value compute(mlir::Operation *op, mlir::OpResult result,
                      llvm::ArrayRef<LaneIndex> indices);
  mlir::Value load(mlir::Value memref, mlir::Type tenonElement,
                   llvm::ArrayRef<LaneIndex> indices);
  mlir::Value fromMemory(mlir::Value value, mlir::Type tenonElement);
  mlir::Value splat(ConstantOp op);
  mlir::Value emitBroadcast(BroadcastInDimOp op,
                            llvm::ArrayRef<LaneIndex> indices);
  /// An i1 that is true if the extent of `dim` is one.
  mlir::Value isOne(mlir::Value tensor, int64_t dim);
  mlir::Value emitIota(IotaOp op, llvm::ArrayRef<LaneIndex> indices);
  mlir::Value emitSlice(SliceOp op, llvm::ArrayRef<LaneIndex> indices);
  mlir::Value emitReverse(ReverseOp op, llvm::ArrayRef<LaneIndex> indices);
  mlir::Value emitReshape(ReshapeOp op, llvm::ArrayRef<LaneIndex> indices);
  /// Emits the part at `indices` of `words` of i32, which hold `count` elements
  /// each.
  mlir::Value emitPart(mlir::Value words, int64_t count, mlir::Type element,
                       llvm::ArrayRef<LaneIndex> indices);
  mlir::Value emitDequantize(DequantizeOp op,
                             llvm::ArrayRef<LaneIndex> indices);
  mlir::Value emitUnpack(UnpackOp op, llvm::ArrayRef<LaneIndex> indices);
  mlir::Value emitPad(PadOp op, llvm::ArrayRef<LaneIndex> indices);
  mlir::Value emitConcatenate(ConcatenateOp op,
                              llvm::ArrayRef<LaneIndex> indices);
  mlir::Value emitGather(GatherOp op, llvm::ArrayRef<LaneIndex> indices);
  mlir::Value emitGatherApart(GatherOp op, llvm::ArrayRef<LaneIndex> batch,
                              llvm::ArrayRef<LaneIndex> mapped);
  /// The last place along `dim` where a slice of the gather may start.
  mlir::Value lastStart(GatherOp op, int64_t dim);
  mlir::Value emitCheckRange(CheckRangeOp op,
                             llvm::ArrayRef<LaneIndex> indices);
  mlir::Value emitReduce(ReduceOp op, llvm::ArrayRef<LaneIndex> indices);
  mlir::Value emitArgReduce(ArgReduceOp op, llvm::ArrayRef<LaneIndex> indices);
  mlir::Value emitReduceWindow(ReduceWindowOp op,
                               llvm::ArrayRef<LaneIndex> indices);
  mlir::Value emitArgReduceWindow(ArgReduceWindowOp op,
                                  llvm::ArrayRef<LaneIndex> indices);
  /// Converts an element `x` of a contraction's operand to the type of the sum;
  /// with Products::Pairs it is rounded to bf16 first.
  mlir::Value factor(mlir::Value x, mlir::Value operand, Products products,
                     mlir::Type sum);
  mlir::Value emitDot(DotGeneralOp op, llvm::ArrayRef<LaneIndex> indices);
  mlir::Value emitConvolution(ConvolutionOp op,
                              llvm::ArrayRef<LaneIndex> indices);

  /// Emits one loop per extent around `body(indices, carried) -> carried` and
  /// returns the last carried values. Elements emitted inside are forgotten
  /// afterwards.
  llvm::SmallVector<mlir::Value>
  loops(llvm::ArrayRef<mlir::Value> extents, mlir::ValueRange init,
        llvm::function_ref<llvm::SmallVector<mlir::Value>(
            llvm::ArrayRef<mlir::Value>, mlir::ValueRange)>
            body);
  /// `condition ? then() : otherwise`; `then` runs only if the condition holds.
  mlir::Value guarded(mlir::Value condition, mlir::Value otherwise,
                      llvm::function_ref<mlir::Value()> then);
  /// An i1 (or lanes of it) that is true if `candidate` replaces `best` in an
  /// arg reduction. NaN beats every number; with `last` a candidate wins ties.
  mlir::Value beats(ReduceKind kind, bool last, mlir::Type tenonElement,
                    mlir::Value candidate, mlir::Value best);
  mlir::Value broadcastToLanes(mlir::Value scalar);
  mlir::Value scalarOf(mlir::Value tensor, llvm::ArrayRef<LaneIndex> indices);
  mlir::Value fail() {
    hasFailed = true;
    return {};
  }
  IndexBuilder at() { return {b, kernel.loc()}; }

  Kernel &kernel;
  mlir::OpBuilder &b;
  int64_t lanes;
  mlir::Value laneMask, validLanes;
  llvm::DenseMap<mlir::Value, mlir::Value> presets;
  llvm::DenseMap<mlir::Operation *, size_t> chosen; ///< of concatenations
  std::map<Key, mlir::Value> memo;
  bool hasFailed = false;
};

/// The element of `tensor` at `place`, read with an emitter of one lane, which
/// forgets what it has emitted.
mlir::Value elementAt(ElementEmitter &emitter, mlir::Value tensor,
                      llvm::ArrayRef<mlir::Value> place);

/// The element type of a tensor of the region.
inline mlir::Type elementTypeOf(mlir::Value tensor) {
  return llvm::cast<mlir::RankedTensorType>(tensor.getType()).getElementType();
}

} // namespace tenon

#endif // TENON_PASSES_KERNEL_ELEMENT_ELEMENTEMITTER_H
