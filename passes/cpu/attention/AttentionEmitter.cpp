// Attention that never stores the scores of all keys. A task computes some rows
// for one head of the keys; all query heads that share the head contribute
// rows. The task reads the keys block by block. It packs each block together
// with its values, or reads keys or values in place if they are read only once.
// Keys and values that are also outputs are joined from earlier and new ones
// block by block.
#include "passes/cpu/attention/AttentionEmitter.h"

#include "passes/cpu/attention/AttentionOperands.h"
#include "passes/cpu/attention/AttentionScores.h"
#include "passes/cpu/attention/AttentionValues.h"
#include "passes/cpu/attention/MaskedKeys.h"
#include "passes/cpu/attention/TableRows.h"
#include "passes/cpu/attention/TiledScores.h"
#include "passes/cpu/tile/PanelPacker.h"
#include "passes/kernel/attention/EntryKeys.h"
#include "passes/kernel/element/ElementEmitter.h"
#include "passes/kernel/numerics/Conversions.h"
#include "passes/kernel/numerics/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;

namespace tenon {

namespace {
class AttentionEmitter : KernelLoops {
public:
  AttentionEmitter(Kernel &kernel, const AttentionOperands &operands,
                   AttentionPlanAttr plan)
      : KernelLoops(kernel), op(operands.op), plan(plan), query(operands.query),
        key(operands.key), value(operands.value), table(operands.table),
        sharedExtents(operands.sharedExtents()),
        entryKeys(kernel, op, key.extents[operands.batch()],
                  query.extents[operands.batch()]),
        joinedKeys(operands.joinedKeys), joinedValues(operands.joinedValues),
        batch(operands.batch()), group(op.getHeadGroup()),
        rows(operands.rows(kernel)),
        sizes(plan, kernel.machine, *getConstantIntValue(query.extents.back()),
              *getConstantIntValue(value.extents.back())) {}

  TaskCounter emit();

private:
  void allocate();
  /// Fills `memory` with `number`: `width` elements for each row of the task.
  void fillScratch(Value memory, int64_t width, double number);
  void emitTask(Value number);
  /// The batch indices of keys of a task.
  Values sharedOf(Value number);
  void emitBlock(Value first, Value count, int64_t units, bool whole);
  void forTiles(Value from, Value to,
                llvm::function_ref<void(const TileRows &)> body);
  /// Computes the scores of the keys that rows see.
  void emitScores(KeyBlock &block,
                  llvm::function_ref<Value(const TileRows &)> seen);
  /// True if a head has enough rows for AMX tiles.
  Value hasManyRows() {
    return at().less(at().constant(amxFewSplitRows), rows);
  }
  /// Splits the keys of a block for tiles. Returns KeyBlock::multiplied.
  Value splitKeys();
  BlockRows linesOf(const StridedOperand &operand,
                    std::optional<JoinedRows> &joined, Value first,
                    Value count);
  /// The keys and the values of a block, before packing.
  std::pair<BlockRows, BlockRows> linesOfBlock(Value first, Value count,
                                               bool whole);
  BlockRows packedValues(const BlockRows &lines, Value count);
  void packKeys(const KeyBlock &block);
  /// True if the kernel prefetches keys and values: one tile reads them once,
  /// so that memory is slower than the products.
  bool prefetches() {
    return op.getLengths() && plan.getKeysInPlace() &&
           plan.getValuesInPlace() && key.element == value.element;
  }
  /// The keys that are read after the block that starts with key `first`.
  std::optional<SoonRows> keysAfter(Value first);
  /// The first and the last query row of the task.
  Value earliestRow();
  Value lastRow();
  /// The batch indices and the row of the query in slot `slot` of the task.
  Values placeOf(Value slot);
  TileRows tileRows(Value firstSlot, int64_t count);
  void writeRows();
  void writeRow(Value slot);

  AttentionOp op;
  AttentionPlanAttr plan;
  StridedOperand query, key, value;
  std::optional<StridedOperand> table; ///< null: keys stand in their entry
  Values sharedExtents;                ///< of `shared`
  EntryKeys entryKeys;
  std::optional<JoinedRows> joinedKeys, joinedValues; ///< null: in memory
  size_t batch;
  int64_t group;
  Value rows; ///< the rows that share a head of the keys
  AttentionSizes sizes;
  AttentionScratch scratch;
  std::optional<AttentionScores> scores;
  std::optional<AttentionValues> averages;
  std::optional<MaskedKeys> masked; ///< of causal attention
  std::optional<TiledScores> tiled;
  std::optional<TableRows> rowsOfTable;
  Value tableKeys, tableValues; ///< scratch memory of rowsOfTable
  Values shared; ///< the task's batch indices: those of queries, heads of keys
  TaskKeys task;
  Values nextShared; ///< of the next task
  Value nextCount;
  Value firstRow, rowCount; ///< of the task
};

void AttentionEmitter::allocate() {
  auto scratchOf = [&](int64_t elements) {
    return KernelLoops::scratchOf(b.getF32Type(), elements);
  };
  if (!plan.getKeysInPlace())
    scratch.keys = scratchOf(sizes.depth * attentionBlock);
  if (!plan.getValuesInPlace())
    scratch.values = scratchOf(attentionBlock * sizes.valueWidth);
  scratch.scores = scratchOf(sizes.scratchRows() * attentionBlock);
  scratch.sums = scratchOf(sizes.scratchRows() * sizes.valueWidth);
  scratch.totals = scratchOf(sizes.scratchRows() * attentionLanes);
  for (Value *ofRows : {&scratch.earlierMaxima, &scratch.blockMaxima,
                        &scratch.shifts, &scratch.rescales})
    *ofRows = scratchOf(sizes.scratchRows() + sizes.lanes);
  if (sizes.tiles)
    scratch.tameRows =
        KernelLoops::scratchOf(b.getI1Type(), sizes.scratchRows());
  if (!table)
    return;
  rowsOfTable.emplace(kernel, *table);
  tableKeys = rowsOfTable->scratchFor(key);
  tableValues = rowsOfTable->scratchFor(value);
}

TaskCounter AttentionEmitter::emit() {
  allocate();
  scores.emplace(kernel, op, sizes, scratch, query, task);
  averages.emplace(kernel, sizes, scratch);
  if (op.getCausal())
    masked.emplace(kernel, op, sizes, scratch, task);
  if (sizes.tiles)
    tiled.emplace(kernel, sizes, scratch, query);
  forRange(kernel.begin, kernel.end, 1,
           [&](Value number) { emitTask(number); });
  JoinedRows::settle(kernel);
  SmallVector<int64_t> order(op.getResultOrder());
  return [order, batch = batch, group = group, taskRows = sizes.taskRows](
             OpBuilder &b, Location loc, ArrayRef<OpFoldResult> extents) {
    IndexBuilder at{b, loc};
    Value heads = at.constant(1);
    auto extent = [&](size_t i) {
      return getValueOrCreateConstantIndexOp(b, loc, extents[order[i]]);
    };
    for (size_t i = 0; i < batch; ++i)
      heads = at.mul(heads, extent(i));
    Value rows = at.mul(extent(batch), at.constant(group));
    return at.mul(at.floorDiv(heads, at.constant(group)),
                  at.ceilDiv(rows, taskRows));
  };
}

void AttentionEmitter::emitTask(Value number) {
  Value blocks = at().ceilDiv(rows, sizes.taskRows);
  firstRow =
      at().mul(at().remainder(number, blocks), at().constant(sizes.taskRows));
  rowCount = at().min(at().sub(rows, firstRow), at().constant(sizes.taskRows));
  shared = sharedOf(number);
  task = entryKeys.of(shared);
  if (prefetches()) {
    Value one = at().constant(1);
    nextShared =
        sharedOf(at().min(at().add(number, one), at().sub(kernel.end, one)));
    nextCount = entryKeys.count(nextShared);
  }
  fillScratch(scratch.sums, sizes.valueWidth, 0);
  fillScratch(scratch.totals, attentionLanes, 0);
  forRange(at().constant(0), rowCount, 1, [&](Value row) {
    memref::StoreOp::create(b, loc,
                            emitFloat(b, loc, b.getF32Type(),
                                      -std::numeric_limits<double>::infinity()),
                            scratch.earlierMaxima, row);
  });
  if (tiled)
    when(hasManyRows(), [&] {
      tiled->splitQueries(
          rowCount, [&](Value slot) { return query.at(at(), placeOf(slot)); });
    });
  Value count = task.count, step = at().constant(attentionBlock);
  std::optional<int64_t> known = getConstantIntValue(count);
  constexpr int64_t units = attentionBlock / attentionLanes;
  Value whole = at().mul(at().floorDiv(count, step), step);
  if (!known || *known >= attentionBlock)
    forRange(at().constant(0), whole, attentionBlock,
             [&](Value first) { emitBlock(first, step, units, true); });
  Value rest = at().sub(count, whole);
  if (known && *known % attentionBlock != 0)
    emitBlock(whole, rest,
              llvm::divideCeilSigned(*known % attentionBlock, attentionLanes),
              false);
  else if (!known)
    when(at().less(at().constant(0), rest),
         [&] { emitBlock(whole, rest, units, false); });
  writeRows();
}

AttentionEmitter::Values AttentionEmitter::sharedOf(Value number) {
  Value blocks = at().ceilDiv(rows, sizes.taskRows);
  return at().delinearize(at().floorDiv(number, blocks), sharedExtents);
}

void AttentionEmitter::fillScratch(Value memory, int64_t width, double number) {
  auto type = VectorType::get({sizes.lanes}, b.getF32Type());
  Value vector = emitFloat(b, loc, type, number);
  forRange(at().constant(0), at().mul(rowCount, at().constant(width)),
           sizes.lanes, [&](Value place) {
             vector::StoreOp::create(b, loc, vector, memory, place);
           });
}

void AttentionEmitter::emitBlock(Value first, Value count, int64_t units,
                                 bool whole) {
  auto [keys, values] = linesOfBlock(first, count, whole);
  KeyBlock block{first, count, units, whole, keys, values, keysAfter(first),
                 {},    {}};
  if (scratch.values)
    block.values = packedValues(block.values, count);
  auto seen = [&](const TileRows &rows) {
    return masked ? masked->visible(rows.lastKeys, block) : count;
  };
  auto attend = [&] {
    emitScores(block, seen);
    if (!masked) {
      averages->chooseShifts(rowCount);
      return averages->emit(rowCount, block, [&](Value) { return count; });
    }
    Value matters = masked->matter(block, rowCount);
    when(matters, [&] {
      forTiles(at().constant(0), rowCount, [&](const TileRows &rows) {
        scores->emitRest(rows, block, seen(rows));
      });
    });
    averages->chooseShifts(rowCount);
    averages->emit(rowCount, block, [&](Value slot) -> Value {
      return arith::SelectOp::create(b, loc, matters, count,
                                     seen(tileRows(slot, sizes.valueRows)));
    });
  };
  if (!masked)
    return attend();
  bool cached =
      op.getLengths() || isa<RankedTensorType>(op.getCausal().getType());
  block.finite = cached ? masked->finiteWhereMasked(block, earliestRow())
                        : masked->finiteValues(block);
  when(masked->canMatter(block, lastRow(), rowCount), attend);
}

void AttentionEmitter::forTiles(
    Value from, Value to, llvm::function_ref<void(const TileRows &)> body) {
  forRange(from, to, sizes.scoreRows,
           [&](Value slot) { body(tileRows(slot, sizes.scoreRows)); });
}

void AttentionEmitter::emitScores(
    KeyBlock &block, llvm::function_ref<Value(const TileRows &)> seen) {
  if (scratch.keys)
    packKeys(block);
  auto score = [&](Value from, Value to) {
    forTiles(from, to, [&](const TileRows &rows) {
      scores->emit(rows, block, seen(rows));
    });
  };
  Value none = at().constant(0);
  if (!tiled)
    return score(none, rowCount);
  block.multiplied = splitKeys();
  forRange(none, rowCount, TiledScores::pairRows, [&](Value first) {
    when(block.multiplied, [&] { tiled->multiply(first); });
    Value end = at().add(first, at().constant(TiledScores::pairRows));
    score(first, at().min(end, rowCount));
  });
}

Value AttentionEmitter::splitKeys() {
  Value no = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
  return choose(
             hasManyRows(), Values{no},
             [&] { return Values{tiled->splitKeys()}; },
             [&] { return Values{no}; })
      .front();
}

BlockRows AttentionEmitter::linesOf(const StridedOperand &operand,
                                    std::optional<JoinedRows> &joined,
                                    Value first, Value count) {
  Values place = shared;
  place.push_back(first);
  BlockRows lines{operand.memory, operand.at(at(), place),
                  operand.strides[batch], operand.element};
  if (joined)
    std::tie(lines.memory, lines.base) = joined->join(shared, first, count);
  return lines;
}

std::pair<BlockRows, BlockRows>
AttentionEmitter::linesOfBlock(Value first, Value count, bool whole) {
  if (!rowsOfTable) {
    BlockRows keys = linesOf(key, joinedKeys, first, count);
    return {keys, linesOf(value, joinedValues, first, count)};
  }
  TableBlock block = rowsOfTable->block(shared.front(), first, count, whole);
  BlockRows keys = rowsOfTable->read(key, shared, block, tableKeys);
  return {keys, rowsOfTable->read(value, shared, block, tableValues)};
}

std::optional<SoonRows> AttentionEmitter::keysAfter(Value first) {
  if (!prefetches())
    return std::nullopt;
  Value next = at().add(first, at().constant(attentionBlock)),
        rest = at().sub(task.count, next),
        more = at().less(at().constant(0), rest);
  auto ifMore = [&](Value here, Value otherwise) -> Value {
    return arith::SelectOp::create(b, loc, more, here, otherwise);
  };
  Values place;
  for (auto [here, after] : llvm::zip(shared, nextShared))
    place.push_back(ifMore(here, after));
  next = ifMore(next, at().constant(0));
  Value count =
            at().min(ifMore(rest, nextCount), at().constant(attentionBlock)),
        last = at().max(at().sub(count, at().constant(1)), at().constant(0));
  Value base;
  if (rowsOfTable) {
    base = rowsOfTable->placeOf(key, place, next);
  } else {
    place.push_back(next);
    base = key.at(at(), place);
  }
  return SoonRows{
      {key.memory, base, key.strides[batch], key.element}, last, sizes.depth};
}

BlockRows AttentionEmitter::packedValues(const BlockRows &lines, Value count) {
  ContractionNest nest;
  nest.rhs = lines.memory;
  nest.rhsElement = lines.element;
  nest.sum = b.getF32Type();
  nest.column.rhsStride = value.strides[batch + 1];
  nest.sums.push_back({count, {}, lines.stride});
  Values masks(sizes.valueWidth / sizes.lanes);
  if (int64_t rest = sizes.valueDepth % sizes.lanes)
    masks.back() = firstLanes(b, loc, sizes.lanes, at().constant(rest));
  emitPack(kernel, nest,
           {scratch.values, sizes.valueWidth, lines.base, at().constant(0),
            at().constant(sizes.valueDepth), count, masks},
           sizes.lanes);
  return {scratch.values, at().constant(0), at().constant(sizes.valueWidth),
          b.getF32Type()};
}

void AttentionEmitter::packKeys(const KeyBlock &block) {
  ContractionNest nest;
  nest.rhs = block.keys.memory;
  nest.rhsElement = block.keys.element;
  nest.sum = b.getF32Type();
  nest.column.rhsStride = block.keys.stride;
  nest.sums.push_back({at().constant(sizes.depth), {}, key.strides[batch + 1]});
  Values masks(block.units * sizes.vectorsPerUnit());
  if (!block.whole)
    for (auto [v, mask] : llvm::enumerate(masks))
      mask = firstLanes(
          b, loc, sizes.lanes,
          at().max(at().sub(block.count, at().constant(v * sizes.lanes)),
                   at().constant(0)));
  emitPack(kernel, nest,
           {scratch.keys, attentionBlock, block.keys.base, at().constant(0),
            block.count, at().constant(sizes.depth), masks},
           sizes.lanes);
}

AttentionEmitter::Values AttentionEmitter::placeOf(Value slot) {
  Value row = at().add(firstRow, slot);
  Values place = shared;
  if (group > 1) {
    Value extent = query.extents[batch];
    place.back() = at().add(at().mul(place.back(), at().constant(group)),
                            at().floorDiv(row, extent));
    row = at().remainder(row, extent);
  }
  place.push_back(row);
  return place;
}

TileRows AttentionEmitter::tileRows(Value firstSlot, int64_t count) {
  TileRows tile;
  tile.firstSlot = firstSlot;
  Value last = at().sub(rowCount, at().constant(1));
  for (int64_t r = 0; r < count; ++r) {
    // In an incomplete tile the other rows compute the last row again.
    Value slot = at().min(at().add(firstSlot, at().constant(r)), last);
    tile.places.push_back(placeOf(slot));
    tile.queries.push_back(query.at(at(), tile.places.back()));
    if (op.getCausal())
      tile.lastKeys.push_back(at().add(tile.places.back().back(), task.causal));
  }
  return tile;
}

Value AttentionEmitter::earliestRow() {
  return group > 1 ? at().constant(0) : firstRow;
}

Value AttentionEmitter::lastRow() {
  // If several query heads share a head of the keys, assume that the task has
  // the last row of one of them.
  Value end = group > 1 ? query.extents[batch] : at().add(firstRow, rowCount);
  return at().sub(end, at().constant(1));
}

void AttentionEmitter::writeRows() {
  forRange(at().constant(0), rowCount, 1, [&](Value slot) { writeRow(slot); });
}

void AttentionEmitter::writeRow(Value slot) {
  auto type = VectorType::get({sizes.lanes}, b.getF32Type());
  auto load = [&](Value memory, Value place) {
    return vector::LoadOp::create(b, loc, type, memory, place);
  };
  auto add = [&](Value x, Value y) -> Value {
    return arith::AddFOp::create(b, loc, x, y);
  };
  Values totals;
  for (int64_t v = 0; v < sizes.vectorsPerUnit(); ++v)
    totals.push_back(load(
        scratch.totals, at().add(at().mul(slot, at().constant(attentionLanes)),
                                 at().constant(v * sizes.lanes))));
  Value total = foldLanes(b, loc, totals, add);
  Value inverse = arith::DivFOp::create(
      b, loc, emitFloat(b, loc, b.getF32Type(), 1), total);
  // Without keys the result is zero.
  Value keys = task.count;
  if (!getConstantIntValue(keys) || getConstantIntValue(keys) == 0)
    inverse =
        arith::SelectOp::create(b, loc, at().less(at().constant(0), keys),
                                inverse, emitFloat(b, loc, b.getF32Type(), 0));
  Type element = op.getType().getElementType();
  Value output = kernel.outputs[0];
  Values place = placeOf(slot), where(place.size() + 1);
  ArrayRef<int64_t> order = op.getResultOrder();
  for (auto [i, index] : llvm::enumerate(place))
    where[order[i]] = index;
  Value line = at().mul(slot, at().constant(sizes.valueWidth));
  bool sideBySide = order.back() + 1 == int64_t(order.size());
  ElementEmitter stores(kernel, sideBySide ? sizes.lanes : 1);
  auto put = [&](Value column, Value sum, Value factor) {
    where[order.back()] = column;
    Value weighed = arith::MulFOp::create(b, loc, sum, factor);
    stores.store(emitConvert(b, loc, weighed, b.getF32Type(), element), element,
                 output, where);
  };
  if (!sideBySide)
    return forRange(at().constant(0), at().constant(sizes.valueDepth), 1,
                    [&](Value column) {
                      put(column,
                          memref::LoadOp::create(b, loc, scratch.sums,
                                                 at().add(line, column)),
                          inverse);
                    });
  Value factor = vector::BroadcastOp::create(b, loc, type, inverse);
  for (int64_t column = 0; column < sizes.valueDepth; column += sizes.lanes) {
    if (int64_t rest = sizes.valueDepth - column; rest < sizes.lanes)
      stores.setValid(at().constant(rest));
    put(at().constant(column),
        load(scratch.sums, at().add(line, at().constant(column))), factor);
  }
}
} // namespace

AttentionPlanAttr planAttention(Kernel &kernel, const char *&obstacle) {
  std::optional<AttentionOperands> operands = AttentionOperands::of(kernel);
  if (!operands) {
    obstacle = "an operand is computed in the kernel, or its depth is dynamic";
    return {};
  }
  if (!readsMaskAsVectors(kernel, operands->op, kernel.machine.lanes(4))) {
    obstacle = "the mask cannot be read in vectors";
    return {};
  }
  AttentionFacts facts = operands->facts(kernel);
  if (facts.copied > kernel.machine.getStack() / 2) {
    obstacle = "a block of keys that a table names exceeds the stack";
    return {};
  }
  AttentionPlanAttr plan = planAttention(facts, kernel.machine);
  // A task joins keys and values, so a head with joined ones must be one task.
  bool joins = operands->joinedKeys || operands->joinedValues;
  int64_t taskRows = plan.getTaskRows();
  if (joins && facts.rows.value_or(taskRows + 1) > taskRows) {
    obstacle = "the kernel joins keys or values, and a head has several tasks";
    return {};
  }
  return plan;
}

TaskCounter emitAttention(Kernel &kernel, AttentionPlanAttr plan) {
  std::optional<AttentionOperands> operands = AttentionOperands::of(kernel);
  assert(operands && "the plan is of operands in memory");
  return AttentionEmitter(kernel, *operands, plan).emit();
}

} // namespace tenon
