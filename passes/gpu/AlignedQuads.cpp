// An input may lie anywhere in memory, so a kernel asks for addresses at run
// time. All threads find the same answer.
#include "passes/gpu/AlignedQuads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tenon {

static bool isOne(Value stride) { return getConstantIntValue(stride) == 1; }

Value alignsQuads(Kernel &kernel, Value memory, ArrayRef<Value> offsets) {
  OpBuilder &b = kernel.builder;
  Location loc = kernel.loc();
  IndexBuilder at{b, loc};
  int64_t bytes =
      quad * cast<MemRefType>(memory.getType()).getElementTypeBitWidth() / 8;
  Value open = at.constant(0);
  for (Value offset : offsets) {
    std::optional<int64_t> known = getConstantIntValue(offset);
    if (known && *known % quad != 0)
      return {};
    if (!known)
      open = b.createOrFold<arith::OrIOp>(loc, open, offset);
  }
  auto isMultiple = [&](Value number, int64_t of) -> Value {
    Value rest =
        b.createOrFold<arith::AndIOp>(loc, number, at.constant(of - 1));
    return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, rest,
                                         at.constant(0));
  };
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memory);
  return b.createOrFold<arith::AndIOp>(loc, isMultiple(address, bytes),
                                       isMultiple(open, quad));
}

static SmallVector<Value> rowOffsets(const ContractionNest &nest) {
  SmallVector<Value> offsets = {nest.lhsOrigin};
  for (const ResultDim &dim : nest.outer)
    offsets.push_back(dim.lhsStride);
  for (const ResultDim &dim : nest.rows)
    offsets.push_back(dim.lhsStride);
  for (const SumDim &dim : ArrayRef(nest.sums).drop_back())
    offsets.push_back(dim.lhsStride);
  return offsets;
}

static SmallVector<Value> columnOffsets(const ContractionNest &nest) {
  SmallVector<Value> offsets = {nest.rhsOrigin};
  for (const ResultDim &dim : nest.outer)
    offsets.push_back(dim.rhsStride);
  for (const SumDim &dim : ArrayRef(nest.sums).drop_back())
    offsets.push_back(dim.rhsStride);
  if (nest.panels)
    offsets.push_back(nest.panels->stride);
  return offsets;
}

Value alignsProductsOfRows(Kernel &kernel, const ContractionNest &nest) {
  if (!isOne(nest.sums.back().lhsStride) || nest.block % quad != 0)
    return {};
  return alignsQuads(kernel, nest.lhs, rowOffsets(nest));
}

Value alignsProductsOfColumns(Kernel &kernel, const ContractionNest &nest) {
  if (!isOne(nest.sums.back().rhsStride) || nest.block % quad != 0 ||
      nest.panels)
    return {};
  SmallVector<Value> offsets = columnOffsets(nest);
  offsets.push_back(nest.column.rhsStride);
  return alignsQuads(kernel, nest.rhs, offsets);
}

Value alignsColumns(Kernel &kernel, const ContractionNest &nest) {
  int64_t whole = nest.panels
                      ? nest.panels->width
                      : getConstantIntValue(nest.column.extent).value_or(1);
  if (!isOne(nest.column.rhsStride) || whole % quad != 0)
    return {};
  SmallVector<Value> offsets = columnOffsets(nest);
  // A step along the sum may be a part of a word.
  if (nest.sumsPerElement == 1)
    offsets.push_back(nest.sums.back().rhsStride);
  return alignsQuads(kernel, nest.rhs, offsets);
}

Value offsetOfColumn(Kernel &kernel, const ContractionNest &nest,
                     const NestTask &task, Value column, bool neighbours) {
  IndexBuilder at{kernel.builder, kernel.loc()};
  // The columns of a panel are all in memory.
  int64_t beside = neighbours && !nest.panels ? quad : 1;
  column = at.min(column, at.sub(nest.column.extent, at.constant(beside)));
  if (!nest.panels)
    return at.add(task.rhsBase, at.mul(column, nest.column.rhsStride));
  Value width = at.constant(nest.panels->width),
        inPanel = at.remainder(column, width);
  if (neighbours)
    inPanel =
        at.mul(at.floorDiv(inPanel, at.constant(quad)), at.constant(quad));
  return at.add(at.add(task.rhsBase, inPanel),
                at.mul(at.floorDiv(column, width), nest.panels->stride));
}

} // namespace tenon
