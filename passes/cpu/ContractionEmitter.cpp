// Chooses the emitter of a contraction. Convolutions of narrow groups or with
// few outputs have emitters of their own; other contractions become nests of
// strides and then tiles. The general path is the fallback for forms whose
// extents are known only at run time.
#include "passes/cpu/ContractionEmitter.h"

#include "passes/cpu/amx/AmxEmitter.h"
#include "passes/cpu/depthwise/DepthwiseEmitter.h"
#include "passes/cpu/gemm/GemmEmitter.h"
#include "passes/cpu/gemm/GemmPlan.h"
#include "passes/cpu/map/MapKernels.h"
#include "passes/cpu/narrow/FewOutputs.h"
#include "passes/cpu/tile/NestFacts.h"
#include "passes/cpu/tile/TileEpilogue.h"
#include "passes/kernel/Kernel.h"
#include "passes/kernel/nest/KernelNests.h"
#include "passes/kernel/nest/NestTask.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon {

Attribute planContraction(Kernel &kernel, const char *&obstacle) {
  MachineAttr machine = kernel.machine;
  Operation *contraction = contractionOf(kernel);
  if (!contraction) {
    obstacle = "the kernel has several contractions or results, or a result of "
               "another shape than its contraction's";
    return {};
  }
  if (auto convolution = dyn_cast<ConvolutionOp>(contraction);
      convolution && convolution.getProducts() == Products::Chain) {
    if (DepthwisePlanAttr plan = planDepthwise(kernel, convolution))
      return plan;
    if (FewOutputsPlanAttr plan = planFewOutputs(kernel, convolution))
      return plan;
  }
  std::vector<ContractionNest> nests = nestsOf(kernel, contraction, obstacle);
  if (nests.empty())
    return {};
  SmallVector<Attribute> tiles;
  for (const ContractionNest &nest : nests)
    tiles.push_back(planGemm(factsOf(nest), machine));
  if (tiles.size() > 1)
    return ArrayAttr::get(machine.getContext(), tiles);
  auto tile = cast<TilePlanAttr>(tiles.front());
  const ContractionNest &nest = nests.front();
  if (AmxPlanAttr plan = planAmx(factsOf(nest), machine, tile);
      plan && TileEpilogue(kernel, contraction->getResult(0), nest.sum, amxTile)
                  .vectorizes(nest.columnIsLast()))
    return plan;
  return tile;
}

/// Emits AMX tiles. If the number of rows is known only at run time, the kernel
/// tests it and computes few rows without AMX.
static TaskCounter emitInTiles(Kernel &kernel, Value dot,
                               const ContractionNest &nest,
                               AmxPlanAttr attribute) {
  OpBuilder &b = kernel.builder;
  Location loc = kernel.loc();
  AmxPlan plan(attribute, nest);
  auto areMany = [few = plan.fewRows()](IndexBuilder at, Value rows) {
    return at.less(at.constant(few), rows);
  };
  TaskCounter tiled = countTasks(nest, plan.block);
  Value many = areMany({b, loc}, NestTask(kernel, nest, plan.block).rows);
  TilePlanAttr few = attribute.getFewRows();
  if (!few || getConstantIntValue(many)) {
    emitAmx(kernel, dot, nest, plan);
    return tiled;
  }
  auto branch = scf::IfOp::create(b, loc, many, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  emitAmx(kernel, dot, nest, plan);
  b.setInsertionPointToStart(&branch.getElseRegion().front());
  TaskCounter plain = emitGemm(kernel, dot, nest, few);
  return [=, rows = countRows(nest)](OpBuilder &b, Location loc,
                                     ArrayRef<OpFoldResult> sizes) -> Value {
    return arith::SelectOp::create(b, loc,
                                   areMany({b, loc}, rows(b, loc, sizes)),
                                   tiled(b, loc, sizes), plain(b, loc, sizes));
  };
}

TaskCounter emitContraction(Kernel &kernel, Attribute plan) {
  if (isa<GeneralPlanAttr>(plan))
    return emitMap(kernel);
  Operation *contraction = contractionOf(kernel);
  if (auto depthwise = dyn_cast<DepthwisePlanAttr>(plan))
    return emitDepthwise(kernel, cast<ConvolutionOp>(contraction), depthwise);
  if (auto fewOutputs = dyn_cast<FewOutputsPlanAttr>(plan))
    return emitFewOutputs(kernel, cast<ConvolutionOp>(contraction), fewOutputs);
  const char *obstacle = nullptr;
  std::vector<ContractionNest> nests = nestsOf(kernel, contraction, obstacle);
  assert(!obstacle && "the plan is of a covered form");
  Value result = contraction->getResult(0);
  if (auto amx = dyn_cast<AmxPlanAttr>(plan))
    return emitInTiles(kernel, result, nests.front(), amx);
  return emitGemm(kernel, result, nests, tilesOf(plan));
}

} // namespace tenon
