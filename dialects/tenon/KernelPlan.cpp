// What a plan may say. A plan from a text is as good as one of our own: what is
// stated here is all that emitters rely on.
#include "dialects/tenon/KernelPlan.h"

#include "dialects/tenon/Annotations.h"

#include "dialects/tenon/NumericsContract.h"
#include "dialects/tenon/PartialUpdate.h"

using namespace mlir;

namespace tenon {

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

/// The lanes of a row that a thread of a warp has, and the threads that have
/// all lanes of the contract.
constexpr int64_t warpRowQuad = 4,
                  warpRowThreads = reductionLanes / warpRowQuad;

/// Refuses the first of `sizes` that is below one.
static LogicalResult
verifySizes(EmitError emitError,
            ArrayRef<std::pair<StringRef, int64_t>> sizes) {
  for (auto [name, size] : sizes)
    if (size < 1)
      return emitError() << "expected " << name << " to be at least 1, got "
                         << size;
  return success();
}

LogicalResult TilePlanAttr::verify(EmitError emitError, int64_t rows,
                                   int64_t vectors, int64_t blockRows,
                                   int64_t blockColumns, int64_t sharedRows,
                                   int64_t piece, bool pack, bool halves) {
  if (failed(verifySizes(emitError, {{"rows", rows},
                                     {"vectors", vectors},
                                     {"block_rows", blockRows},
                                     {"block_columns", blockColumns},
                                     {"shared_rows", sharedRows}})))
    return failure();
  if (sharedRows % rows != 0)
    return emitError() << "expected shared_rows to be whole tiles of " << rows
                       << " rows, got " << sharedRows;
  if (piece < 0)
    return emitError() << "expected piece to be at least 0, got " << piece;
  if (pack && halves)
    return emitError() << "expected halves in panels of weights alone";
  return success();
}

LogicalResult AmxPlanAttr::verify(EmitError emitError, int64_t lhsParts,
                                  int64_t rhsParts, int64_t order,
                                  int64_t depth, int64_t blockRows,
                                  int64_t blockColumns, int64_t tasks,
                                  int64_t taps, bool lhsInPlace,
                                  bool rhsInPlace, TilePlanAttr fewRows,
                                  AmxPlanAttr oneTile) {
  if (failed(verifySizes(emitError, {{"lhs_parts", lhsParts},
                                     {"rhs_parts", rhsParts},
                                     {"depth", depth},
                                     {"block_rows", blockRows},
                                     {"block_columns", blockColumns},
                                     {"tasks", tasks},
                                     {"taps", taps}})))
    return failure();
  if (std::max(lhsParts, rhsParts) > 3 || order < 0 || order > 2)
    return emitError() << "expected at most three parts and an order below "
                          "three, got "
                       << lhsParts << ", " << rhsParts << " and " << order;
  if (blockRows % amxTile != 0 || blockColumns % amxPanel != 0 ||
      depth % amxTile != 0)
    return emitError() << "expected whole tiles, got blocks of " << blockRows
                       << " rows and " << blockColumns
                       << " columns and a depth of " << depth;
  if (oneTile && oneTile.getBlockRows() != amxTile)
    return emitError() << "expected a plan for one tile of " << amxTile
                       << " rows, got blocks of " << oneTile.getBlockRows();
  return success();
}

LogicalResult AttentionPlanAttr::verify(EmitError emitError, int64_t taskRows,
                                        int64_t scoreRows, int64_t valueRows,
                                        int64_t sums, bool overlapped,
                                        bool keysInPlace, bool valuesInPlace,
                                        bool tiles) {
  if (tiles && (keysInPlace || valuesInPlace))
    return emitError()
           << "expected keys and values that are packed beside tiles";
  if (failed(verifySizes(emitError, {{"task_rows", taskRows},
                                     {"score_rows", scoreRows},
                                     {"value_rows", valueRows},
                                     {"sums", sums}})))
    return failure();
  if (taskRows % valueRows != 0)
    return emitError() << "expected task_rows to be whole tiles of "
                       << valueRows << " rows, got " << taskRows;
  return success();
}

LogicalResult DepthwisePlanAttr::verify(EmitError emitError, int64_t columns,
                                        int64_t channels, int64_t rows) {
  return verifySizes(
      emitError,
      {{"columns", columns}, {"channels", channels}, {"rows", rows}});
}

LogicalResult FewOutputsPlanAttr::verify(EmitError emitError, int64_t vectors,
                                         int64_t rows) {
  return verifySizes(emitError, {{"vectors", vectors}, {"rows", rows}});
}

LogicalResult BlockTilePlanAttr::verify(EmitError emitError, int64_t rows,
                                        int64_t columns, int64_t depth,
                                        FewRowsPlanAttr) {
  // A thread has whole groups of four rows and columns.
  for (int64_t extent : {rows, columns})
    if (extent != 64 && extent != 128)
      return emitError() << "expected 64 or 128 rows and columns, got " << rows
                         << " and " << columns;
  // 256 threads load four elements at once.
  int64_t step = 1024 / std::min(rows, columns);
  if (depth < step || depth > 64 || depth % step != 0)
    return emitError() << "expected a depth of at most 64 in steps of " << step
                       << ", got " << depth;
  return success();
}

LogicalResult FewRowsPlanAttr::verify(EmitError emitError, int64_t rows,
                                      int64_t parts) {
  if (rows < 1 || rows > 8)
    return emitError() << "expected 1 to 8 rows, got " << rows;
  if (parts < 4 || parts > 32 || parts % 4 != 0)
    return emitError() << "expected 4 to 32 parts in steps of 4, got " << parts;
  return success();
}

LogicalResult BlockAttentionPlanAttr::verify(EmitError emitError, int64_t rows,
                                             int64_t threadRows) {
  if (threadRows < 1 || threadRows > 8 || (threadRows & (threadRows - 1)) != 0)
    return emitError() << "expected 1, 2, 4 or 8 thread_rows, got "
                       << threadRows;
  // A warp has two groups of sixteen threads.
  for (int64_t groups : {2, 4, 8, 16})
    if (rows == groups * threadRows)
      return success();
  return emitError() << "expected rows of 2, 4, 8 or 16 groups of "
                     << threadRows << " rows, got " << rows;
}

LogicalResult WarpRowsPlanAttr::verify(EmitError emitError, int64_t threads,
                                       bool held) {
  if (threads < 1 || threads > warpRowThreads || (threads & (threads - 1)) != 0)
    return emitError() << "expected 1, 2, 4, 8 or 16 threads, got " << threads;
  return success();
}

LogicalResult WideMapPlanAttr::verify(EmitError emitError, int64_t lanes,
                                      bool flat) {
  if (lanes < 2 || lanes > 16 || (lanes & (lanes - 1)) != 0)
    return emitError() << "expected 2, 4, 8 or 16 lanes, got " << lanes;
  return success();
}

LogicalResult UpdatePlanAttr::verify(EmitError emitError, int64_t rows,
                                     int64_t columns) {
  if (columns < 0)
    return emitError() << "expected columns to be at least 0, got " << columns;
  return verifySizes(emitError, {{"rows", rows}});
}

LogicalResult DeviceUpdatePlanAttr::verify(EmitError emitError, int64_t tasks) {
  return verifySizes(emitError, {{"tasks", tasks}});
}

Attribute planOf(FusionOp fusion) { return annotation::plan.of(fusion); }

SmallVector<TilePlanAttr> tilesOf(Attribute plan) {
  if (auto tile = dyn_cast_if_present<TilePlanAttr>(plan))
    return {tile};
  SmallVector<TilePlanAttr> tiles;
  if (auto list = dyn_cast_if_present<ArrayAttr>(plan))
    for (Attribute tile : list)
      tiles.push_back(cast<TilePlanAttr>(tile));
  return tiles;
}

/// Prefixes of integers may be combined in any order.
static bool isIntegerScan(FusionOp fusion) {
  return llvm::all_of(fusion.getOutputs(), [](Value output) {
    auto type = cast<ShapedType>(output.getType());
    return isa<IntegerType>(type.getElementType());
  });
}

static bool fitsKind(FusionOp fusion, Attribute plan) {
  auto list = dyn_cast<ArrayAttr>(plan);
  switch (fusion.getKind()) {
  case FusionKind::Attention:
    return isa<AttentionPlanAttr, BlockAttentionPlanAttr>(plan);
  case FusionKind::Contraction:
    if (list)
      return !list.empty() && llvm::all_of(list, llvm::IsaPred<TilePlanAttr>);
    return isa<TilePlanAttr, AmxPlanAttr, DepthwisePlanAttr, FewOutputsPlanAttr,
               BlockTilePlanAttr, FewRowsPlanAttr>(plan);
  case FusionKind::Map:
    return isa<WideMapPlanAttr>(plan);
  case FusionKind::Rows:
    return isa<WarpRowsPlanAttr>(plan);
  case FusionKind::Scatter:
    return isa<UpdatePlanAttr, DeviceUpdatePlanAttr>(plan);
  case FusionKind::Sort:
  case FusionKind::Opaque:
    return isa<BlockPlanAttr>(plan);
  case FusionKind::Scan:
    return isa<BlockPlanAttr>(plan) && isIntegerScan(fusion);
  default:
    return false;
  }
}

/// The width of the rows that a kernel reduces.
static int64_t rowWidth(FusionOp fusion) {
  for (Operation &op : fusion.getBlock())
    if (isa<ReduceOp, ArgReduceOp>(op))
      if (auto type = dyn_cast<RankedTensorType>(op.getOperand(0).getType());
          type && type.getRank() > 0)
        return type.getShape().back();
  return ShapedType::kDynamic;
}

/// What the threads of a row can compute depends on its width. Fewer threads
/// than the contract has lanes for do not have the lanes of a wider row.
static LogicalResult verifyWidth(FusionOp fusion, WarpRowsPlanAttr plan) {
  int64_t width = rowWidth(fusion), threads = plan.getThreads();
  bool isOpen = ShapedType::isDynamic(width);
  if (plan.getHeld() && (isOpen || width > wholeRow))
    return fusion.emitOpError("expected rows of a known width of at most ")
           << wholeRow << " for the plan " << plan;
  if (threads < warpRowThreads && (isOpen || width > threads * warpRowQuad))
    return fusion.emitOpError("expected rows of a known width of at most ")
           << threads * warpRowQuad << " for the plan " << plan;
  return success();
}

LogicalResult verifyPlan(FusionOp fusion, Attribute plan) {
  if (!plan || isa<GeneralPlanAttr>(plan))
    return success();
  if (isa<UpdatePlanAttr>(plan) && !updatesInPlace(fusion))
    return fusion.emitOpError("expected an update whose operand and output are "
                              "one buffer, for the plan ")
           << plan;
  if (!fitsKind(fusion, plan))
    return fusion.emitOpError("expected a plan for the kind ")
           << stringifyFusionKind(fusion.getKind()) << ", got " << plan;
  if (auto warp = dyn_cast<WarpRowsPlanAttr>(plan))
    return verifyWidth(fusion, warp);
  return success();
}

} // namespace tenon
