// Kernels for concatenations of tensors in memory. For every outer index each
// operand is one contiguous run, copied by a simple loop. The general map
// kernel would search the operand of every row. Here one task is one outer
// index, such as a head or an image, as in the kernel that reads the result.
#include "passes/cpu/map/MapKernels.h"

#include "passes/kernel/element/ElementEmitter.h"
#include "passes/kernel/element/FlatMemory.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

/// Use this kernel only for this many outer indices, and for at least this many
/// elements for each.
constexpr int64_t fewestRuns = 8, leastRun = 1024;

TaskCounter emitJoin(Kernel &kernel) {
  OpBuilder &b = kernel.builder;
  Location loc = kernel.loc();
  IndexBuilder at{b, loc};
  auto join =
      kernel.fusion.getYield().getOperand(0).getDefiningOp<ConcatenateOp>();
  int64_t lanes = kernel.lanes();
  if (!join)
    return nullptr;
  int64_t dim = join.getDim();
  auto runOf = [&](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getShape().drop_front(dim);
  };
  auto isRun = [&](Value operand) {
    return isa<BlockArgument>(operand) &&
           !ShapedType::isDynamicShape(runOf(operand)) &&
           ShapedType::getNumElements(runOf(operand)) % lanes == 0;
  };
  int64_t known = 1;
  for (int64_t extent : join.getType().getShape().take_front(dim))
    known *= ShapedType::isDynamic(extent) ? 1 : extent;
  if (known < fewestRuns || !llvm::all_of(join.getOperands(), isRun))
    return nullptr;
  int64_t whole = ShapedType::getNumElements(runOf(join.getResult()));
  if (whole < leastRun)
    return nullptr;
  SmallVector<Value> inputs;
  for (Value operand : join.getOperands())
    inputs.push_back(flattened(kernel, kernel.arguments.lookup(operand)));
  Value output = flattened(kernel, kernel.outputs[0]);
  auto type = VectorType::get(
      {lanes}, cast<MemRefType>(output.getType()).getElementType());
  auto tasks =
      scf::ForOp::create(b, loc, kernel.begin, kernel.end, at.constant(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(tasks.getBody());
  Value run = tasks.getInductionVar(), to = at.mul(run, at.constant(whole));
  for (auto [operand, memory] : llvm::zip_equal(join.getOperands(), inputs)) {
    int64_t size = ShapedType::getNumElements(runOf(operand));
    Value from = at.mul(run, at.constant(size));
    auto loop = scf::ForOp::create(b, loc, at.constant(0), at.constant(size),
                                   at.constant(lanes));
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToStart(loop.getBody());
    Value i = loop.getInductionVar();
    Value loaded =
        vector::LoadOp::create(b, loc, type, memory, at.add(from, i));
    vector::StoreOp::create(b, loc, loaded, output, at.add(to, i));
    b.setInsertionPointAfter(loop);
    to = at.add(to, at.constant(size));
  }
  return [dim](OpBuilder &b, Location loc, ArrayRef<OpFoldResult> sizes) {
    return IndexBuilder{b, loc}.product(sizes.take_front(dim));
  };
}

} // namespace tenon
