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

/// Emits `many` for more than `few` rows and `less` for others, and a test if
/// the number of rows is known only at run time. Both use the same memory on
/// the stack where it has room.
static TaskCounter emitByRows(Kernel &kernel, const ContractionNest &nest,
                              int64_t few, function_ref<TaskCounter()> many,
                              function_ref<TaskCounter()> less) {
  OpBuilder &b = kernel.builder;
  Location loc = kernel.loc();
  auto areMany = [few](IndexBuilder at, Value rows) {
    return at.less(at.constant(few), rows);
  };
  Value test = areMany({b, loc}, NestTask(kernel, nest, {}).rows);
  if (std::optional<int64_t> known = getConstantIntValue(test))
    return *known ? many() : less();
  auto branch = scf::IfOp::create(b, loc, test, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  size_t first = kernel.scratch.size();
  TaskCounter ofMany = many();
  b.setInsertionPointToStart(&branch.getElseRegion().front());
  assert(kernel.idleScratch.empty() && "an outer branch still uses it");
  kernel.idleScratch.assign(kernel.scratch.begin() + first,
                            kernel.scratch.end());
  TaskCounter ofLess = less();
  kernel.idleScratch.clear();
  return [=, rows = countRows(nest)](OpBuilder &b, Location loc,
                                     ArrayRef<OpFoldResult> sizes) -> Value {
    return arith::SelectOp::create(
        b, loc, areMany({b, loc}, rows(b, loc, sizes)), ofMany(b, loc, sizes),
        ofLess(b, loc, sizes));
  };
}

/// Emits AMX tiles. Few rows are computed without AMX.
static TaskCounter emitInTiles(Kernel &kernel, Value dot,
                               const ContractionNest &nest,
                               AmxPlanAttr attribute) {
  auto tiles = [&](AmxPlanAttr chosen) {
    AmxPlan plan(chosen, nest);
    emitAmx(kernel, dot, nest, plan);
    return countTasks(nest, plan.block);
  };
  TilePlanAttr few = attribute.getFewRows();
  if (!few)
    return tiles(attribute);
  return emitByRows(
      kernel, nest, AmxPlan(attribute, nest).fewRows(),
      [&] {
        AmxPlanAttr one = attribute.getOneTile();
        return one ? emitByRows(
                         kernel, nest, amxTile,
                         [&] { return tiles(attribute); },
                         [&] { return tiles(one); })
                   : tiles(attribute);
      },
      [&] { return emitGemm(kernel, dot, nest, few); });
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
