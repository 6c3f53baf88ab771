// Products have one nest; a transposed convolution has several.
#include "passes/kernel/nest/KernelNests.h"

using namespace mlir;

namespace tenon {

Operation *contractionOf(Kernel &kernel) {
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
  return shape(contraction->getResult(0)) ==
                 shape(kernel.fusion.getYield().getOperand(0))
             ? contraction
             : nullptr;
}

std::vector<ContractionNest> nestsOf(Kernel &kernel, Operation *contraction,
                                     const char *&obstacle) {
  auto dot = dyn_cast<DotGeneralOp>(contraction);
  if (!dot)
    return nestsOfConvolution(kernel, cast<ConvolutionOp>(contraction),
                              obstacle);
  std::optional<ContractionNest> nest = nestOfDot(kernel, dot, obstacle);
  return nest ? std::vector{*nest} : std::vector<ContractionNest>();
}

} // namespace tenon
