// Tasks are blocks of rows and columns of one batch. In a task each panel of
// columns meets all rows, piece by piece where it is deep, so that a piece
// stays in the first cache; a tile of rows keeps its sums in registers over a
// piece, and on the stack between them. Columns that lie across memory are
// packed.
#include "passes/cpu/GemmEmitter.h"

#include "passes/cpu/ColumnFetcher.h"
#include "passes/cpu/ElementEmitter.h"
#include "passes/cpu/GemmPlan.h"
#include "passes/cpu/GemmTask.h"
#include "passes/cpu/KernelLoops.h"
#include "passes/cpu/PanelPacker.h"
#include "passes/cpu/TileEpilogue.h"
#include "passes/cpu/TileKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

namespace {
/// The columns [first, end) of one panel: `vectors` of them, and for each how
/// many of its lanes exist.
struct Panel {
  Value first, end;
  int64_t vectors;
  SmallVector<Value> masks, valid; ///< null: all lanes
};

/// The rows of a tile: `exist` of them do, the others repeat the last one and
/// are not stored; null: all do.
struct RowRun {
  Value first;
  int64_t count;
  Value exist;
};

class GemmEmitter : GemmPlan, KernelLoops {
public:
  GemmEmitter(Kernel &kernel, Value dot, const ContractionNest &nest)
      : GemmPlan(nest, kernel.vectorBytes), KernelLoops(kernel),
        tiles(kernel, nest, lanes), epilogue(kernel, dot, nest.sum, lanes),
        fetcher(kernel, nest, size, tile), task(kernel, nest, block) {}

  /// Code for the tasks [begin, end).
  void emit(Value begin, Value end);
  using GemmPlan::block;

private:
  using Values = SmallVector<Value>;

  ColumnSource columnsOf(const Panel &panel, Value rhsOffset);
  void emitPanels(Value first, Value end);
  void emitPanel(const Panel &panel);
  void emitDirect(const Panel &panel);
  void finishTiles(const Panel &panel, const ColumnSource &from, Value low,
                   Value high, Value done);
  Values waiting(const Panel &panel, Value keptRow, int64_t count);
  void clearKept(const Panel &panel, Value count);
  void keep(const Panel &panel, Value keptRow, ArrayRef<Value> sums);
  void emitPacked(const Panel &panel);
  void addPacked(const Panel &panel, Value low, Value high, Values taps,
                 Value lhsOffset, Value rhsOffset);
  ColumnSource packedColumns(const Panel &panel, Value rhsOffset, Value depth);
  void addTile(const ColumnSource &columns, const RowRun &run, Value keptRow,
               ArrayRef<Value> taps, Value lhsOffset, Value depth);
  void forTiles(Value low, Value high,
                llvm::function_ref<void(const RowRun &)> body);
  bool isHalved(const Panel &panel, const RowRun &run);
  SmallVector<Values> positionsOf(const RowRun &run);
  Values offsetsOf(const RowRun &run, ArrayRef<Values> positions);
  Values zeros(int64_t count);
  Value load(Value memory, Value row, int64_t vector);
  void store(Value value, Value memory, Value row, int64_t vector);
  void finish(const Panel &panel, const Values &position,
              llvm::function_ref<Value(int64_t)> sums);
  void drain(const Panel &panel, Value row, Value keptRow, Value count);

  TileKernel tiles;
  TileEpilogue epilogue;
  ColumnFetcher fetcher;
  GemmTask task;
  bool wide = true;
  bool drains = false;     ///< the epilogue reads its sums from the stack
  Value kept, panelMemory; ///< kept: sums on the stack
};

void GemmEmitter::emit(Value begin, Value end) {
  wide = epilogue.vectorizes(nest.columnIsLast());
  drains = !wide || !epilogue.isShort();
  if (inPieces() || isDeep())
    kept = scratchOf(nest.sum, together * width);
  else if (drains)
    kept = scratchOf(nest.sum, tile.rows * width);
  if (packsWhole())
    panelMemory = scratchOf(nest.sum, *size.sum * width);
  else if (packs)
    // A block's sum is never cut in two, however wide the panel.
    panelMemory = scratchOf(
        nest.sum, std::max(panelBytes * 8 / nest.sum.getIntOrFloatBitWidth(),
                           nest.block * width));
  forRange(begin, end, 1, [&](Value number) {
    task.enter(number);
    emitPanels(task.firstColumn, task.lastColumn);
  });
}

void GemmEmitter::emitPanels(Value first, Value end) {
  Value step = at().constant(width);
  Value whole = at().add(
      first, at().mul(at().floorDiv(at().sub(end, first), step), step));
  if (!size.columns || *size.columns >= width)
    forRange(first, whole, width, [&](Value column) {
      Panel panel{column, at().add(column, step), tile.vectors, {}, {}};
      panel.masks.resize(tile.vectors);
      panel.valid.resize(tile.vectors);
      emitPanel(panel);
    });
  if (size.columns && *size.columns % width == 0)
    return;
  when(at().less(whole, end), [&] {
    Panel panel{whole, end, tile.vectors, {}, {}};
    auto maskType = VectorType::get({lanes}, b.getI1Type());
    if (size.columns)
      panel.vectors = (*size.columns % width + lanes - 1) / lanes;
    for (int64_t v = 0; v < panel.vectors; ++v) {
      bool full = size.columns && *size.columns % width >= (v + 1) * lanes;
      Value valid, mask;
      if (!full) {
        valid = size.columns
                    ? at().constant(*size.columns % width - v * lanes)
                    : at().sub(at().sub(end, whole), at().constant(v * lanes));
        valid =
            at().max(at().min(valid, at().constant(lanes)), at().constant(0));
        mask = vector::CreateMaskOp::create(b, loc, maskType, valid);
      }
      panel.masks.push_back(mask);
      panel.valid.push_back(valid);
    }
    emitPanel(panel);
  });
}

/// Whole tiles, then one for the rows that are left. Where their number shows
/// in the run only it is the least of a few tiles that has room for them, so
/// that the columns are not read again for each part of them.
void GemmEmitter::forTiles(Value low, Value high,
                           llvm::function_ref<void(const RowRun &)> body) {
  Value rest = at().remainder(at().sub(high, low), at().constant(tile.rows));
  Value whole = at().sub(high, rest);
  forRange(low, whole, tile.rows,
           [&](Value row) { body({row, tile.rows, {}}); });
  if (size.rowFactor % tile.rows == 0)
    return;
  if (size.rows) {
    if (int64_t count = *size.rows % tile.rows)
      when(at().less(at().constant(0), rest),
           [&] { body({whole, count, {}}); });
    return;
  }
  int64_t below = 0;
  for (int64_t some : {1, 2, 3, 4, 5, 6, 8, 12}) {
    int64_t count = std::min(some, tile.rows);
    if (below + 1 >= tile.rows)
      break;
    Value fits = at().less(at().constant(below), rest);
    if (count < tile.rows - 1)
      fits = arith::AndIOp::create(b, loc, fits,
                                   at().less(rest, at().constant(count + 1)));
    when(fits,
         [&] { body({whole, count, count == below + 1 ? Value() : rest}); });
    below = count;
  }
}

/// Whether rows of the run share the sums of the panel's last vector.
bool GemmEmitter::isHalved(const Panel &panel, const RowRun &run) {
  return sharesHalves() && run.count > 1 && panel.valid.back() &&
         size.columns && endInHalf(*size.columns, lanes);
}

/// The indices of the rows, counted up like an odometer.
SmallVector<GemmEmitter::Values> GemmEmitter::positionsOf(const RowRun &run) {
  SmallVector<Values> positions = {task.positionOf(run.first)};
  for (int64_t r = 1; r < run.count; ++r) {
    Value row = at().constant(r);
    if (task.areLinear) {
      if (run.exist)
        row = at().min(row, at().sub(run.exist, at().constant(1)));
      positions.push_back(task.positionOf(at().add(run.first, row)));
      continue;
    }
    Values next = positions.back();
    Value carry;
    if (run.exist)
      carry = at().less(row, run.exist);
    for (int64_t d = int64_t(next.size()) - 1; d >= 0; --d) {
      Value advanced = at().add(next[d], at().constant(1));
      if (carry)
        advanced = arith::SelectOp::create(b, loc, carry, advanced, next[d]);
      if (d == 0) {
        next[d] = advanced;
        break;
      }
      // Where it did not advance it is below the extent already.
      carry = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, advanced,
                                    task.rowExtents[d]);
      next[d] =
          arith::SelectOp::create(b, loc, carry, at().constant(0), advanced);
    }
    positions.push_back(next);
  }
  return positions;
}

/// Where the rows, at `positions`, start in lhs.
GemmEmitter::Values GemmEmitter::offsetsOf(const RowRun &run,
                                           ArrayRef<Values> positions) {
  Values offsets;
  for (auto [r, position] : llvm::enumerate(positions)) {
    Value offset = task.lhsBase;
    if (nest.rowStride) {
      // One base and fixed distances leave the loop registers to spare.
      Value step = at().constant(int64_t(r));
      if (run.exist)
        step = at().min(step, at().sub(run.exist, at().constant(1)));
      offset = at().add(at().add(offset, at().mul(run.first, nest.rowStride)),
                        at().mul(step, nest.rowStride));
    } else {
      for (auto [dim, index] : llvm::zip(nest.rows, position))
        offset = at().add(offset, at().mul(index, dim.lhsStride));
    }
    offsets.push_back(offset);
  }
  return offsets;
}

GemmEmitter::Values GemmEmitter::zeros(int64_t count) {
  auto type = VectorType::get({lanes}, nest.sum);
  return Values(count, arith::ConstantOp::create(b, loc, b.getZeroAttr(type)));
}

Value GemmEmitter::load(Value memory, Value row, int64_t vector) {
  Value place = at().add(at().mul(row, at().constant(width)),
                         at().constant(vector * lanes));
  return vector::LoadOp::create(b, loc, VectorType::get({lanes}, nest.sum),
                                memory, place);
}

void GemmEmitter::store(Value value, Value memory, Value row, int64_t vector) {
  Value place = at().add(at().mul(row, at().constant(width)),
                         at().constant(vector * lanes));
  vector::StoreOp::create(b, loc, value, memory, place);
}

/// The epilogue of one row of a panel, whose sums are asked for vector by
/// vector.
void GemmEmitter::finish(const Panel &panel, const Values &position,
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

/// The epilogue of `count` rows whose sums wait on the stack.
void GemmEmitter::drain(const Panel &panel, Value row, Value keptRow,
                        Value count) {
  forRange(at().constant(0), count, 1, [&](Value r) {
    Values position = task.positionOf(at().add(row, r));
    Value place = at().add(keptRow, r);
    if (wide)
      return finish(panel, position,
                    [&](int64_t v) { return load(kept, place, v); });
    forRange(panel.first, panel.end, 1, [&](Value column) {
      Value place =
          at().add(at().mul(at().add(keptRow, r), at().constant(width)),
                   at().sub(column, panel.first));
      Value sum = memref::LoadOp::create(b, loc, kept, place);
      epilogue.finishOne(task.placeOf(position, column), sum);
    });
  });
}

void GemmEmitter::emitPanel(const Panel &panel) {
  if (!packs)
    return inPieces() ? emitPacked(panel) : emitDirect(panel);
  auto packedPanel = [&] {
    if (!packsWhole())
      return emitPacked(panel);
    ColumnSource columns =
        packedColumns(panel, task.rhsBase, nest.sums.back().extent);
    finishTiles(panel, columns, task.firstRow, task.lastRow, {});
  };
  if (columnsAcross() || size.rows)
    return packedPanel();
  // Packing pays by reuse, and how many rows there are shows in the run.
  Value many = at().less(at().constant(manyRows - 1), task.rows);
  auto branch = scf::IfOp::create(b, loc, many, true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  packedPanel();
  b.setInsertionPointToStart(&branch.getElseRegion().front());
  emitDirect(panel);
}

/// The panel's columns as they lie in rhs, `rhsOffset` elements after column 0.
ColumnSource GemmEmitter::columnsOf(const Panel &panel, Value rhsOffset) {
  ColumnSource columns{nest.rhs,
                       nest.rhsElement,
                       at().add(rhsOffset, panel.first),
                       nest.sums.back().rhsStride,
                       {},
                       panel.masks};
  int64_t panelWidth = nest.panels ? nest.panels->width : width;
  Value next = nest.panels ? nest.panels->stride : at().constant(width);
  if (nest.panels) {
    Value number = at().floorDiv(panel.first, at().constant(panelWidth));
    // A tile may be a share of a panel.
    Value within = width < panelWidth
                       ? at().remainder(panel.first, at().constant(panelWidth))
                       : at().constant(0);
    columns.base =
        at().add(at().add(rhsOffset, within), at().mul(number, next));
    columns.masks.clear();
    if (nest.scales)
      columns.scales = ScaleSource{
          nest.scales->memory,
          nest.scales->element,
          nest.scales->width,
          at().add(within, at().mul(number, nest.scales->panelStride)),
          {}};
  }
  for (int64_t v = 0; nest.scales && v < panel.vectors; ++v)
    columns.scales->places.push_back(
        at().add(at().mul(at().constant(v * lanes / panelWidth),
                          nest.scales->panelStride),
                 at().constant(v * lanes % panelWidth)));
  for (int64_t v = 0; v < panel.vectors; ++v)
    columns.places.push_back(
        at().add(at().mul(at().constant(v * lanes / panelWidth), next),
                 at().constant(v * lanes % panelWidth)));
  return columns;
}

/// The sums on the stack of `count` rows from `keptRow` on, row by row.
GemmEmitter::Values GemmEmitter::waiting(const Panel &panel, Value keptRow,
                                         int64_t count) {
  Values sums;
  for (int64_t r = 0; r < count; ++r)
    for (int64_t v = 0; v < panel.vectors; ++v)
      sums.push_back(load(kept, at().add(keptRow, at().constant(r)), v));
  return sums;
}

/// Zeros for as many rows, and for those that a last tile repeats.
void GemmEmitter::clearKept(const Panel &panel, Value count) {
  Value whole =
      at().mul(at().ceilDiv(count, tile.rows), at().constant(tile.rows));
  forRange(at().constant(0), whole, 1,
           [&](Value row) { keep(panel, row, zeros(panel.vectors)); });
}

void GemmEmitter::keep(const Panel &panel, Value keptRow,
                       ArrayRef<Value> sums) {
  for (auto [i, sum] : llvm::enumerate(sums))
    store(sum, kept,
          at().add(keptRow, at().constant(int64_t(i) / panel.vectors)),
          int64_t(i) % panel.vectors);
}

/// A deep panel meets the rows piece by piece, so that the first cache holds
/// the piece; the last one leaves its sums in registers.
void GemmEmitter::emitDirect(const Panel &panel) {
  ColumnSource columns = columnsOf(panel, task.rhsBase);
  if (!isDeep())
    return finishTiles(panel, columns, task.firstRow, task.lastRow, {});
  int64_t depth = pieceDepth();
  Value whole = at().constant((*size.sum - 1) / depth * depth);
  forRange(task.firstRow, task.lastRow, together, [&](Value low) {
    Value high = at().min(at().add(low, at().constant(together)), task.lastRow);
    clearKept(panel, at().sub(high, low));
    forRange(at().constant(0), whole, depth, [&](Value k) {
      Value next = at().mul(at().add(k, at().constant(depth)),
                            nest.sums.back().rhsStride);
      forTiles(low, high, [&](const RowRun &run) {
        Value keptRow = at().sub(run.first, low);
        ColumnSource source = columns;
        source.halved = isHalved(panel, run);
        fetcher.fetchNext(source, at().add(columns.base, next), keptRow,
                          run.count, {together, depth, k});
        keep(panel, keptRow,
             tiles.run(offsetsOf(run, positionsOf(run)),
                       nest.sums.back().lhsStride, source, k,
                       at().constant(depth),
                       [&] { return waiting(panel, keptRow, run.count); }));
      });
    });
    finishTiles(panel, columns, low, high, whole);
  });
}

/// Tiles whose sums are complete after the products from `done` on; null: from
/// the first.
void GemmEmitter::finishTiles(const Panel &panel, const ColumnSource &from,
                              Value low, Value high, Value done) {
  Panel after = panel;
  after.first = at().add(panel.first, at().constant(width));
  Value next = columnsOf(after, task.rhsBase).base;
  forTiles(low, high, [&](const RowRun &run) {
    ColumnSource columns = from;
    columns.halved = isHalved(panel, run);
    fetcher.fetchNext(columns, next, at().sub(run.first, low), run.count,
                      isDeep()
                          ? FetchedPiece{together, pieceDepth(), done}
                          : FetchedPiece{block.rows, size.sum.value_or(0)});
    Value keptRow = done ? at().sub(run.first, low) : at().constant(0);
    SmallVector<Values> positions = positionsOf(run);
    Values starts = offsetsOf(run, positions);
    auto former = [&] {
      return done ? waiting(panel, keptRow, run.count)
                  : zeros(run.count * panel.vectors);
    };
    Values sums;
    if (isChain()) {
      Value first = done ? done : at().constant(0);
      sums = tiles.run(starts, nest.sums.back().lhsStride, columns, first,
                       at().sub(nest.sums.back().extent, first), former);
    } else {
      sums = tiles.runAll(starts, positions, columns, former());
    }
    if (drains) {
      keep(panel, keptRow, sums);
      return drain(panel, run.first, keptRow,
                   run.exist ? run.exist : at().constant(run.count));
    }
    for (int64_t r = 0; r < run.count; ++r) {
      auto store = [&] {
        finish(panel, positions[r],
               [&](int64_t v) { return sums[r * panel.vectors + v]; });
      };
      if (run.exist && r > 0)
        when(at().less(at().constant(r), run.exist), store);
      else
        store();
    }
  });
}

void GemmEmitter::emitPacked(const Panel &panel) {
  forRange(task.firstRow, task.lastRow, together, [&](Value low) {
    Value high = at().min(at().add(low, at().constant(together)), task.lastRow);
    Value count = at().sub(high, low);
    clearKept(panel, count);
    addPacked(panel, low, high, {}, at().constant(0), task.rhsBase);
    drain(panel, low, at().constant(0), count);
  });
}

void GemmEmitter::addPacked(const Panel &panel, Value low, Value high,
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
  int64_t bytes = nest.sum.getIntOrFloatBitWidth() / 8;
  int64_t depth = panelBytes / (width * bytes) / lanes * lanes;
  std::optional<int64_t> known = getConstantIntValue(dim.extent);
  // A block's sum is never cut in two.
  if (nest.block)
    depth = nest.block;
  if (known && *known > 0)
    depth = std::min(depth, *known);
  forRange(at().constant(0), dim.extent, depth, [&](Value k) {
    Value here = known && *known % depth == 0
                     ? at().constant(depth)
                     : at().min(at().constant(depth), at().sub(dim.extent, k));
    moved(k, [&](Value lhs, Value rhs) {
      ColumnSource columns = columnsOf(panel, rhs);
      if (packs)
        columns = packedColumns(panel, rhs, here);
      forTiles(low, high, [&](const RowRun &run) {
        ColumnSource source = columns;
        Value next = at().mul(at().constant(depth), dim.rhsStride),
              keptRow = at().sub(run.first, low);
        FetchedPiece piece{together, depth};
        if (!packs)
          fetcher.fetchNext(source, at().add(columns.base, next), keptRow,
                            run.count, piece);
        else if (!columnsAcross())
          fetcher.fetchForPacking(at().add(at().add(rhs, panel.first), next),
                                  panel.vectors, keptRow, run.count, piece);
        addTile(source, run, keptRow, taps, lhs, here);
      });
    });
  });
}

/// Packs `depth` lines of the panel's columns and says where they are now.
ColumnSource GemmEmitter::packedColumns(const Panel &panel, Value rhsOffset,
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

/// Adds the columns at hand to a tile's sums on the stack.
void GemmEmitter::addTile(const ColumnSource &columns, const RowRun &run,
                          Value keptRow, ArrayRef<Value> taps, Value lhsOffset,
                          Value depth) {
  SmallVector<Values> positions = positionsOf(run);
  Values starts = offsetsOf(run, positions), fits;
  int64_t count = run.count;
  Value any;
  for (int64_t r = 0; r < count; ++r) {
    starts[r] = at().add(starts[r], lhsOffset);
    fits.push_back(tiles.fits(taps, positions[r]));
    if (!fits[r])
      continue;
    starts[r] =
        arith::SelectOp::create(b, loc, fits[r], starts[r], at().constant(0));
    any = any ? Value(arith::OrIOp::create(b, loc, any, fits[r])) : fits[r];
  }
  int64_t vectors = columns.places.size();
  auto waiting = [&](int64_t r, int64_t v) {
    return load(kept, at().add(keptRow, at().constant(r)), v);
  };
  auto add = [&] {
    Values sums = zeros(count * vectors);
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
          // Read this late, the former sums need no registers in the loop.
          if (nest.block) {
            Value joined = arith::AddFOp::create(b, loc, waiting(r, v), sum);
            sum = nest.isBlocked ? arith::SelectOp::create(
                                       b, loc, nest.isBlocked, joined, sum)
                                       .getResult()
                                 : joined;
          }
          store(sum, kept, at().add(keptRow, at().constant(r)), v);
        }
      };
      // Rows whose window leaves the input here keep their former sums.
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

TaskCounter emitGemm(Kernel &kernel, Value dot,
                     ArrayRef<ContractionNest> nests) {
  OpBuilder &b = kernel.builder;
  IndexBuilder at{b, kernel.loc()};
  SmallVector<TaskCounter> counters;
  Value zero = at.constant(0), done = zero;
  for (const ContractionNest &nest : nests) {
    GemmEmitter emitter(kernel, dot, nest);
    counters.push_back(countTasks(nest, emitter.block));
    if (nests.size() == 1) {
      emitter.emit(kernel.begin, kernel.end);
      break;
    }
    Value count = counters.back()(
        b, kernel.loc(),
        memref::getMixedSizes(b, kernel.loc(), kernel.outputs[0]));
    auto here = [&](Value task) {
      return at.min(at.max(at.sub(task, done), zero), count);
    };
    emitter.emit(here(kernel.begin), here(kernel.end));
    done = at.add(done, count);
  }
  return [counters](OpBuilder &b, Location loc, ArrayRef<OpFoldResult> sizes) {
    Value sum = counters.front()(b, loc, sizes);
    for (const TaskCounter &counter : ArrayRef(counters).drop_front())
      sum = IndexBuilder{b, loc}.add(sum, counter(b, loc, sizes));
    return sum;
  };
}

} // namespace tenon
