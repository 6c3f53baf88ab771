// Sort kernels: write the keys and their positions to the outputs unsorted,
// then call the core to sort each row in place.
#include "passes/kernel/rows/RowKernels.h"

#include "passes/kernel/CoreCalls.h"
#include "passes/kernel/element/ElementEmitter.h"
#include "passes/kernel/rows/RowTasks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon {

TaskCounter emitSort(Kernel &kernel) {
  SortOp op;
  for (Operation &inner : kernel.fusion.getBlock())
    if (auto sort = dyn_cast<SortOp>(inner))
      op = sort;
  OpBuilder &b = kernel.builder;
  Location loc = kernel.loc();
  IndexBuilder at{b, loc};
  int64_t dim = op.getDim();
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  forEachRow(kernel, kernel.outputs[0], dim, 1, [&](ArrayRef<Value> line) {
    ElementEmitter sizes(kernel, 1);
    Value width = sizes.extent(kernel.outputs[0], dim);
    auto loop =
        scf::ForOp::create(b, loc, at.constant(0), width, at.constant(1));
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      ElementEmitter emitter(kernel, 1);
      SmallVector<Value> place(line);
      place[dim] = loop.getInductionVar();
      SmallVector<LaneIndex> indices;
      for (Value index : place)
        indices.push_back({index, 0});
      emitter.store(emitter.emit(op.getOperand(), indices),
                    type.getElementType(), kernel.outputs[0], place);
      emitter.store(asInteger(kernel, loop.getInductionVar()), b.getI64Type(),
                    kernel.outputs[1], place);
    }
    Value stride = at.constant(1);
    for (int64_t d = dim + 1; d < type.getRank(); ++d)
      stride = at.mul(stride, sizes.extent(kernel.outputs[0], d));
    Value descending =
        arith::ConstantIntOp::create(b, loc, op.getDescending(), 32);
    callCore(kernel, coreRowFunction("sort", type.getElementType()),
             {addressOf(kernel, kernel.outputs[0], line),
              addressOf(kernel, kernel.outputs[1], line),
              asInteger(kernel, width), asInteger(kernel, stride), descending});
  });
  return rowTasks(dim, 1);
}

} // namespace tenon
