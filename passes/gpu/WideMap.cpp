// A thread computes a vector of neighbouring elements. If memory is not
// aligned, it computes as many elements one by one, those that lie as far apart
// as the block has threads.
#include "passes/gpu/WideMap.h"

#include "passes/gpu/AlignedVectors.h"
#include "passes/gpu/BlockKernel.h"
#include "passes/kernel/element/ElementEmitter.h"
#include "passes/kernel/element/FlatMemory.h"

using namespace mlir;

namespace tenon {

namespace {
class WideMap : BlockKernel {
public:
  WideMap(Kernel &kernel, WideMapPlanAttr plan)
      : BlockKernel(kernel), lanes(plan.getLanes()), isFlat(plan.getFlat()),
        root(kernel.fusion.getYield().getOperand(0)) {
    if (isFlat)
      flatten();
    ElementEmitter sizes(kernel, 1);
    Value output = kernel.outputs[0];
    for (int64_t d = 0; d < cast<MemRefType>(output.getType()).getRank(); ++d)
      extents.push_back(sizes.extent(output, d));
  }

  void emit() {
    Value count = at().product(
              SmallVector<OpFoldResult>(extents.begin(), extents.end())),
          thread = threadNumber(), width = at().constant(lanes);
    // Rows that are not flat are whole vectors.
    ifAligned(
        kernel, isFlat ? ValueRange() : ValueRange(extents.back()), lanes,
        [&] {
          Value number = at().add(
              at().mul(kernel.begin, at().constant(blockThreads)), thread);
          Value isWhole = at().less(number, at().floorDiv(count, width));
          if (!isFlat || getConstantIntValue(count).value_or(1) % lanes == 0)
            return when(isWhole, [&] { computeVector(number); });
          choose(
              isWhole, [&] { computeVector(number); },
              [&] {
                forRange(at().mul(number, width), count, 1,
                         [&](Value element) { computeOne(element); });
              });
        },
        [&] {
          Value first = at().mul(kernel.begin, at().constant(blockElements())),
                end = at().min(at().add(first, at().constant(blockElements())),
                               count);
          forRange(at().add(first, thread), end, blockThreads,
                   [&](Value element) { computeOne(element); });
        });
  }

  int64_t blockElements() const { return lanes * blockThreads; }

private:
  /// Makes all tensors rows of all their elements.
  void flatten() {
    for (BlockArgument argument : kernel.fusion.getBlock().getArguments()) {
      Value &memory = kernel.arguments[argument];
      auto type = dyn_cast<MemRefType>(memory.getType());
      if (type && type.getRank() > 0)
        memory = flattened(kernel, memory);
    }
    for (Value &output : kernel.outputs)
      output = flattened(kernel, output);
  }

  void computeVector(Value number) {
    Values rows = extents;
    rows.back() = at().floorDiv(rows.back(), at().constant(lanes));
    Values place = at().delinearize(number, rows);
    place.back() = at().mul(place.back(), at().constant(lanes));
    compute(place, lanes);
  }
  void computeOne(Value element) {
    compute(at().delinearize(element, extents), 1);
  }
  void compute(ArrayRef<Value> place, int64_t count) {
    SmallVector<LaneIndex> indices;
    for (Value index : place)
      indices.push_back({index, 0});
    indices.back().stride = 1;
    ElementEmitter emitter(kernel, count);
    emitter.store(emitter.emit(root, indices),
                  cast<RankedTensorType>(root.getType()).getElementType(),
                  kernel.outputs[0], place);
  }

  int64_t lanes;
  bool isFlat;
  Value root;
  Values extents;
};
} // namespace

TaskCounter emitWideMap(Kernel &kernel, WideMapPlanAttr plan) {
  WideMap map(kernel, plan);
  map.emit();
  return [elements = map.blockElements()](OpBuilder &b, Location loc,
                                          ArrayRef<OpFoldResult> sizes) {
    IndexBuilder at{b, loc};
    return at.ceilDiv(at.product(sizes), elements);
  };
}

} // namespace tenon
