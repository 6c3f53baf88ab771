// Tasks are numbered by columns first, then by rows, then by batches. Each
// thread has consecutive tasks and finds the rows that it wrote in its own
// caches.
#include "passes/kernel/nest/NestTask.h"

#include "dialects/tenon/Packing.h"
#include "dialects/tenon/Quantization.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;

namespace tenon {

namespace {
/// The facts of a dimension that are available where the kernel is launched.
struct LaunchedDim {
  std::optional<int64_t> extent;
  int64_t place, step, first;
};
} // namespace

static SmallVector<LaunchedDim> launched(ArrayRef<ResultDim> dims) {
  SmallVector<LaunchedDim> result;
  for (const ResultDim &dim : dims)
    result.push_back(
        {getConstantIntValue(dim.extent), dim.place, dim.step, dim.first});
  return result;
}

static Value product(IndexBuilder at, ArrayRef<LaunchedDim> dims,
                     ArrayRef<OpFoldResult> sizes) {
  Value result = at.constant(1);
  for (const LaunchedDim &dim : dims) {
    Value extent = dim.extent ? at.constant(*dim.extent)
                              : getValueOrCreateConstantIndexOp(
                                    at.builder, at.loc, sizes[dim.place]);
    if (!dim.extent && (dim.step != 1 || dim.first != 0))
      extent = at.ceilDiv(
          at.max(at.sub(extent, at.constant(dim.first)), at.constant(0)),
          dim.step);
    result = at.mul(result, extent);
  }
  return result;
}

TaskCounter countTasks(const ContractionNest &nest, TaskBlock block) {
  return [outer = launched(nest.outer), rows = launched(nest.rows),
          columns = launched(nest.column),
          block](OpBuilder &b, Location loc, ArrayRef<OpFoldResult> sizes) {
    IndexBuilder at{b, loc};
    Value rowBlocks = at.ceilDiv(product(at, rows, sizes), block.rows);
    Value columnBlocks = at.ceilDiv(product(at, columns, sizes), block.columns);
    return at.mul(product(at, outer, sizes), at.mul(rowBlocks, columnBlocks));
  };
}

TaskCounter countRows(const ContractionNest &nest) {
  return [rows = launched(nest.rows)](OpBuilder &b, Location loc,
                                      ArrayRef<OpFoldResult> sizes) {
    return product({b, loc}, rows, sizes);
  };
}

/// True if the result has the nest's rows first and then its columns, and no
/// window needs a row's indices.
static bool rowsComeFirst(const ContractionNest &nest) {
  for (auto [place, dim] : llvm::enumerate(nest.rows))
    if (dim.place != int64_t(place) || dim.step != 1 || dim.first != 0)
      return false;
  return nest.rowStride && nest.outer.empty() && nest.columnIsLast() &&
         !nest.hasGuards();
}

/// True if every epilogue operand is row-aligned with the result or independent
/// of rows.
static bool readsRowsInOrder(FusionOp fusion) {
  return llvm::all_of(
      fusion.getBlock().without_terminator(), [](Operation &op) {
        if (auto broadcast = dyn_cast<BroadcastInDimOp>(op))
          return broadcast.getDims().empty() ||
                 broadcast.getDims() ==
                     ArrayRef<int64_t>{
                         cast<ShapedType>(broadcast.getType()).getRank() - 1};
        auto constant = dyn_cast<ConstantOp>(op);
        return op.hasTrait<Elementwise>() ||
               isa<DotGeneralOp, ConvolutionOp, UnpackOp, UnpairOp, UnquadOp,
                   DequantizeOp>(op) ||
               (constant && constant.getValue().isSplat());
      });
}

NestTask::NestTask(Kernel &kernel, const ContractionNest &nest, TaskBlock block)
    : areLinear(rowsComeFirst(nest) && readsRowsInOrder(kernel.fusion)),
      kernel(kernel), nest(nest), block(block) {
  assert(llvm::all_of(kernel.func.getArgumentTypes(),
                      [](Type type) {
                        auto memory = dyn_cast<MemRefType>(type);
                        return !memory || memory.getLayout().isIdentity();
                      }) &&
         "the rows of a kernel's tensors follow one another in memory");
  rows = at().constant(1);
  for (const ResultDim &dim : nest.rows) {
    rowExtents.push_back(dim.extent);
    rows = at().mul(rows, dim.extent);
  }
}

void NestTask::enter(Value task) {
  Value blocks = at().ceilDiv(nest.column.extent, block.columns);
  Value column = at().remainder(task, blocks);
  enterRowBlock(at().floorDiv(task, blocks), column,
                at().add(column, at().constant(1)));
}

void NestTask::enterRowBlock(Value line, Value first, Value last) {
  Value rowBlocks = at().ceilDiv(rows, block.rows);
  enterBlocks(at().floorDiv(line, rowBlocks), at().remainder(line, rowBlocks),
              first, last);
}

/// The rows of each block but the last. Their number is that of blocks of
/// `block.rows`, so none is empty.
Value NestTask::rowsOfBlock() {
  if (!block.evenStep || getConstantIntValue(rows))
    return at().constant(block.rows);
  Value blocks = at().max(at().ceilDiv(rows, block.rows), at().constant(1)),
        even = at().floorDiv(at().add(rows, at().sub(blocks, at().constant(1))),
                             blocks);
  return at().mul(at().ceilDiv(even, *block.evenStep),
                  at().constant(*block.evenStep));
}

void NestTask::enterBlocks(Value outerNumber, Value row, Value first,
                           Value last) {
  Values extents;
  for (const ResultDim &dim : nest.outer)
    extents.push_back(dim.extent);
  outer = at().delinearize(outerNumber, extents);
  lhsBase = nest.lhsOrigin;
  rhsBase = nest.rhsOrigin;
  for (auto [dim, index] : llvm::zip(nest.outer, outer)) {
    lhsBase = at().add(lhsBase, at().mul(index, dim.lhsStride));
    rhsBase = at().add(rhsBase, at().mul(index, dim.rhsStride));
  }
  Value blockRows = rowsOfBlock();
  firstRow = at().mul(row, blockRows);
  lastRow = at().min(at().add(firstRow, blockRows), rows);
  firstColumn = at().mul(first, at().constant(block.columns));
  lastColumn = at().min(at().mul(last, at().constant(block.columns)),
                        nest.column.extent);
}

NestTask::Values NestTask::positionOf(Value row) const {
  if (areLinear) {
    Values position(rowExtents.size(), at().constant(0));
    position.back() = row;
    return position;
  }
  return at().delinearize(row, rowExtents);
}

NestTask::Values NestTask::placeOf(ArrayRef<Value> position, Value column) {
  Values place(nest.rank);
  auto move = [&](const ResultDim &dim, Value index) {
    Value moved = at().add(at().mul(index, at().constant(dim.step)),
                           at().constant(dim.first));
    Value &there = place[dim.place];
    there = there ? at().add(there, moved) : moved;
  };
  for (auto [dim, index] : llvm::zip(nest.outer, outer))
    move(dim, index);
  for (auto [dim, index] : llvm::zip(nest.rows, position))
    move(dim, index);
  move(nest.column, column);
  return place;
}

} // namespace tenon
