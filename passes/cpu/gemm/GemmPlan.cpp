// Plans are made from the cache sizes and the known extents.
#include "passes/cpu/gemm/GemmPlan.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tenon {

/// Products of a piece of a deep sum. Three vectors of columns then take 24 KB
/// and stay in L1 while all rows are multiplied by them.
constexpr int64_t pieceProducts = 128;
/// Bytes of L1 that the partial sums on the stack leave to the operands.
constexpr int64_t operandBytes = 1024;

namespace {
struct GemmPlanner {
  const NestFacts &facts;
  const ContractionSize &size;
  MachineAttr machine;
  int64_t lanes, width;
  RegisterTile tile;
  bool packs;

  bool isLarge() const {
    return size.columns && size.sum &&
           size.rows.value_or(packingRows) >= packingRows &&
           *size.columns * *size.sum * facts.sumBytes >
               machine.l2Bytes() * 3 / 2;
  }
  /// True if two rows may share one register for half a vector of columns.
  bool sharesHalves() const {
    return facts.panelWidth && facts.isChain && !facts.converted &&
           !facts.pairs && !facts.quads && !facts.scaled && size.columns &&
           endInHalf(*size.columns, lanes);
  }
  /// True if the packed columns of a tile stay in L2 over the whole depth, so
  /// that no partial sums need the stack.
  bool packsWhole() const {
    return facts.isChain && size.sum && *size.sum > 0 &&
           *size.sum * width * facts.sumBytes <= machine.l2Bytes() / 4;
  }
  /// True if more than one tile of rows reads the same packed panel. The sum
  /// must have a known depth and be computed in blocks.
  bool readsAgain() const {
    return facts.panelWidth && size.sum && facts.block != 0 &&
           size.rows.value_or(packingRows) > tile.rows;
  }
  /// Products of a piece whose packed columns fit L1. A piece never divides the
  /// sum of a block.
  int64_t packedPiece() const {
    int64_t depth = facts.block ? facts.block
                                : std::max(lanes, machine.l1Bytes() /
                                                      (width * facts.sumBytes) /
                                                      lanes * lanes);
    return facts.depth && *facts.depth > 0 ? std::min(depth, *facts.depth)
                                           : depth;
  }
  int64_t piece() const {
    if (packs)
      return packsWhole() ? 0 : packedPiece();
    if (!readsAgain() || facts.isTiny())
      return 0;
    int64_t deep = llvm::alignTo(pieceProducts, facts.block);
    if (facts.isChain)
      return *size.sum > 2 * deep ? deep : 0;
    return facts.storedBytes(*size.sum * width) >= machine.l2Bytes()
               ? packedPiece()
               : 0;
  }
};
} // namespace

TilePlanAttr planGemm(const NestFacts &facts, MachineAttr machine) {
  GemmPlanner planner{facts, facts.size, machine, machine.lanes(facts.sumBytes),
                      0,     {},         false};
  int64_t lanes = planner.lanes;
  bool across = !facts.columnsContiguous;
  planner.packs = !facts.panelWidth && (across || planner.isLarge());
  ColumnLayout layout{across};
  if (facts.panelWidth)
    layout.panelVectors = *facts.panelWidth / lanes;
  layout.converted = !facts.pairs && facts.converted;
  layout.broadcastsInProducts =
      facts.onlyRhsConverted && machine.getCostlyBroadcasts();
  layout.halves = planner.sharesHalves();
  RegisterTile tile = chooseTile(facts.size, machine, lanes, layout);
  TaskBlock block = chooseBlock(facts.size, machine, tile, lanes, layout);
  planner.tile = tile;
  planner.width = tile.vectors * lanes;
  // Partial sums on the stack must stay in L1.
  int64_t most = std::max(tile.rows, (machine.l1Bytes() - operandBytes) /
                                         (planner.width * facts.sumBytes)),
          shared = evenRows(block.rows,
                            llvm::divideCeilSigned(block.rows, most), tile);
  return TilePlanAttr::get(machine.getContext(), tile.rows, tile.vectors,
                           block.rows, block.columns, shared, planner.piece(),
                           planner.packs, layout.halves);
}

GemmPlan::GemmPlan(const ContractionNest &nest, TilePlanAttr plan,
                   MachineAttr machine)
    : nest(nest), plan(plan), machine(machine), facts(factsOf(nest)),
      lanes(machine.lanes(facts.sumBytes)),
      tile{plan.getRows(), plan.getVectors()},
      block{plan.getBlockRows(), plan.getBlockColumns(), tile.rows},
      width(tile.vectors * lanes), sharedRows(plan.getSharedRows()) {
  assert(block.rows % tile.rows == 0 && "a block has whole tiles");
  assert((facts.size.sum || !(packsWhole() || isDeep())) &&
         "a panel over the whole depth has a known depth");
}

bool GemmPlan::mayReadWhole() const {
  return isDeep() && !facts.size.rows && facts.size.rowFactor <= fewRows &&
         facts.storedBytes(*facts.size.sum * width) <= machine.l2Bytes();
}

} // namespace tenon
