// The threads of a block are a square of 16 by 16. They load the operands of
// `depth` products to shared memory, elements of one product next to each
// other, and each thread multiplies its rows by its columns, four neighbours at
// a time. The order of products is that of the numerics contract.
//
// Rows and columns behind the last one repeat it and are never stored. A tap
// may be outside the input for some rows: it is computed for all rows on
// elements that exist, and rows outside keep their earlier sums.
#include "passes/gpu/BlockTile.h"

#include "passes/kernel/KernelLoops.h"
#include "passes/kernel/element/ElementEmitter.h"
#include "passes/kernel/nest/NestTask.h"
#include "passes/kernel/numerics/Conversions.h"
#include "passes/kernel/numerics/ElementwiseEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

namespace {
/// Threads along rows and along columns of a tile.
constexpr int64_t side = 16;
/// Neighbours that a thread loads from shared memory at once: 16 bytes.
constexpr int64_t quad = 4;
/// The space of shared memory.
constexpr int64_t sharedSpace = 3;

class BlockTile : KernelLoops {
public:
  BlockTile(Kernel &kernel, Value dot, const ContractionNest &nest,
            BlockTilePlanAttr plan)
      : KernelLoops(kernel), dot(dot), nest(nest), plan(plan),
        task(kernel, nest, TaskBlock{plan.getRows(), plan.getColumns()}),
        ownRows(plan.getRows() / side), ownColumns(plan.getColumns() / side) {}

  void emit();

private:
  Value shared(StringRef name, int64_t elements);
  Value threadNumber();
  Values positionOf(Value row);
  bool isWhole(Value count) {
    return getConstantIntValue(count) == plan.getDepth();
  }
  Value lastOf(Value count) { return at().sub(count, at().constant(1)); }
  Value rowNumber(int64_t own, Value threadRow);
  Values sumFrom(size_t level, Value lhs, Value rhs, Values taps,
                 const Values &former);
  Values sumInBlocks(const SumDim &dim, Value lhs, Value rhs,
                     const Values &former, const Values &fits);
  Values chain(const SumDim &dim, Value lhs, Value rhs, Value low, Value high,
               const Values &former);
  Values addChunk(const SumDim &dim, Value lhs, Value rhs, Value first,
                  Value count, const Values &former);
  Values step(Value k, const Values &former);
  void loadChunk(const SumDim &dim, Value lhs, Value rhs, Value first,
                 Value count);
  Value fits(ArrayRef<Value> position, ArrayRef<Value> taps);
  bool hasGuards() {
    return llvm::any_of(nest.sums,
                        [](const SumDim &dim) { return bool(dim.guard); });
  }
  Values carry(Value low, Value high, int64_t step, const Values &initial,
               llvm::function_ref<Values(Value, const Values &)> body);
  void barrier() { NVVM::BarrierOp::create(b, loc); }
  void finish(const Values &sums);
  void store(Value row, Value column, Value sum);

  Value dot;
  const ContractionNest &nest;
  BlockTilePlanAttr plan;
  NestTask task;
  int64_t ownRows, ownColumns; ///< of a thread
  Value thread, threadRow, threadColumn;
  Value lhsTile, rhsTile, resultTile; ///< in shared memory
  /// What the thread loads: an element of this row and of this column each
  /// time, for products that are `loadStep` apart.
  Value loadedRow, loadedColumn, rowStep, columnStep;
  Value rowOffset, columnOffset;    ///< of them in the operands
  Values loadedPosition;            ///< of the row
  SmallVector<Values> ownPositions; ///< of the thread's rows
};

Value BlockTile::shared(StringRef name, int64_t elements) {
  auto type = MemRefType::get({elements}, nest.sum, MemRefLayoutAttrInterface(),
                              b.getI64IntegerAttr(sharedSpace));
  std::string symbol = (kernel.func.getName() + "_" + name).str();
  auto module = kernel.func->getParentOfType<ModuleOp>();
  auto start = OpBuilder::atBlockBegin(module.getBody());
  memref::GlobalOp::create(start, loc, symbol, b.getStringAttr("private"), type,
                           /*initial_value=*/b.getUnitAttr(),
                           /*constant=*/false,
                           /*alignment=*/b.getI64IntegerAttr(16));
  return memref::GetGlobalOp::create(b, loc, type, symbol);
}

Value BlockTile::threadNumber() {
  Value number = NVVM::ThreadIdXOp::create(b, loc, b.getI32Type());
  return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), number);
}

BlockTile::Values BlockTile::positionOf(Value row) {
  return task.rowExtents.empty() ? Values()
                                 : at().delinearize(row, task.rowExtents);
}

/// The row of the tile that is the thread's row number `own`.
Value BlockTile::rowNumber(int64_t own, Value threadRow) {
  Value group = at().constant(own / quad * quad * side + own % quad);
  return at().add(group, at().mul(threadRow, at().constant(quad)));
}

BlockTile::Values
BlockTile::carry(Value low, Value high, int64_t step, const Values &initial,
                 llvm::function_ref<Values(Value, const Values &)> body) {
  auto loop =
      scf::ForOp::create(b, loc, low, high, at().constant(step), initial);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Values next = body(loop.getInductionVar(), Values(loop.getRegionIterArgs()));
  scf::YieldOp::create(b, loc, next);
  return Values(loop.getResults());
}

void BlockTile::emit() {
  thread = threadNumber();
  threadRow = at().floorDiv(thread, at().constant(side));
  threadColumn = at().remainder(thread, at().constant(side));
  lhsTile = shared("lhs", plan.getDepth() * plan.getRows());
  rhsTile = shared("rhs", plan.getDepth() * plan.getColumns());
  resultTile = shared("result", side * plan.getColumns());
  task.enter(kernel.begin);

  Value rows = at().constant(plan.getRows()),
        columns = at().constant(plan.getColumns());
  loadedRow = at().remainder(thread, rows);
  rowStep = at().floorDiv(thread, rows);
  loadedColumn = at().remainder(thread, columns);
  columnStep = at().floorDiv(thread, columns);
  auto rowOf = [&](Value inTile) {
    return at().min(at().add(task.firstRow, inTile), lastOf(task.rows));
  };
  loadedPosition = positionOf(rowOf(loadedRow));
  rowOffset = task.lhsBase;
  for (auto [dim, index] : llvm::zip_equal(nest.rows, loadedPosition))
    rowOffset = at().add(rowOffset, at().mul(index, dim.lhsStride));
  Value column = at().min(at().add(task.firstColumn, loadedColumn),
                          lastOf(nest.column.extent));
  columnOffset = task.rhsBase;
  if (nest.panels) {
    Value width = at().constant(nest.panels->width);
    columnOffset =
        at().add(at().add(columnOffset, at().remainder(column, width)),
                 at().mul(at().floorDiv(column, width), nest.panels->stride));
  } else {
    columnOffset =
        at().add(columnOffset, at().mul(column, nest.column.rhsStride));
  }
  if (hasGuards())
    for (int64_t own = 0; own < ownRows; ++own)
      ownPositions.push_back(positionOf(rowOf(rowNumber(own, threadRow))));

  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(nest.sum));
  Values sums(ownRows * ownColumns, zero);
  finish(sumFrom(0, at().constant(0), at().constant(0), {}, sums));
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

/// Adds the products of the sums from `level` on. `lhs` and `rhs` are the
/// offsets of the taps so far.
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
  Value rowHere = at().add(rowOffset, lhs);
  if (hasGuards())
    rowHere = arith::SelectOp::create(b, loc, fits(loadedPosition, taps),
                                      rowHere, at().constant(0));
  return sumInBlocks(dim, rowHere, at().add(columnOffset, rhs), former, inside);
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
        for (auto [sum, earlier] : llvm::zip_equal(sums, before))
          sum = ifBlocked(arith::AddFOp::create(b, loc, earlier, sum), sum);
        return keep(sums, before);
      });
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
  loadChunk(dim, lhs, rhs, first, count);
  barrier();
  Values sums = former;
  if (isWhole(count))
    for (int64_t k = 0; k < plan.getDepth(); ++k)
      sums = step(at().constant(k), sums);
  else
    sums =
        carry(at().constant(0), count, 1, sums,
              [&](Value k, const Values &before) { return step(k, before); });
  barrier();
  return sums;
}

/// Copies the operands of a chunk to shared memory.
void BlockTile::loadChunk(const SumDim &dim, Value lhs, Value rhs, Value first,
                          Value count) {
  auto load = [&](Value tile, int64_t width, Value operand, Type element,
                  Value offset, Value stride, Value number, Value step) {
    // Threads next to each other load neighbours of one product.
    int64_t apart = blockThreads / width;
    for (int64_t i = 0; i * apart < plan.getDepth(); ++i) {
      Value k = at().add(step, at().constant(i * apart));
      auto copy = [&] {
        Value place = at().add(offset, at().mul(at().add(first, k), stride));
        Value loaded =
            emitConvert(b, loc, memref::LoadOp::create(b, loc, operand, place),
                        element, nest.sum);
        Value to = at().add(at().mul(k, at().constant(width)), number);
        memref::StoreOp::create(b, loc, loaded, tile, to);
      };
      if (isWhole(count))
        copy();
      else
        when(at().less(k, count), copy);
    }
  };
  load(lhsTile, plan.getRows(), nest.lhs, nest.lhsElement, lhs, dim.lhsStride,
       loadedRow, rowStep);
  load(rhsTile, plan.getColumns(), nest.rhs, nest.rhsElement, rhs,
       dim.rhsStride, loadedColumn, columnStep);
}

/// Adds product number `k` of the chunk.
BlockTile::Values BlockTile::step(Value k, const Values &former) {
  auto type = VectorType::get({quad}, nest.sum);
  auto load = [&](Value tile, int64_t width, int64_t count, Value place) {
    Values elements;
    for (int64_t i = 0; i < count; i += quad) {
      Value from = at().add(
          at().add(at().mul(k, at().constant(width)), at().constant(i * side)),
          at().mul(place, at().constant(quad)));
      Value four =
          vector::LoadOp::create(b, loc, type, tile, from,
                                 /*nontemporal=*/false, llvm::MaybeAlign(16));
      for (int64_t j = 0; j < quad; ++j)
        elements.push_back(
            vector::ExtractOp::create(b, loc, four, ArrayRef<int64_t>{j}));
    }
    return elements;
  };
  Values rows = load(lhsTile, plan.getRows(), ownRows, threadRow),
         columns = load(rhsTile, plan.getColumns(), ownColumns, threadColumn);
  Values sums = former;
  for (int64_t r = 0; r < ownRows; ++r)
    for (int64_t c = 0; c < ownColumns; ++c) {
      Value &sum = sums[r * ownColumns + c];
      sum = emitMultiplyAdd(b, loc, rows[r], columns[c], sum);
    }
  return sums;
}

/// Stores the sums, some rows of the tile at a time: shared memory gives each
/// thread elements that are neighbours of the next thread's.
void BlockTile::finish(const Values &sums) {
  int64_t columns = plan.getColumns();
  auto type = VectorType::get({quad}, nest.sum);
  for (int64_t own = 0; own < ownRows; ++own) {
    if (own > 0) // the rows before must have been read
      barrier();
    for (int64_t c = 0; c < ownColumns; c += quad) {
      Value four = vector::FromElementsOp::create(
          b, loc, type, ArrayRef(sums).slice(own * ownColumns + c, quad));
      Value place =
          at().add(at().add(at().mul(threadRow, at().constant(columns)),
                            at().constant(c * side)),
                   at().mul(threadColumn, at().constant(quad)));
      vector::StoreOp::create(b, loc, four, resultTile, place,
                              /*nontemporal=*/false, llvm::MaybeAlign(16));
    }
    barrier();
    forRange(
        thread, at().constant(side * columns), blockThreads, [&](Value number) {
          Value row = at().add(
              task.firstRow,
              rowNumber(own, at().floorDiv(number, at().constant(columns))));
          Value column = at().add(
              task.firstColumn, at().remainder(number, at().constant(columns)));
          Value exists =
              arith::AndIOp::create(b, loc, at().less(row, task.rows),
                                    at().less(column, nest.column.extent));
          when(exists, [&] {
            store(row, column,
                  memref::LoadOp::create(b, loc, resultTile, number));
          });
        });
  }
}

/// Computes the epilogue of an element and stores it.
void BlockTile::store(Value row, Value column, Value sum) {
  Values place = task.placeOf(positionOf(row), column);
  SmallVector<LaneIndex> indices;
  for (Value index : place)
    indices.push_back({index, 0});
  auto elementOf = [](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getElementType();
  };
  ElementEmitter emitter(kernel, 1);
  emitter.preset(dot, emitConvert(b, loc, sum, nest.sum, elementOf(dot)));
  Value root = kernel.fusion.getYield().getOperand(0);
  emitter.store(emitter.emit(root, indices), elementOf(root), kernel.outputs[0],
                place);
}
} // namespace

BlockTilePlanAttr planBlockTile(Kernel &kernel, const ContractionNest &nest) {
  constexpr int64_t large = 128, small = 64, depth = 8;
  if (!nest.sum.isF32() || nest.sumsPerElement != 1 || nest.scales ||
      nest.products != Products::Chain || nest.sums.back().guard)
    return {};
  int64_t rows = 1;
  for (const ResultDim &dim : nest.rows)
    rows *= getConstantIntValue(dim.extent).value_or(large);
  int64_t columns = getConstantIntValue(nest.column.extent).value_or(large);
  std::optional<int64_t> sum = getConstantIntValue(nest.sums.back().extent);
  if (rows < small / 2 || columns < small / 2 || (sum && *sum < depth))
    return {};
  auto sideFor = [&](int64_t extent) {
    return extent >= large ? large : small;
  };
  int64_t tile = std::min(sideFor(rows), sideFor(columns));
  return BlockTilePlanAttr::get(kernel.fusion.getContext(), tile, tile, depth);
}

TaskCounter emitBlockTile(Kernel &kernel, Value dot,
                          const ContractionNest &nest, BlockTilePlanAttr plan) {
  BlockTile(kernel, dot, nest, plan).emit();
  return countTasks(nest, TaskBlock{plan.getRows(), plan.getColumns()});
}

} // namespace tenon
