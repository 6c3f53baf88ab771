// A thread finds the indices of its element and asks the element emitter for
// it, which computes contractions and windows too.
#include "passes/gpu/ElementKernel.h"

#include "passes/kernel/KernelLoops.h"
#include "passes/kernel/element/ElementEmitter.h"

using namespace mlir;

namespace tenon {

namespace {
class ElementKernel : KernelLoops {
public:
  explicit ElementKernel(Kernel &kernel) : KernelLoops(kernel) {}

  void emit(Value value) {
    ElementEmitter sizes(kernel, 1);
    auto type = cast<RankedTensorType>(value.getType());
    Value output = kernel.outputs[0];
    Values extents;
    for (int64_t d = 0; d < type.getRank(); ++d)
      extents.push_back(sizes.extent(output, d));
    forRange(kernel.begin, kernel.end, 1, [&](Value task) {
      Values place =
          extents.empty() ? Values() : Values(at().delinearize(task, extents));
      SmallVector<LaneIndex> indices;
      for (Value index : place)
        indices.push_back({index, 0});
      ElementEmitter emitter(kernel, 1);
      emitter.store(emitter.emit(value, indices), type.getElementType(), output,
                    place);
    });
  }
};
} // namespace

TaskCounter emitElements(Kernel &kernel, Value value) {
  ElementKernel(kernel).emit(value);
  return [](OpBuilder &b, Location loc, ArrayRef<OpFoldResult> sizes) -> Value {
    return IndexBuilder{b, loc}.product(sizes);
  };
}

} // namespace tenon
