// Nonzero kernels: one loop over all elements, which writes the indices of each
// nonzero element to the next row of the output.
#include "passes/kernel/index/IndexKernels.h"

#include "passes/kernel/CoreCalls.h"
#include "passes/kernel/element/ElementEmitter.h"
#include "passes/kernel/numerics/Conversions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon {

TaskCounter emitNonzero(Kernel &kernel) {
  auto op = opOf<NonzeroOp>(kernel);
  OpBuilder &b = kernel.builder;
  Location loc = kernel.loc();
  IndexBuilder at{b, loc};
  ElementEmitter emitter(kernel, 1);
  int64_t rank = cast<RankedTensorType>(op.getOperand().getType()).getRank();
  SmallVector<Value> extents;
  Value count = at.constant(1), room = emitter.extent(kernel.outputs[0], 0);
  for (int64_t d = 0; d < rank; ++d) {
    extents.push_back(emitter.extent(op.getOperand(), d));
    count = at.mul(count, extents.back());
  }
  auto loop = scf::ForOp::create(b, loc, at.constant(0), count, at.constant(1),
                                 ValueRange(at.constant(0)));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> place =
      rank == 0 ? SmallVector<Value>()
                : at.delinearize(loop.getInductionVar(), extents);
  SmallVector<LaneIndex> indices;
  for (Value index : place)
    indices.push_back({index, 0});
  Type element =
      cast<RankedTensorType>(op.getOperand().getType()).getElementType();
  Value found = emitConvert(b, loc, emitter.emit(op.getOperand(), indices),
                            element, b.getI1Type());
  Value next = loop.getRegionIterArg(0);
  // The output has as many rows as were counted before; never write behind
  // them.
  Value fits = arith::AndIOp::create(b, loc, found, at.less(next, room));
  auto branch = scf::IfOp::create(b, loc, fits, false);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  for (auto [d, index] : llvm::enumerate(place))
    emitter.store(asInteger(kernel, index), b.getI64Type(), kernel.outputs[0],
                  {next, at.constant(d)});
  b.setInsertionPointAfter(branch);
  Value step = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), fits);
  scf::YieldOp::create(b, loc, at.add(next, step));
  return oneTask();
}

} // namespace tenon
