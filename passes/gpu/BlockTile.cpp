// The threads of a block are a square of 16 by 16. They load the operands of
// `depth` products to shared memory, elements of one product next to each
// other, and each thread multiplies its rows by its columns, four neighbours at
// a time. The order of products is that of the numerics contract.
//
// A warp has neighbouring rows. If all of them are behind the last row, it only
// helps to load. Other rows and columns behind the last one repeat it and are
// never stored. A tap may be outside the input for some rows: it is computed
// for all rows on elements that exist, and rows outside keep their earlier
// sums.
#include "passes/gpu/BlockTile.h"

#include "passes/gpu/BlockKernel.h"
#include "passes/gpu/ContractionEpilogue.h"
#include "passes/gpu/FewRows.h"
#include "passes/gpu/TileLoader.h"
#include "passes/kernel/nest/NestTask.h"
#include "passes/kernel/numerics/Conversions.h"
#include "passes/kernel/numerics/ElementwiseEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tenon {

namespace {
/// Elements of an operand that the threads of a block load at once.
constexpr int64_t elementsAtOnce = 4 * blockThreads;
/// Shorter sums leave the tile's memory empty.
constexpr int64_t fewestProducts = 8;
/// Threads along rows and along columns of a tile.
constexpr int64_t side = 16;

class BlockTile : BlockKernel {
public:
  BlockTile(Kernel &kernel, Value dot, const ContractionNest &nest,
            BlockTilePlanAttr plan)
      : BlockKernel(kernel), dot(dot), nest(nest), plan(plan),
        task(kernel, nest, TaskBlock{plan.getRows(), plan.getColumns()}),
        ownRows(plan.getRows() / side), ownColumns(plan.getColumns() / side) {}

  void emit();

private:
  Values positionOf(Value row);
  bool isWhole(Value count) {
    return getConstantIntValue(count) == plan.getDepth();
  }
  Value lastOf(Value count) { return at().sub(count, at().constant(1)); }
  Value rowOf(Value inTile) {
    return at().min(at().add(task.firstRow, inTile), lastOf(task.rows));
  }
  Values ifActive(const Values &former, llvm::function_ref<Values()> body) {
    return choose(isActive, former, body, [&] { return former; });
  }
  Values sumFrom(size_t level, Value lhs, Value rhs, Values taps,
                 const Values &former);
  Values sumInBlocks(const SumDim &dim, Value lhs, Value rhs,
                     const Values &former, const Values &fits);
  Values chain(const SumDim &dim, Value lhs, Value rhs, Value low, Value high,
               const Values &former);
  Values scaled(Values sums, Value first, const Values &before);
  Values addChunk(const SumDim &dim, Value lhs, Value rhs, Value first,
                  Value count, const Values &former);
  Values step(Value k, const Values &former);
  Value fits(ArrayRef<Value> position, ArrayRef<Value> taps);
  bool hasGuards() {
    return llvm::any_of(nest.sums,
                        [](const SumDim &dim) { return bool(dim.guard); });
  }
  void finish(const Values &sums);
  void store(ArrayRef<Value> position, Value column, Value sum);

  Value dot;
  const ContractionNest &nest;
  BlockTilePlanAttr plan;
  NestTask task;
  int64_t ownRows, ownColumns; ///< of a thread
  Value thread, threadRow, threadColumn;
  Value isActive; ///< the thread's warp has rows
  std::optional<TileLoader> rows, columns;
  Values loadedPosition;            ///< of the row that the thread loads
  SmallVector<Values> ownPositions; ///< of the thread's rows
};

BlockTile::Values BlockTile::positionOf(Value row) {
  return task.rowExtents.empty() ? Values()
                                 : at().delinearize(row, task.rowExtents);
}

void BlockTile::emit() {
  thread = threadNumber();
  threadRow = at().floorDiv(thread, at().constant(side));
  threadColumn = at().remainder(thread, at().constant(side));
  task.enter(kernel.begin);
  Value warp = at().floorDiv(thread, at().constant(warpThreads)),
        rowsOfWarp = at().constant(warpThreads / side * ownRows);
  isActive =
      at().less(at().add(task.firstRow, at().mul(warp, rowsOfWarp)), task.rows);
  rows.emplace(TileLoader::ofRows(kernel, nest, plan, thread));
  columns.emplace(TileLoader::ofColumns(kernel, nest, plan, thread));
  loadedPosition = positionOf(rowOf(rows->line()));
  Value rowOffset = task.lhsBase;
  for (auto [dim, index] : llvm::zip_equal(nest.rows, loadedPosition))
    rowOffset = at().add(rowOffset, at().mul(index, dim.lhsStride));
  if (hasGuards())
    for (int64_t own = 0; own < ownRows; ++own)
      ownPositions.push_back(positionOf(rowOf(at().add(
          at().mul(threadRow, at().constant(ownRows)), at().constant(own)))));
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(nest.sum));
  Values sums(ownRows * ownColumns, zero);
  Value columnOffset = offsetOfColumn(
      kernel, nest, task, at().add(task.firstColumn, columns->line()),
      columns->takesNeighbours());
  finish(sumFrom(0, rowOffset, columnOffset, {}, sums));
}

/// True for a row whose taps so far are inside the input; null if no tap can be
/// outside.
Value BlockTile::fits(ArrayRef<Value> position, ArrayRef<Value> taps) {
  Value result;
  for (auto [dim, tap] : llvm::zip(nest.sums, taps)) {
    if (!dim.guard)
      continue;
    const WindowGuard &guard = *dim.guard;
    Value place = at().add(
        at().sub(at().mul(position[guard.row], at().constant(guard.stride)),
                 at().constant(guard.low)),
        at().mul(tap, at().constant(guard.dilation)));
    Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                         place, guard.input);
    result =
        result ? Value(arith::AndIOp::create(b, loc, result, inside)) : inside;
  }
  return result;
}

/// Adds the products of the sums from `level` on. `lhs` and `rhs` are what the
/// thread loads, for the taps so far.
BlockTile::Values BlockTile::sumFrom(size_t level, Value lhs, Value rhs,
                                     Values taps, const Values &former) {
  const SumDim &dim = nest.sums[level];
  if (level + 1 < nest.sums.size())
    return carry(at().constant(0), dim.extent, 1, former,
                 [&](Value tap, const Values &sums) {
                   Values inner = taps;
                   inner.push_back(tap);
                   return sumFrom(level + 1,
                                  at().add(lhs, at().mul(tap, dim.lhsStride)),
                                  at().add(rhs, at().mul(tap, dim.rhsStride)),
                                  inner, sums);
                 });
  Values inside;
  for (const Values &position : ownPositions)
    inside.push_back(fits(position, taps));
  // Elements outside the input are not read: any element stands for them.
  if (hasGuards())
    lhs = arith::SelectOp::create(b, loc, fits(loadedPosition, taps), lhs,
                                  at().constant(0));
  return sumInBlocks(dim, lhs, rhs, former, inside);
}

BlockTile::Values BlockTile::sumInBlocks(const SumDim &dim, Value lhs,
                                         Value rhs, const Values &former,
                                         const Values &fits) {
  auto keep = [&](Values sums, const Values &before) {
    for (size_t i = 0; i < sums.size() && !fits.empty(); ++i)
      sums[i] = arith::SelectOp::create(b, loc, fits[i / ownColumns], sums[i],
                                        before[i]);
    return sums;
  };
  if (nest.block == 0)
    return keep(chain(dim, lhs, rhs, at().constant(0), dim.extent, former),
                former);
  auto ifBlocked = [&](Value yes, Value no) -> Value {
    if (!nest.isBlocked)
      return yes;
    return arith::SelectOp::create(b, loc, nest.isBlocked, yes, no);
  };
  return carry(
      at().constant(0), dim.extent, nest.block, former,
      [&](Value first, const Values &before) {
        Value end =
            at().min(at().add(first, at().constant(nest.block)), dim.extent);
        Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(nest.sum));
        Values sums;
        for (Value sum : before)
          sums.push_back(ifBlocked(zero, sum));
        sums = chain(dim, lhs, rhs, first, end, sums);
        if (nest.scales)
          return scaled(sums, first, before);
        for (auto [sum, earlier] : llvm::zip_equal(sums, before))
          sum = ifBlocked(arith::AddFOp::create(b, loc, earlier, sum), sum);
        return keep(sums, before);
      });
}

/// Adds the sums of the group of products from `first` on, times the scales of
/// the thread's columns.
BlockTile::Values BlockTile::scaled(Values sums, Value first,
                                    const Values &before) {
  const GroupScales &scales = *nest.scales;
  Value group = at().mul(at().floorDiv(first, at().constant(nest.block)),
                         at().constant(scales.width)),
        width = at().constant(nest.panels->width),
        own = at().add(task.firstColumn,
                       at().mul(threadColumn, at().constant(quad)));
  for (int64_t c = 0; c < ownColumns; ++c) {
    Value column = at().min(
        at().add(own, at().constant(c / quad * quad * side + c % quad)),
        lastOf(nest.column.extent));
    Value place = at().add(
        at().add(at().remainder(column, width),
                 at().mul(at().floorDiv(column, width), scales.panelStride)),
        group);
    Value scale = loadSeveral(scales.memory, scales.element, place, 1).front();
    for (int64_t r = 0; r < ownRows; ++r) {
      size_t i = r * ownColumns + c;
      sums[i] = emitMultiplyAdd(b, loc, sums[i], scale, before[i]);
    }
  }
  return sums;
}

/// One chain of the products [low, high) of the innermost sum.
BlockTile::Values BlockTile::chain(const SumDim &dim, Value lhs, Value rhs,
                                   Value low, Value high,
                                   const Values &former) {
  int64_t depth = plan.getDepth();
  Value step = at().constant(depth);
  Value whole =
      at().add(low, at().mul(at().floorDiv(at().sub(high, low), step), step));
  Values sums =
      carry(low, whole, depth, former, [&](Value first, const Values &before) {
        return addChunk(dim, lhs, rhs, first, step, before);
      });
  std::optional<int64_t> extent = getConstantIntValue(dim.extent);
  if (extent && *extent % depth == 0 && nest.block % depth == 0)
    return sums;
  Value rest = at().sub(high, whole);
  return choose(
      at().less(at().constant(0), rest), sums,
      [&] { return addChunk(dim, lhs, rhs, whole, rest, sums); },
      [&] { return sums; });
}

/// Adds the products [first, first + count), at most `depth`.
BlockTile::Values BlockTile::addChunk(const SumDim &dim, Value lhs, Value rhs,
                                      Value first, Value count,
                                      const Values &former) {
  rows->load(dim.lhsStride, lhs, first, count);
  columns->load(dim.rhsStride, rhs, first, count);
  barrier();
  Values sums = ifActive(former, [&] {
    if (!isWhole(count))
      return carry(
          at().constant(0), count, 1, former,
          [&](Value k, const Values &before) { return step(k, before); });
    Values sums = former;
    for (int64_t k = 0; k < plan.getDepth(); ++k)
      sums = step(at().constant(k), sums);
    return sums;
  });
  // The last chunk has no later one that would overwrite its memory.
  if (isWhole(count) || nest.sums.size() > 1 ||
      nest.block % plan.getDepth() != 0)
    barrier();
  return sums;
}

/// Adds product number `k` of the chunk.
BlockTile::Values BlockTile::step(Value k, const Values &former) {
  Values left, right;
  Value firstRow = at().mul(threadRow, at().constant(ownRows)),
        firstColumn = at().mul(threadColumn, at().constant(quad));
  for (int64_t r = 0; r < ownRows; r += quad)
    llvm::append_range(left,
                       rows->read(k, at().add(firstRow, at().constant(r))));
  for (int64_t c = 0; c < ownColumns; c += quad)
    llvm::append_range(
        right,
        columns->read(k, at().add(firstColumn, at().constant(c * side))));
  Values sums = former;
  for (int64_t r = 0; r < ownRows; ++r)
    for (int64_t c = 0; c < ownColumns; ++c) {
      Value &sum = sums[r * ownColumns + c];
      sum = emitMultiplyAdd(b, loc, left[r], right[c], sum);
    }
  return sums;
}

/// Stores the sums, two rows of each warp at a time. The warp's part of shared
/// memory gives each thread elements that are neighbours of the next thread's.
void BlockTile::finish(const Values &sums) {
  int64_t columns = plan.getColumns(), rowsAtOnce = warpThreads / side;
  Value tile = shared("result", side * columns),
        warp = at().floorDiv(thread, at().constant(warpThreads)),
        lane = at().remainder(thread, at().constant(warpThreads)),
        part = at().mul(warp, at().constant(rowsAtOnce * columns)),
        ownPart = at().mul(threadRow, at().constant(columns));
  when(isActive, [&] {
    for (int64_t own = 0; own < ownRows; ++own) {
      if (own > 0) // the rows before must have been read
        warpBarrier();
      for (int64_t c = 0; c < ownColumns; c += quad)
        storeShared(ArrayRef(sums).slice(own * ownColumns + c, quad), tile,
                    at().add(at().add(ownPart, at().constant(c * side)),
                             at().mul(threadColumn, at().constant(quad))));
      warpBarrier();
      for (int64_t r = 0; r < rowsAtOnce; ++r) {
        Value inTile = at().add(
            at().mul(at().add(at().mul(warp, at().constant(rowsAtOnce)),
                              at().constant(r)),
                     at().constant(ownRows)),
            at().constant(own));
        Value row = at().add(task.firstRow, inTile);
        when(at().less(row, task.rows), [&] {
          Values position = positionOf(row);
          for (int64_t c = 0; c < columns; c += warpThreads) {
            Value inRow = at().add(lane, at().constant(c)),
                  column = at().add(task.firstColumn, inRow);
            when(at().less(column, nest.column.extent), [&] {
              Value place =
                  at().add(part, at().add(inRow, at().constant(r * columns)));
              store(position, column, loadShared(tile, place, 1).front());
            });
          }
        });
      }
    }
  });
}

/// Computes the epilogue of an element and stores it.
void BlockTile::store(ArrayRef<Value> position, Value column, Value sum) {
  storeContractionElement(kernel, dot, nest, task.placeOf(position, column),
                          sum);
}
} // namespace

BlockTilePlanAttr planBlockTile(Kernel &kernel, const ContractionNest &nest) {
  constexpr int64_t large = 128, small = 64;
  if (!nest.sum.isF32() || nest.products != Products::Chain ||
      nest.sums.back().guard)
    return {};
  int64_t rows = 1;
  for (const ResultDim &dim : nest.rows)
    rows *= getConstantIntValue(dim.extent).value_or(large);
  int64_t columns = getConstantIntValue(nest.column.extent).value_or(large);
  std::optional<int64_t> sum = getConstantIntValue(nest.sums.back().extent);
  if (rows < small / 2 || columns < small / 2 || (sum && *sum < fewestProducts))
    return {};
  auto sideFor = [&](int64_t extent) {
    return extent >= large ? large : small;
  };
  int64_t tile = std::min(sideFor(rows), sideFor(columns));
  bool open = ShapedType::isDynamicShape(
      cast<MemRefType>(kernel.outputs[0].getType()).getShape());
  FewRowsPlanAttr few = open ? planFewRows(kernel, nest, 8) : nullptr;
  // Each thread loads four elements of both operands at once.
  return BlockTilePlanAttr::get(kernel.fusion.getContext(), tile, tile,
                                elementsAtOnce / tile, few);
}

TaskCounter emitBlockTile(Kernel &kernel, Value dot,
                          const ContractionNest &nest, BlockTilePlanAttr plan) {
  BlockTile(kernel, dot, nest, plan).emit();
  return countTasks(nest, TaskBlock{plan.getRows(), plan.getColumns()});
}

} // namespace tenon
