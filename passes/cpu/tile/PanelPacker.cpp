// Packs columns in one of three ways. Contiguous columns of a large operand are
// copied, so that the panel neither competes for few cache sets nor spans many
// pages. Other columns are packed in groups of one vector's lanes. If elements
// of one column are contiguous, whole vectors are loaded along the column and a
// square block is transposed in registers; otherwise elements are gathered one
// by one.
#include "passes/cpu/tile/PanelPacker.h"

#include "passes/kernel/numerics/Conversions.h"
#include "passes/kernel/numerics/TransposeSquare.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

/// Copies contiguous columns vector by vector.
static void copyLines(Kernel &kernel, const ContractionNest &nest,
                      const PanelBlock &block, int64_t lanes) {
  OpBuilder &b = kernel.builder;
  Location loc = kernel.loc();
  IndexBuilder at{b, loc};
  auto type = VectorType::get(
      {lanes}, cast<MemRefType>(nest.rhs.getType()).getElementType());
  auto loop =
      scf::ForOp::create(b, loc, at.constant(0), block.depth, at.constant(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value k = loop.getInductionVar();
  Value from = at.add(at.add(block.origin, block.first),
                      at.mul(k, nest.sums.back().rhsStride));
  Value to = at.mul(k, at.constant(block.width));
  for (auto [v, mask] : llvm::enumerate(block.masks)) {
    Value step = at.constant(int64_t(v) * lanes), place = at.add(from, step);
    Value loaded;
    if (mask) {
      Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
      loaded = vector::MaskedLoadOp::create(b, loc, type, nest.rhs, place, mask,
                                            zero);
    } else {
      loaded = vector::LoadOp::create(b, loc, type, nest.rhs, place);
    }
    loaded = emitConvert(b, loc, loaded, nest.rhsElement, nest.sum);
    vector::StoreOp::create(b, loc, loaded, block.panel, at.add(to, step));
  }
}

void emitPack(Kernel &kernel, const ContractionNest &nest,
              const PanelBlock &block, int64_t lanes) {
  if (getConstantIntValue(nest.column.rhsStride) == 1)
    return copyLines(kernel, nest, block, lanes);
  OpBuilder &b = kernel.builder;
  Location loc = kernel.loc();
  IndexBuilder at{b, loc};
  OpBuilder::InsertionGuard guard(b);
  Value stride = nest.sums.back().rhsStride;
  Type stored = cast<MemRefType>(nest.rhs.getType()).getElementType();
  Value packed = at.constant(int64_t(block.masks.size()) * lanes);
  auto groups =
      scf::ForOp::create(b, loc, at.constant(0), packed, at.constant(lanes));
  b.setInsertionPointToStart(groups.getBody());
  SmallVector<Value> starts;
  Value last = at.sub(block.end, at.constant(1));
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value column = at.add(at.add(block.first, groups.getInductionVar()),
                          at.constant(lane));
    starts.push_back(at.add(
        block.origin, at.mul(at.min(column, last), nest.column.rhsStride)));
  }
  auto put = [&](Value line, Value k) {
    Value place =
        at.add(at.mul(k, at.constant(block.width)), groups.getInductionVar());
    vector::StoreOp::create(b, loc, line, block.panel, place);
  };
  Value whole = at.constant(0);
  if (getConstantIntValue(stride) == 1) {
    whole = at.mul(at.floorDiv(block.depth, at.constant(lanes)),
                   at.constant(lanes));
    auto blocks =
        scf::ForOp::create(b, loc, at.constant(0), whole, at.constant(lanes));
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToStart(blocks.getBody());
    Value k = blocks.getInductionVar();
    SmallVector<Value> lines;
    for (Value start : starts) {
      Value loaded = vector::LoadOp::create(
          b, loc, VectorType::get({lanes}, stored), nest.rhs, at.add(start, k));
      lines.push_back(emitConvert(b, loc, loaded, nest.rhsElement, nest.sum));
    }
    // Prefetch the same elements of the columns in the next group. Each
    // column's run is too short for the hardware prefetcher to recognize.
    Value ahead = at.mul(nest.column.rhsStride, at.constant(lanes));
    for (Value start : starts)
      memref::PrefetchOp::create(b, loc, nest.rhs,
                                 ValueRange{at.add(at.add(start, ahead), k)},
                                 /*isWrite=*/false, /*localityHint=*/2,
                                 /*isDataCache=*/true);
    transposeSquare(b, loc, lines);
    for (int64_t i = 0; i < lanes; ++i)
      put(lines[i], at.add(k, at.constant(i)));
  }
  if (getConstantIntValue(at.sub(block.depth, whole)) == 0)
    return;
  auto rest = scf::ForOp::create(b, loc, whole, block.depth, at.constant(1));
  b.setInsertionPointToStart(rest.getBody());
  Value k = rest.getInductionVar(), offset = at.mul(k, stride);
  SmallVector<Value> elements;
  for (Value start : starts)
    elements.push_back(
        memref::LoadOp::create(b, loc, nest.rhs, at.add(start, offset)));
  Value line = vector::FromElementsOp::create(
      b, loc, VectorType::get({lanes}, stored), elements);
  put(emitConvert(b, loc, line, nest.rhsElement, nest.sum), k);
}

} // namespace tenon
