// Computes elements of any value inside a fusion at given indices: by recursion
// over the region's ops, whose index maps turn the indices of a result into
// those of its operands, down to loads from memory. One element, or `lanes`
// elements at once.
#ifndef TENON_PASSES_KERNEL_ELEMENT_ELEMENTEMITTER_H
#define TENON_PASSES_KERNEL_ELEMENT_ELEMENTEMITTER_H

#include "dialects/tenon/Packing.h"
#include "dialects/tenon/Quantization.h"
#include "passes/kernel/Kernel.h"
#include "passes/kernel/numerics/Lanes.h"

#include <map>
#include <vector>

namespace tenon {

/// One index of `lanes` elements: lane l stands at base + l * stride.
struct LaneIndex {
  mlir::Value base;
  int64_t stride = 0;
};

class ElementEmitter {
public:
  ElementEmitter(Kernel &kernel, int64_t lanes)
      : kernel(kernel), b(kernel.builder), lanes(lanes) {}

  /// The element(s) of `tensor` at `indices`: a scalar for one lane, else a
  /// vector. Null, with `failed()` set, where some op cannot be computed for
  /// several lanes.
  mlir::Value emit(mlir::Value tensor, llvm::ArrayRef<LaneIndex> indices);

  /// Lanes from `valid` on are not to touch memory; their elements are
  /// unspecified.
  void setMask(mlir::Value mask, mlir::Value valid) {
    laneMask = mask;
    validLanes = valid;
  }
  /// The same with the mask made for it.
  void setValid(mlir::Value valid) {
    setMask(firstLanes(b, kernel.loc(), lanes, valid), valid);
  }
  /// From now on `tensor` is `element`, whatever the indices.
  void preset(mlir::Value tensor, mlir::Value element) {
    presets[tensor] = element;
  }
  /// Forgets computed elements: to be called where the builder moves to code
  /// that earlier code does not dominate.
  void forget() { memo.clear(); }

  bool failed() const { return hasFailed; }

  /// An extent of any value in the region, or of a fusion output, in terms of
  /// the function's arguments.
  mlir::Value extent(mlir::Value tensor, int64_t dim);

  /// An index or mixed size of the region as a value of the function.
  mlir::Value index(mlir::OpFoldResult size);

  /// The register type of `lanes` elements of a tenon element type.
  mlir::Type laneType(mlir::Type tenonElement);

  /// Stores lanes of `value` (register form of `tenonElement`) to `memref` at
  /// indices whose last one is the lanes' place.
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
  /// Whether an extent is one, as i1.
  mlir::Value isOne(mlir::Value tensor, int64_t dim);
  mlir::Value emitIota(IotaOp op, llvm::ArrayRef<LaneIndex> indices);
  mlir::Value emitSlice(SliceOp op, llvm::ArrayRef<LaneIndex> indices);
  mlir::Value emitReverse(ReverseOp op, llvm::ArrayRef<LaneIndex> indices);
  mlir::Value emitReshape(ReshapeOp op, llvm::ArrayRef<LaneIndex> indices);
  mlir::Value emitUnpair(UnpairOp op, llvm::ArrayRef<LaneIndex> indices);
  mlir::Value emitDequantize(DequantizeOp op,
                             llvm::ArrayRef<LaneIndex> indices);
  mlir::Value emitUnpack(UnpackOp op, llvm::ArrayRef<LaneIndex> indices);
  mlir::Value emitPad(PadOp op, llvm::ArrayRef<LaneIndex> indices);
  mlir::Value emitConcatenate(ConcatenateOp op,
                              llvm::ArrayRef<LaneIndex> indices);
  mlir::Value emitGather(GatherOp op, llvm::ArrayRef<LaneIndex> indices);
  mlir::Value emitCheckRange(CheckRangeOp op,
                             llvm::ArrayRef<LaneIndex> indices);
  mlir::Value emitReduce(ReduceOp op, llvm::ArrayRef<LaneIndex> indices);
  mlir::Value emitArgReduce(ArgReduceOp op, llvm::ArrayRef<LaneIndex> indices);
  mlir::Value emitReduceWindow(ReduceWindowOp op,
                               llvm::ArrayRef<LaneIndex> indices);
  mlir::Value emitArgReduceWindow(ArgReduceWindowOp op,
                                  llvm::ArrayRef<LaneIndex> indices);
  /// An element `x` of a contraction's operand as it is multiplied.
  mlir::Value factor(mlir::Value x, mlir::Value operand, Products products,
                     mlir::Type sum);
  mlir::Value emitDot(DotGeneralOp op, llvm::ArrayRef<LaneIndex> indices);
  mlir::Value emitConvolution(ConvolutionOp op,
                              llvm::ArrayRef<LaneIndex> indices);

  /// One loop per extent around `body(indices, carried) -> carried`; elements
  /// computed inside are forgotten after.
  llvm::SmallVector<mlir::Value>
  loops(llvm::ArrayRef<mlir::Value> extents, mlir::ValueRange init,
        llvm::function_ref<llvm::SmallVector<mlir::Value>(
            llvm::ArrayRef<mlir::Value>, mlir::ValueRange)>
            body);
  /// `inside ? then() : otherwise`, the first computed only where it holds.
  mlir::Value guarded(mlir::Value condition, mlir::Value otherwise,
                      llvm::function_ref<mlir::Value()> then);
  /// `wins` of two candidates in an arg reduction, NaN above all.
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
  std::map<Key, mlir::Value> memo;
  bool hasFailed = false;
};

} // namespace tenon

#endif // TENON_PASSES_KERNEL_ELEMENT_ELEMENTEMITTER_H
