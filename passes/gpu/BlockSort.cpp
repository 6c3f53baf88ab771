// Sort and top-k kernels whose threads share a row. The threads write the keys
// of a sort to the output; then all of them call the core.
#include "passes/gpu/BlockSort.h"

#include "passes/gpu/BlockKernel.h"
#include "passes/gpu/BlockTile.h"
#include "passes/kernel/CoreCalls.h"
#include "passes/kernel/element/ElementEmitter.h"
#include "passes/kernel/rows/RowTasks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tenon {

/// A shorter row is too little work for a block.
constexpr int64_t leastElements = 64;

namespace {
class BlockSort : BlockKernel {
public:
  explicit BlockSort(Kernel &kernel)
      : BlockKernel(kernel), sizes(kernel, 1), thread(threadNumber()) {}

  TaskCounter emit() {
    auto sort = opOf<SortOp>(kernel);
    auto topK = opOf<TopKOp>(kernel);
    int64_t dim = sort ? sort.getDim() : topK.getDim();
    forEachRow(kernel, kernel.outputs[0], dim, 1, [&](ArrayRef<Value> line) {
      sort ? emitSort(sort, line) : emitTop(topK, line);
    });
    return rowTasks(dim, 1);
  }

private:
  void emitSort(SortOp op, ArrayRef<Value> line) {
    int64_t dim = op.getDim();
    Type element = cast<RankedTensorType>(op.getType(0)).getElementType();
    Value width = sizes.extent(kernel.outputs[0], dim);
    forRange(thread, width, blockThreads, [&](Value column) {
      ElementEmitter emitter(kernel, 1);
      Values place(line);
      place[dim] = column;
      emitter.store(elementAt(emitter, op.getOperand(), place), element,
                    kernel.outputs[0], place);
    });
    callCore(kernel, coreRowFunction("block_sort", element),
             {addressOf(kernel, kernel.outputs[0], line),
              addressOf(kernel, kernel.outputs[1], line),
              asInteger(kernel, width), strideOf(dim),
              flag(op.getDescending())});
  }

  void emitTop(TopKOp op, ArrayRef<Value> line) {
    int64_t dim = op.getDim();
    Type element =
        cast<RankedTensorType>(op.getOperand().getType()).getElementType();
    Value width = sizes.extent(op.getOperand(), dim);
    Value wanted = at().min(sizes.extent(kernel.outputs[0], dim), width);
    callCore(
        kernel, coreRowFunction("block_top", element),
        {addressOf(kernel, kernel.arguments.lookup(op.getOperand()), line),
         asInteger(kernel, width), addressOf(kernel, kernel.outputs[0], line),
         addressOf(kernel, kernel.outputs[1], line), asInteger(kernel, wanted),
         strideOf(dim), flag(!op.getAscending())});
  }

  /// The distance of neighbours along `dim`, in elements.
  Value strideOf(int64_t dim) {
    Value output = kernel.outputs[0];
    Value stride = at().constant(1);
    for (int64_t d = dim + 1; d < cast<MemRefType>(output.getType()).getRank();
         ++d)
      stride = at().mul(stride, sizes.extent(output, d));
    return asInteger(kernel, stride);
  }

  Value flag(bool value) {
    return arith::ConstantIntOp::create(b, loc, value, 32);
  }

  ElementEmitter sizes;
  Value thread;
};
} // namespace

BlockPlanAttr planBlockSort(FusionOp fusion) {
  for (Operation &op : fusion.getBlock()) {
    int64_t dim;
    if (auto sort = dyn_cast<SortOp>(op))
      dim = sort.getDim();
    else if (auto topK = dyn_cast<TopKOp>(op))
      dim = topK.getDim();
    else
      continue;
    auto type = cast<RankedTensorType>(op.getOperand(0).getType());
    if (type.isDynamicDim(dim) || type.getDimSize(dim) >= leastElements)
      return BlockPlanAttr::get(fusion.getContext());
  }
  return {};
}

TaskCounter emitBlockSort(Kernel &kernel) { return BlockSort(kernel).emit(); }

} // namespace tenon
