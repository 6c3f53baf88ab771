// Scan kernels: running sums and products along one dimension. Tasks are groups
// of rows along that dimension; the elements of a row are computed in order.
#include "passes/kernel/rows/RowKernels.h"

#include "passes/kernel/element/ElementEmitter.h"

#include "passes/kernel/numerics/Conversions.h"
#include "passes/kernel/numerics/ElementwiseEmitter.h"
#include "passes/kernel/rows/RowTasks.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon {

TaskCounter rowTasks(int64_t dim, int64_t perTask) {
  return [dim, perTask](OpBuilder &b, Location loc,
                        ArrayRef<OpFoldResult> sizes) -> Value {
    IndexBuilder at{b, loc};
    SmallVector<OpFoldResult> others(sizes);
    others.erase(others.begin() + dim);
    return at.ceilDiv(at.product(others), perTask);
  };
}

void forEachRow(Kernel &kernel, Value shaped, int64_t dim, int64_t perTask,
                llvm::function_ref<void(ArrayRef<Value>)> body) {
  OpBuilder &b = kernel.builder;
  IndexBuilder at{b, kernel.loc()};
  ElementEmitter sizes(kernel, 1);
  SmallVector<Value> extents;
  Value lines = at.constant(1);
  for (int64_t d = 0; d < cast<ShapedType>(shaped.getType()).getRank(); ++d) {
    if (d == dim)
      continue;
    extents.push_back(sizes.extent(shaped, d));
    lines = at.mul(lines, extents.back());
  }
  auto loop = scf::ForOp::create(
      b, kernel.loc(), at.mul(kernel.begin, at.constant(perTask)),
      at.min(at.mul(kernel.end, at.constant(perTask)), lines), at.constant(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> indices = at.delinearize(loop.getInductionVar(), extents);
  indices.insert(indices.begin() + dim, at.constant(0));
  body(indices);
}

TaskCounter emitScan(Kernel &kernel) {
  CumulativeOp op;
  for (Operation &inner : kernel.fusion.getBlock())
    if (auto scan = dyn_cast<CumulativeOp>(inner))
      op = scan;
  OpBuilder &b = kernel.builder;
  Location loc = kernel.loc();
  IndexBuilder at{b, loc};
  int64_t dim = op.getDim();
  Type element = cast<RankedTensorType>(op.getType()).getElementType();
  Type sum =
      isa<Float16Type, BFloat16Type>(element) ? Type(b.getF32Type()) : element;
  int64_t perTask = kernel.hasFineTasks ? 1 : 16;
  forEachRow(
      kernel, kernel.outputs[0], dim, perTask, [&](ArrayRef<Value> line) {
        Value width = ElementEmitter(kernel, 1).extent(kernel.outputs[0], dim);
        Value init = emitIdentity(b, loc, op.getKind(), sum,
                                  ElementEmitter(kernel, 1).laneType(sum));
        auto loop = scf::ForOp::create(b, loc, at.constant(0), width,
                                       at.constant(1), init);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(loop.getBody());
        ElementEmitter emitter(kernel, 1);
        SmallVector<Value> place(line);
        Value step = loop.getInductionVar();
        place[dim] = op.getReverse()
                         ? at.sub(at.sub(width, at.constant(1)), step)
                         : step;
        SmallVector<LaneIndex> indices;
        for (Value index : place)
          indices.push_back({index, 0});
        Value value = emitConvert(
            b, loc, emitter.emit(op.getOperand(), indices), element, sum);
        Value next = emitCombine(b, loc, op.getKind(), sum,
                                 loop.getRegionIterArg(0), value);
        Value stored =
            op.getExclusive() ? Value(loop.getRegionIterArg(0)) : next;
        emitter.store(emitConvert(b, loc, stored, sum, element), element,
                      kernel.outputs[0], place);
        scf::YieldOp::create(b, loc, next);
      });
  return rowTasks(dim, perTask);
}

} // namespace tenon
