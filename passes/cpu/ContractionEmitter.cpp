// Matrix products and convolutions. Depthwise convolutions have an emitter of
// their own; what else there is becomes nests of strides and then register
// tiles. The general path is left with forms whose extents show too late.
#include "passes/cpu/ContractionNest.h"
#include "passes/cpu/DepthwiseEmitter.h"
#include "passes/cpu/GemmEmitter.h"
#include "passes/cpu/Kernel.h"

using namespace mlir;

namespace tenon {

TaskCounter emitContraction(Kernel &kernel) {
  Operation *contraction = nullptr;
  for (Operation &op : kernel.fusion.getBlock())
    if (isa<DotGeneralOp, ConvolutionOp>(op)) {
      if (contraction)
        return nullptr;
      contraction = &op;
    }
  if (!contraction || kernel.outputs.size() != 1)
    return nullptr;
  auto shape = [](Value value) {
    return cast<ShapedType>(value.getType()).getShape();
  };
  if (shape(contraction->getResult(0)) !=
      shape(kernel.fusion.getYield().getOperand(0)))
    return nullptr;
  std::vector<ContractionNest> nests;
  if (auto dot = dyn_cast<DotGeneralOp>(contraction)) {
    if (std::optional<ContractionNest> nest = nestOfDot(kernel, dot))
      nests.push_back(*nest);
  } else {
    auto convolution = cast<ConvolutionOp>(contraction);
    if (TaskCounter tasks = emitDepthwise(kernel, convolution))
      return tasks;
    nests = nestsOfConvolution(kernel, convolution);
  }
  if (nests.empty())
    return nullptr;
  return emitGemm(kernel, contraction->getResult(0), nests);
}

} // namespace tenon
