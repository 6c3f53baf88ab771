// Collects the extents and strides of a nest that are constants.
#include "passes/cpu/tile/NestFacts.h"

#include "passes/kernel/nest/ContractionNest.h"

using namespace mlir;

namespace tenon {

/// The number of bf16 numbers whose sum is any number of this type; 0: three do
/// not suffice.
static int64_t wholeParts(Type element) {
  if (element.isBF16())
    return 1;
  if (element.isF16())
    return 2;
  return element.isF32() ? 3 : 0;
}

static ContractionSize sizeOf(const ContractionNest &nest) {
  ContractionSize size;
  size.outer = knownProduct(nest.outer);
  size.rows = knownProduct(nest.rows);
  for (const ResultDim &dim : nest.rows)
    size.rowFactor *= getConstantIntValue(dim.extent).value_or(1);
  size.isOpenImage = nest.isOpenImage;
  size.columns = getConstantIntValue(nest.column.extent);
  size.sum = 1;
  for (const SumDim &dim : nest.sums) {
    std::optional<int64_t> extent = getConstantIntValue(dim.extent);
    if (size.sum && extent)
      *size.sum *= *extent;
    else
      size.sum.reset();
  }
  if (nest.hasGuards())
    size.line = getConstantIntValue(nest.rows.back().extent).value_or(0);
  return size;
}

static bool areOneRunInRhs(ArrayRef<SumDim> sums) {
  for (auto [outer, inner] : llvm::zip(sums, sums.drop_front()))
    if (!continuesDim(outer.rhsStride, inner.rhsStride, inner.extent))
      return false;
  return true;
}

NestFacts factsOf(const ContractionNest &nest) {
  const SumDim &sum = nest.sums.back();
  NestFacts facts;
  facts.size = sizeOf(nest);
  facts.isChain = nest.sums.size() == 1 && !sum.guard;
  facts.sumsAreOneRun = areOneRunInRhs(nest.sums);
  facts.depth = getConstantIntValue(sum.extent);
  facts.lhsStep = getConstantIntValue(sum.lhsStride);
  facts.block = nest.block;
  facts.sumBytes = nest.sum.getIntOrFloatBitWidth() / 8;
  facts.sumIsF32 = nest.sum.isF32();
  facts.rhsBits = cast<MemRefType>(nest.rhs.getType()).getElementTypeBitWidth();
  facts.sumsPerElement = nest.sumsPerElement;
  facts.pairs = nest.products == Products::Pairs;
  facts.quads = nest.products == Products::Quads;
  facts.scaled = nest.scales.has_value();
  facts.converted = nest.rhsElement != nest.sum;
  facts.onlyRhsConverted = nest.convertsOnlyRhs();
  facts.lhsParts = wholeParts(nest.lhsElement);
  // Integers with scales have at most eight bits.
  facts.rhsParts = facts.scaled ? 1 : wholeParts(nest.rhsElement);
  if (nest.panels)
    facts.panelWidth = nest.panels->width;
  facts.columnsContiguous = getConstantIntValue(nest.column.rhsStride) == 1;
  facts.columnIsLast = nest.columnIsLast();
  facts.hasRowStride = bool(nest.rowStride);
  return facts;
}

} // namespace tenon
