// A task is a block of rows and columns of one batch. It multiplies all its
// rows by one panel of columns before the next panel. A deep panel is divided
// into pieces, so that each piece stays in L1. A tile of rows holds its sums in
// registers during a piece and on the stack between pieces. Columns that are
// not contiguous in memory are packed.
#include "passes/cpu/gemm/GemmEmitter.h"

#include "passes/cpu/gemm/ColumnPrefetcher.h"
#include "passes/cpu/gemm/GemmPlan.h"
#include "passes/cpu/gemm/PartialSums.h"
#include "passes/cpu/gemm/RowTable.h"
#include "passes/cpu/gemm/RowTiles.h"
#include "passes/cpu/tile/PanelPacker.h"
#include "passes/cpu/tile/TileEpilogue.h"
#include "passes/cpu/tile/TileKernel.h"
#include "passes/cpu/tile/TilePanels.h"
#include "passes/kernel/KernelLoops.h"
#include "passes/kernel/element/ElementEmitter.h"
#include "passes/kernel/nest/NestTask.h"
#include "passes/kernel/nest/NestTurns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon {

namespace {
class GemmEmitter : GemmPlan, KernelLoops {
public:
  GemmEmitter(Kernel &kernel, Value dot, const ContractionNest &nest,
              TilePlanAttr plan)
      : GemmPlan(nest, plan, kernel.machine), KernelLoops(kernel),
        tiles(kernel, nest, lanes), epilogue(kernel, dot, nest.sum, lanes),
        prefetcher(kernel, nest, facts.size, tile), task(kernel, nest, block),
        rows(kernel, *this, task), table(kernel, *this, rows, tiles),
        panels(kernel, nest, width, lanes),
        partial(kernel, nest.sum, lanes, width) {}

  /// Emits the tasks [begin, end).
  void emit(Value begin, Value end);
  using GemmPlan::block;

private:
  using Values = SmallVector<Value>;

  void emitPanel(const TilePanel &panel);
  void emitDirect(const TilePanel &panel);
  void emitPieces(const TilePanel &panel, const ColumnSource &columns,
                  Value end);
  void forEachTile(Value low, Value high,
                   llvm::function_ref<void(const RowRun &)> body);
  void finishTiles(const TilePanel &panel, const ColumnSource &from, Value low,
                   Value high, Value done);
  void emitPacked(const TilePanel &panel);
  void addPacked(const TilePanel &panel, Value low, Value high, Values taps,
                 Value lhsOffset, Value rhsOffset);
  ColumnSource packedColumns(const TilePanel &panel, Value rhsOffset,
                             Value depth);
  void addTile(const ColumnSource &columns, const RowRun &run, Value partialRow,
               ArrayRef<Value> taps, Value lhsOffset, Value depth);
  bool tapsAreDeep();
  bool usesTable();
  Values startsOf(const RowRun &run, Value partialRow, ArrayRef<Value> taps,
                  Values &fits);
  bool isHalved(const TilePanel &panel, const RowRun &run);
  void finish(const TilePanel &panel, const Values &position,
              llvm::function_ref<Value(int64_t)> sums);
  void drain(const TilePanel &panel, Value row, Value partialRow, Value count);

  TileKernel tiles;
  TileEpilogue epilogue;
  ColumnPrefetcher prefetcher;
  NestTask task;
  RowTiles rows;
  RowTable table;
  TilePanels panels;
  PartialSums partial;
  bool wide = true;
  bool drains = false; ///< the epilogue reads its sums from the stack
  Value panelMemory;
};

void GemmEmitter::emit(Value begin, Value end) {
  wide = epilogue.vectorizes(nest.columnIsLast());
  drains = !wide || !epilogue.isShort();
  if (usesTable())
    table.reserve();
  if (inPieces() || isDeep())
    partial.reserve(sharedRows + (isDeep() ? tile.rows : 0));
  else if (drains)
    partial.reserve(tile.rows);
  if (packsWhole())
    panelMemory = scratchOf(nest.sum, *facts.size.sum * width);
  else if (packs())
    // A panel holds at least one block: a piece never divides a block's sum.
    panelMemory =
        scratchOf(nest.sum, std::max(machine.l1Bytes() * 8 /
                                         nest.sum.getIntOrFloatBitWidth(),
                                     nest.block * width));
  if (isDeep())
    partial.storeRows(tile.vectors, at().constant(sharedRows),
                      partial.zeros(tile.rows * tile.vectors));
  forRange(begin, end, 1, [&](Value number) {
    task.enter(number);
    panels.forEach(task.firstColumn, task.lastColumn,
                   [&](const TilePanel &panel) { emitPanel(panel); });
  });
}

/// True if rows of the run share registers for the sums of the panel's last
/// vector.
bool GemmEmitter::isHalved(const TilePanel &panel, const RowRun &run) {
  return plan.getHalves() && run.count > 1 && panel.valid.back();
}

/// Emits the epilogue of one row of a panel. `sums` returns the row's sums of
/// one vector.
void GemmEmitter::finish(const TilePanel &panel, const Values &position,
                         llvm::function_ref<Value(int64_t)> sums) {
  for (int64_t v = 0; v < panel.vectors; ++v) {
    Value column = at().add(panel.first, at().constant(v * lanes));
    auto emit = [&] {
      epilogue.finish(task.placeOf(position, column), sums(v), panel.masks[v],
                      panel.valid[v]);
    };
    if (panel.valid[v] && !getConstantIntValue(panel.valid[v]))
      when(at().less(at().constant(0), panel.valid[v]), emit);
    else
      emit();
  }
}

/// Emits the epilogue of `count` rows whose sums are on the stack.
void GemmEmitter::drain(const TilePanel &panel, Value row, Value partialRow,
                        Value count) {
  forRange(at().constant(0), count, 1, [&](Value r) {
    Values position = task.positionOf(at().add(row, r));
    Value place = at().add(partialRow, r);
    if (wide)
      return finish(panel, position,
                    [&](int64_t v) { return partial.load(place, v); });
    forRange(panel.first, panel.end, 1, [&](Value column) {
      Value place =
          at().add(at().mul(at().add(partialRow, r), at().constant(width)),
                   at().sub(column, panel.first));
      Value sum = memref::LoadOp::create(b, loc, partial.memory, place);
      epilogue.finishOne(task.placeOf(position, column), sum);
    });
  });
}

void GemmEmitter::emitPanel(const TilePanel &panel) {
  if (!packs())
    return inPieces() ? emitPacked(panel) : emitDirect(panel);
  auto packedPanel = [&] {
    if (!packsWhole())
      return emitPacked(panel);
    ColumnSource columns =
        packedColumns(panel, task.rhsBase, nest.sums.back().extent);
    finishTiles(panel, columns, task.firstRow, task.lastRow, {});
  };
  if (columnsStrided() || facts.size.rows)
    return packedPanel();
  // Packing pays only if many rows reuse the columns, and the number of rows is
  // known only at run time.
  Value many = at().less(at().constant(packingRows - 1), task.rows);
  auto branch = scf::IfOp::create(b, loc, many, true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  packedPanel();
  b.setInsertionPointToStart(&branch.getElseRegion().front());
  emitDirect(panel);
}

/// Multiplies the rows by a deep panel piece by piece, so that L1 holds the
/// piece. The last piece leaves its sums in registers. The sums of the first
/// piece are added to zeros that are stored behind all rows: to clear the rows
/// would write them once more. Few rows, and a remainder, read the panel as a
/// whole if it stays in L2.
void GemmEmitter::emitDirect(const TilePanel &panel) {
  ColumnSource columns = panels.columnsOf(panel, task.rhsBase);
  if (!isDeep())
    return finishTiles(panel, columns, task.firstRow, task.lastRow, {});
  if (!mayReadWhole())
    return emitPieces(panel, columns, task.lastRow);
  Value whole = rows.endOfFull(task.firstRow, task.lastRow);
  if (mayBeFew()) {
    Value count = at().sub(task.lastRow, task.firstRow),
          isFew = at().less(count, at().constant(fewRows + 1));
    whole = arith::SelectOp::create(b, loc, isFew, task.firstRow, whole);
  }
  emitPieces(panel, columns, whole);
  finishTiles(panel, columns, whole, task.lastRow, {});
}

/// Multiplies the rows up to `end` by a deep panel piece by piece.
void GemmEmitter::emitPieces(const TilePanel &panel,
                             const ColumnSource &columns, Value end) {
  int64_t depth = plan.getPiece();
  Value whole = at().constant((*facts.size.sum - 1) / depth * depth);
  forRange(task.firstRow, end, sharedRows, [&](Value low) {
    Value high = at().min(at().add(low, at().constant(sharedRows)), end);
    forRange(at().constant(0), whole, depth, [&](Value k) {
      Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, k,
                                            at().constant(0));
      Value next = at().mul(at().add(k, at().constant(depth)),
                            nest.sums.back().rhsStride);
      forEachTile(low, high, [&](const RowRun &run) {
        Value partialRow = at().sub(run.first, low);
        ColumnSource source = columns;
        source.halved = isHalved(panel, run);
        prefetcher.prefetchNext(source, at().add(columns.base, next),
                                partialRow, run.count, {sharedRows, depth, k});
        partial.storeRows(
            panel.vectors, partialRow,
            tiles.run(
                rows.offsetsOf(run, rows.positionsOf(run)),
                nest.sums.back().lhsStride, source, k, at().constant(depth),
                [&] {
                  Value former = arith::SelectOp::create(
                      b, loc, isFirst, at().constant(sharedRows), partialRow);
                  return partial.loadRows(panel.vectors, former, run.count);
                }));
      });
    });
    finishTiles(panel, columns, low, high, whole);
  });
}

/// Computes tiles whose earlier products up to `done` are on the stack, and
/// emits their epilogues. If `done` is null, all products are computed here.
void GemmEmitter::finishTiles(const TilePanel &panel, const ColumnSource &from,
                              Value low, Value high, Value done) {
  TilePanel after = panel;
  after.first = at().add(panel.first, at().constant(width));
  Value next = panels.columnsOf(after, task.rhsBase).base;
  PrefetchedPiece piece{block.rows, facts.size.sum.value_or(0), {}, isDeep()};
  if (done)
    piece = {sharedRows, plan.getPiece(), done};
  auto finishTile = [&](const RowRun &run) {
    ColumnSource columns = from;
    columns.halved = isHalved(panel, run);
    prefetcher.prefetchNext(columns, next, at().sub(run.first, low), run.count,
                            piece);
    Value partialRow = done ? at().sub(run.first, low) : at().constant(0);
    SmallVector<Values> positions = rows.positionsOf(run);
    Values starts = rows.offsetsOf(run, positions);
    auto former = [&] {
      return done ? partial.loadRows(panel.vectors, partialRow, run.count)
                  : partial.zeros(run.count * panel.vectors);
    };
    Values sums;
    if (isChain()) {
      Value first = done ? done : at().constant(0);
      sums = tiles.run(starts, nest.sums.back().lhsStride, columns, first,
                       at().sub(nest.sums.back().extent, first), former);
    } else {
      sums = tiles.runAll(starts, positions, columns, former(),
                          !run.isRest && !tapsAreDeep());
    }
    if (drains) {
      partial.storeRows(panel.vectors, partialRow, sums);
      return drain(panel, run.first, partialRow,
                   run.exist ? run.exist : at().constant(run.count));
    }
    // A row that does not exist has the place and the sums of the last that
    // does. It is stored again: a branch would make LLVM compute rows one by
    // one behind it.
    for (int64_t r = 0; r < run.count; ++r)
      finish(panel, positions[r],
             [&](int64_t v) { return sums[r * panel.vectors + v]; });
  };
  if (done)
    forEachTile(low, high, finishTile);
  else if (mayReadWhole() && !mayBeFew())
    rows.forRest(low, at().sub(high, low), finishTile);
  else
    rows.forEach(low, high, finishTile);
}

/// Calls `body` for each tile that is computed in pieces.
void GemmEmitter::forEachTile(Value low, Value high,
                              llvm::function_ref<void(const RowRun &)> body) {
  mayReadWhole() ? rows.forEachFull(low, high, body)
                 : rows.forEach(low, high, body);
}

void GemmEmitter::emitPacked(const TilePanel &panel) {
  forRange(task.firstRow, task.lastRow, sharedRows, [&](Value low) {
    Value high =
        at().min(at().add(low, at().constant(sharedRows)), task.lastRow);
    Value count = at().sub(high, low);
    partial.clear(panel.vectors, count, tile.rows);
    if (usesTable())
      table.fill(low, high);
    addPacked(panel, low, high, {}, at().constant(0), task.rhsBase);
    drain(panel, low, at().constant(0), count);
  });
}

void GemmEmitter::addPacked(const TilePanel &panel, Value low, Value high,
                            Values taps, Value lhsOffset, Value rhsOffset) {
  const SumDim &dim = nest.sums[taps.size()];
  auto moved = [&](Value k, auto body) {
    body(at().add(lhsOffset, at().mul(k, dim.lhsStride)),
         at().add(rhsOffset, at().mul(k, dim.rhsStride)));
  };
  if (taps.size() + 1 < nest.sums.size())
    return forRange(at().constant(0), dim.extent, 1, [&](Value k) {
      Values inner = taps;
      inner.push_back(k);
      moved(k, [&](Value lhs, Value rhs) {
        addPacked(panel, low, high, inner, lhs, rhs);
      });
    });
  int64_t depth = plan.getPiece();
  std::optional<int64_t> known = getConstantIntValue(dim.extent);
  forRange(at().constant(0), dim.extent, depth, [&](Value k) {
    Value here = known && *known % depth == 0
                     ? at().constant(depth)
                     : at().min(at().constant(depth), at().sub(dim.extent, k));
    moved(k, [&](Value lhs, Value rhs) {
      ColumnSource columns = panels.columnsOf(panel, rhs);
      if (packs())
        columns = packedColumns(panel, rhs, here);
      rows.forEach(low, high, [&](const RowRun &run) {
        ColumnSource source = columns;
        Value next = at().mul(at().constant(depth), dim.rhsStride),
              partialRow = at().sub(run.first, low);
        PrefetchedPiece piece{sharedRows, depth};
        if (!packs())
          prefetcher.prefetchNext(source, at().add(columns.base, next),
                                  partialRow, run.count, piece);
        else if (!columnsStrided())
          prefetcher.prefetchForPacking(
              at().add(at().add(rhs, panel.first), next), panel.vectors,
              partialRow, run.count, piece);
        addTile(source, run, partialRow, taps, lhs, here);
      });
    });
  });
}

/// Packs `depth` rows of the panel's columns and returns the packed source.
ColumnSource GemmEmitter::packedColumns(const TilePanel &panel, Value rhsOffset,
                                        Value depth) {
  emitPack(kernel, nest,
           {panelMemory, width, rhsOffset, panel.first, panel.end, depth,
            panel.masks},
           lanes);
  ColumnSource columns{
      panelMemory, nest.sum, at().constant(0), at().constant(width), {}};
  for (int64_t v = 0; v < panel.vectors; ++v)
    columns.places.push_back(at().constant(v * lanes));
  return columns;
}

/// True if the products of one tap of an open image take so long that tiles
/// whose taps are all inside need no code of their own.
bool GemmEmitter::tapsAreDeep() {
  constexpr int64_t deep = 64;
  return nest.isOpenImage && facts.depth.value_or(0) >= deep;
}

/// True if rows are read in pieces at distances that differ from row to row.
bool GemmEmitter::usesTable() {
  return inPieces() && !task.areLinear && !rows.areTilesConsecutive();
}

/// The offset in lhs of each row of the run. `fits` are the conditions under
/// which the taps are inside the input, or null.
GemmEmitter::Values GemmEmitter::startsOf(const RowRun &run, Value partialRow,
                                          ArrayRef<Value> taps, Values &fits) {
  Values starts;
  if (usesTable()) {
    for (int64_t r = 0; r < run.count; ++r) {
      Value row = at().add(partialRow, rows.existing(run, r));
      starts.push_back(table.offsetOf(row));
      fits.push_back(tiles.fits(taps, table.windowStartsOf(row)));
    }
    return starts;
  }
  SmallVector<Values> positions = rows.positionsOf(run);
  for (const Values &position : positions)
    fits.push_back(tiles.fits(taps, tiles.windowStarts(position)));
  return rows.offsetsOf(run, positions);
}

/// Adds the products of `columns` to a tile's partial sums on the stack.
void GemmEmitter::addTile(const ColumnSource &columns, const RowRun &run,
                          Value partialRow, ArrayRef<Value> taps,
                          Value lhsOffset, Value depth) {
  Values fits, starts = startsOf(run, partialRow, taps, fits);
  int64_t count = run.count;
  Value any;
  for (int64_t r = 0; r < count; ++r) {
    starts[r] = at().add(starts[r], lhsOffset);
    if (!fits[r])
      continue;
    starts[r] =
        arith::SelectOp::create(b, loc, fits[r], starts[r], at().constant(0));
    any = any ? Value(arith::OrIOp::create(b, loc, any, fits[r])) : fits[r];
  }
  int64_t vectors = columns.places.size();
  auto waiting = [&](int64_t r, int64_t v) {
    return partial.load(at().add(partialRow, at().constant(r)), v);
  };
  auto add = [&] {
    Values sums = partial.zeros(count * vectors);
    for (int64_t i = 0; i < count * vectors; ++i)
      if (nest.block == 0)
        sums[i] = waiting(i / vectors, i % vectors);
      else if (nest.isBlocked)
        sums[i] = arith::SelectOp::create(b, loc, nest.isBlocked, sums[i],
                                          waiting(i / vectors, i % vectors));
    sums =
        tiles.chain(starts, nest.sums.back().lhsStride, columns, depth, sums);
    for (int64_t r = 0; r < count; ++r) {
      auto keep = [&] {
        for (int64_t v = 0; v < vectors; ++v) {
          Value sum = sums[r * vectors + v];
          // The earlier sums are loaded here, so they need no registers in the
          // loop.
          if (nest.block) {
            Value joined = arith::AddFOp::create(b, loc, waiting(r, v), sum);
            sum = nest.isBlocked ? arith::SelectOp::create(
                                       b, loc, nest.isBlocked, joined, sum)
                                       .getResult()
                                 : joined;
          }
          partial.store(sum, at().add(partialRow, at().constant(r)), v);
        }
      };
      // A row whose tap is outside the input keeps its earlier sums.
      if (fits[r])
        when(fits[r], keep);
      else
        keep();
    }
  };
  if (any)
    when(any, add);
  else
    add();
}
} // namespace

TaskCounter emitGemm(Kernel &kernel, Value dot, ArrayRef<ContractionNest> nests,
                     ArrayRef<TilePlanAttr> plans) {
  NestTurns turns(kernel, nests.size());
  for (auto [nest, plan] : llvm::zip_equal(nests, plans)) {
    GemmEmitter emitter(kernel, dot, nest, plan);
    turns.add(countTasks(nest, emitter.block),
              [&](Value begin, Value end) { emitter.emit(begin, end); });
  }
  return turns.counter();
}

} // namespace tenon
