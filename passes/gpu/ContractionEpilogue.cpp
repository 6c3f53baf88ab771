// The sum takes the contraction's place in the region, and the element emitter
// computes the rest.
#include "passes/gpu/ContractionEpilogue.h"

#include "passes/kernel/element/ElementEmitter.h"
#include "passes/kernel/numerics/Conversions.h"

using namespace mlir;

namespace tenon {

static Type elementOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

void storeContractionElement(Kernel &kernel, Value dot,
                             const ContractionNest &nest, ArrayRef<Value> place,
                             Value sum) {
  SmallVector<LaneIndex> indices;
  for (Value index : place)
    indices.push_back({index, 0});
  ElementEmitter emitter(kernel, 1);
  emitter.preset(dot, emitConvert(kernel.builder, kernel.loc(), sum, nest.sum,
                                  elementOf(dot)));
  Value root = kernel.fusion.getYield().getOperand(0);
  emitter.store(emitter.emit(root, indices), elementOf(root), kernel.outputs[0],
                place);
}

} // namespace tenon
