// Matrix products and convolutions. Depthwise convolutions have an emitter of
// their own; what else there is becomes nests of strides and then register
// tiles. The general path is left with forms whose extents show too late.
#include "passes/cpu/ContractionEmitter.h"

#include "passes/cpu/amx/AmxEmitter.h"
#include "passes/cpu/depthwise/DepthwiseEmitter.h"
#include "passes/cpu/gemm/GemmEmitter.h"
#include "passes/cpu/tile/GemmTask.h"
#include "passes/cpu/tile/TileEpilogue.h"
#include "passes/kernel/Kernel.h"
#include "passes/kernel/nest/ContractionNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon {

/// Where the run may have few rows it asks, and does those as without tiles.
static TaskCounter emitTiled(Kernel &kernel, Value dot,
                             const ContractionNest &nest, const AmxPlan &plan) {
  OpBuilder &b = kernel.builder;
  Location loc = kernel.loc();
  auto areMany = [](IndexBuilder at, Value rows) {
    return at.less(at.constant(amxFewRows), rows);
  };
  TaskCounter tiled = countTasks(nest, plan.block);
  Value many = areMany({b, loc}, GemmTask(kernel, nest, plan.block).rows);
  if (getConstantIntValue(many)) {
    emitAmx(kernel, dot, nest, plan);
    return tiled;
  }
  auto branch = scf::IfOp::create(b, loc, many, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  emitAmx(kernel, dot, nest, plan);
  b.setInsertionPointToStart(&branch.getElseRegion().front());
  TaskCounter plain = emitGemm(kernel, dot, nest);
  return [=, rows = countRows(nest)](OpBuilder &b, Location loc,
                                     ArrayRef<OpFoldResult> sizes) -> Value {
    return arith::SelectOp::create(b, loc,
                                   areMany({b, loc}, rows(b, loc, sizes)),
                                   tiled(b, loc, sizes), plain(b, loc, sizes));
  };
}

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
    if (convolution.getProducts() == Products::Chain)
      if (TaskCounter tasks = emitDepthwise(kernel, convolution))
        return tasks;
    nests = nestsOfConvolution(kernel, convolution);
  }
  if (nests.empty())
    return nullptr;
  Value result = contraction->getResult(0);
  if (std::optional<AmxPlan> plan = planAmx(nests.front(), kernel.amxParts);
      plan && nests.size() == 1 &&
      TileEpilogue(kernel, result, nests.front().sum, amxTile)
          .vectorizes(nests.front().columnIsLast()))
    return emitTiled(kernel, result, nests.front(), *plan);
  return emitGemm(kernel, result, nests);
}

} // namespace tenon
