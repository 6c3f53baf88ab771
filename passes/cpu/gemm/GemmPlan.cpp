// The sizes of caches decide, and what is known of extents.
#include "passes/cpu/gemm/GemmPlan.h"

#include "passes/kernel/Kernel.h"

using namespace mlir;

namespace tenon {

/// Bytes of a panel that is packed over the whole depth: it stays in the second
/// cache, and no sums have to wait.
constexpr int64_t wholePanelBytes = 128 * 1024;
/// Bytes of the sums that wait while a panel is packed.
constexpr int64_t keptBytes = 31 * 1024;
/// Products of a piece of a deep sum: three vectors of columns take 24 KB, and
/// stay in the first cache while the rows pass.
constexpr int64_t pieceProducts = 128;
/// Operands of more bytes are packed where many rows read them.
constexpr int64_t largeOperand = 768 * 1024;

GemmPlan::GemmPlan(const ContractionNest &nest, int64_t vectorBytes)
    : nest(nest), lanes(vectorBytes / sumBytes()) {
  size.outer = knownProduct(nest.outer);
  size.rows = knownProduct(nest.rows);
  for (const ResultDim &dim : nest.rows)
    size.rowFactor *= getConstantIntValue(dim.extent).value_or(1);
  size.columns = getConstantIntValue(nest.column.extent);
  size.sum = 1;
  for (const SumDim &dim : nest.sums) {
    std::optional<int64_t> extent = getConstantIntValue(dim.extent);
    if (size.sum && extent)
      *size.sum *= *extent;
    else
      size.sum.reset();
  }
  if (llvm::any_of(nest.sums,
                   [](const SumDim &dim) { return bool(dim.guard); }))
    size.line = getConstantIntValue(nest.rows.back().extent).value_or(0);
  packs = !nest.panels && (columnsAcross() || isLarge());
  ColumnLayout layout{columnsAcross()};
  if (nest.panels)
    layout.panelVectors = nest.panels->width / lanes;
  layout.converted =
      nest.products == Products::Chain && nest.rhsElement != nest.sum;
  layout.halves = sharesHalves();
  tile = chooseTile(size, vectorBytes, lanes, layout);
  block = chooseBlock(size, tile, lanes, layout);
  width = tile.vectors * lanes;
  int64_t most = std::max(tile.rows, keptBytes / (width * sumBytes()));
  together =
      evenRows(block.rows, llvm::divideCeilSigned(block.rows, most), tile);
}

bool GemmPlan::columnsAcross() const {
  return getConstantIntValue(nest.column.rhsStride) != 1;
}

bool GemmPlan::isLarge() const {
  return size.columns && size.sum && size.rows.value_or(manyRows) >= manyRows &&
         *size.columns * *size.sum * sumBytes() > largeOperand;
}

bool GemmPlan::isChain() const {
  return nest.sums.size() == 1 && !nest.sums.back().guard;
}

bool GemmPlan::sharesHalves() const {
  return nest.panels && isChain() && nest.rhsElement == nest.sum &&
         nest.products == Products::Chain && !nest.scales && size.columns &&
         endInHalf(*size.columns, lanes);
}

bool GemmPlan::packsWhole() const {
  return packs && isChain() && size.sum && *size.sum > 0 &&
         *size.sum * width * sumBytes() <= wholePanelBytes;
}

bool GemmPlan::readsAgain() const {
  return nest.panels && size.sum && nest.block != 0 &&
         size.rows.value_or(manyRows) > tile.rows;
}

bool GemmPlan::inPieces() const {
  if (packs)
    return !packsWhole();
  return !isChain() && readsAgain() &&
         nest.storedBytes(*size.sum * width) >= secondCache;
}

bool GemmPlan::isDeep() const {
  return isChain() && readsAgain() && *size.sum > 2 * pieceDepth();
}

int64_t GemmPlan::pieceDepth() const {
  return llvm::alignTo(pieceProducts, nest.block);
}

} // namespace tenon
