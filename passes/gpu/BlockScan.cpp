// Each thread combines the elements of its part of a row. What the threads
// before have found is the start of its prefixes.
#include "passes/gpu/BlockScan.h"

#include "passes/gpu/BlockPrefix.h"
#include "passes/kernel/element/ElementEmitter.h"
#include "passes/kernel/numerics/ElementwiseEmitter.h"
#include "passes/kernel/rows/RowTasks.h"

using namespace mlir;

namespace tenon {

/// A shorter row is too little work for a block; more rows are enough work for
/// a thread each.
constexpr int64_t leastElements = 128, mostRows = 4096;

namespace {
class BlockScan : BlockPrefix {
public:
  explicit BlockScan(Kernel &kernel)
      : BlockPrefix(kernel), op(opOf<CumulativeOp>(kernel)), dim(op.getDim()),
        element(cast<RankedTensorType>(op.getType()).getElementType()) {}

  TaskCounter emit() {
    forEachRow(kernel, kernel.outputs[0], dim, 1,
               [&](ArrayRef<Value> line) { emitRow(line); });
    return rowTasks(dim, 1);
  }

private:
  void emitRow(ArrayRef<Value> line) {
    ElementEmitter emitter(kernel, 1);
    Value width = emitter.extent(kernel.outputs[0], dim);
    Value identity =
        emitIdentity(b, loc, op.getKind(), element, emitter.laneType(element));
    Part part = partOf(width);
    Value all =
        carry(part.low, part.high, 1, identity,
              [&](Value step, const Values &former) -> Values {
                return {combine(former[0], load(placeOf(line, width, step)))};
              })
            .front();
    Value first =
        before(all, identity, [&](Value a, Value c) { return combine(a, c); });
    carry(part.low, part.high, 1, first,
          [&](Value step, const Values &former) -> Values {
            Values place = placeOf(line, width, step);
            Value next = combine(former[0], load(place));
            ElementEmitter(kernel, 1).store(op.getExclusive() ? former[0]
                                                              : next,
                                            element, kernel.outputs[0], place);
            return {next};
          });
  }

  Value combine(Value a, Value c) {
    return emitCombine(b, loc, op.getKind(), element, a, c);
  }

  Values placeOf(ArrayRef<Value> line, Value width, Value step) {
    Values place(line);
    place[dim] = op.getReverse()
                     ? at().sub(at().sub(width, at().constant(1)), step)
                     : step;
    return place;
  }

  Value load(ArrayRef<Value> place) {
    ElementEmitter emitter(kernel, 1);
    return elementAt(emitter, op.getOperand(), place);
  }

  CumulativeOp op;
  int64_t dim;
  Type element;
};
} // namespace

BlockPlanAttr planBlockScan(FusionOp fusion) {
  for (auto op : fusion.getBlock().getOps<CumulativeOp>()) {
    auto type = cast<RankedTensorType>(op.getType());
    int64_t dim = op.getDim(), rows = 1;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (d != dim && !type.isDynamicDim(d))
        rows =
            std::min(mostRows, rows * std::min(mostRows, type.getDimSize(d)));
    bool isLong =
        type.isDynamicDim(dim) || type.getDimSize(dim) >= leastElements;
    if (isa<IntegerType>(type.getElementType()) && isLong && rows < mostRows)
      return BlockPlanAttr::get(fusion.getContext());
  }
  return {};
}

TaskCounter emitBlockScan(Kernel &kernel) { return BlockScan(kernel).emit(); }

} // namespace tenon
