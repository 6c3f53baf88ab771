// The sizes of caches decide, and what is known of extents.
#include "passes/cpu/GemmPlan.h"

#include "passes/cpu/Kernel.h"

using namespace mlir;

namespace tenon {

/// Bytes of a panel that is packed over the whole depth: it stays in the second
/// cache, and no sums have to wait.
constexpr int64_t wholePanelBytes = 128 * 1024;
/// Bytes of the sums that wait while a panel is packed.
constexpr int64_t keptBytes = 31 * 1024;
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
  together = evenRows(block.rows, (block.rows + most - 1) / most, tile);
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
         nest.products == Products::Chain && !nest.scales;
}

bool GemmPlan::packsWhole() const {
  return packs && isChain() && size.sum && *size.sum > 0 &&
         *size.sum * width * sumBytes() <= wholePanelBytes;
}

bool GemmPlan::isLong() const {
  return nest.panels && size.sum && nest.block != 0 &&
         size.rows.value_or(manyRows) > tile.rows &&
         nest.storedBytes(*size.sum * width) >= secondCache;
}

int64_t GemmPlan::pieceDepth() const {
  int64_t pieces =
      (2 * nest.storedBytes(*size.sum * width) - 1) / secondCache + 1;
  int64_t blocks = (*size.sum - 1) / nest.block + 1;
  return ((blocks - 1) / pieces + 1) * nest.block;
}

} // namespace tenon
