// Queries and keys are transposed on their way to shared memory: a warp reads
// two quads of depths of sixteen rows, which are whole sectors, and stores each
// depth to banks of its own, because four depths are 16 banks apart.
#include "passes/gpu/AttentionMemory.h"

#include "dialects/tenon/NumericsContract.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tenon {

/// Rows whose quads a half of a warp reads.
constexpr int64_t half = 16;

std::optional<AttentionViews> AttentionViews::of(Kernel &kernel) {
  AttentionOp op = opOf<AttentionOp>(kernel);
  auto query = stridedOperand(kernel, op.getQuery(), op.getQueryOrder()),
       key = stridedOperand(kernel, op.getKey(), op.getKeyOrder()),
       value = stridedOperand(kernel, op.getValue(), op.getValueOrder());
  std::optional<StridedOperand> table;
  if (op.getTable()) {
    table = stridedOperand(kernel, op.getTable(), {0, 1});
    if (!table)
      return std::nullopt;
  }
  if (!query || !key || !value || !getConstantIntValue(query->extents.back()) ||
      !getConstantIntValue(value->extents.back()))
    return std::nullopt;
  return AttentionViews{op, *query, *key, *value, table};
}

SmallVector<Value> AttentionViews::sharedExtents() const {
  SmallVector<Value> extents(ArrayRef(key.extents).take_front(batch()));
  // The keys may have other entries than the queries.
  if (table)
    extents.front() = query.extents.front();
  return extents;
}

AttentionShape::AttentionShape(BlockAttentionPlanAttr plan, int64_t depth,
                               int64_t valueDepth)
    : rows(plan.getRows()), threadRows(plan.getThreadRows()),
      threads(rows / threadRows * attentionLanes), depth(depth),
      valueDepth(valueDepth),
      valueWidth(llvm::divideCeilSigned(valueDepth, attentionLanes) *
                 attentionLanes),
      // A warp stores the weights of sixteen keys to banks of their own.
      rowPitch(rows + std::clamp<int64_t>(threadRows, 2, 4)),
      keyPitch(attentionBlock + 4) {}

int64_t AttentionShape::pieceElements() const {
  return attentionPiece * std::max(keyPitch, valueWidth);
}

AttentionMemory::AttentionMemory(Kernel &kernel, const AttentionViews &views,
                                 const AttentionShape &shape, Value thread)
    : BlockKernel(kernel), views(views), shape(shape), thread(thread) {
  slots = at().mul(views.query.extents[views.batch()],
                   at().constant(views.group()));
  queries = shared("queries", shape.depth * shape.rowPitch);
  weights = shared("weights", attentionBlock * shape.rowPitch);
  piece = shared("piece", shape.pieceElements());
  queryQuads = quadsOf(views.query);
  keyQuads = quadsOf(views.key);
  valueQuads = quadsOf(views.value);
}

void AttentionMemory::enter(ValueRange entry, Value keys) {
  this->entry = Values(entry);
  this->keys = keys;
}

/// True if all quads of the operand's rows are aligned; null if they never are.
Value AttentionMemory::quadsOf(const StridedOperand &operand) {
  if (getConstantIntValue(operand.strides.back()) != 1 ||
      *getConstantIntValue(operand.extents.back()) % quad != 0)
    return {};
  Values offsets(ArrayRef(operand.strides).drop_back());
  offsets.push_back(operand.origin);
  return alignsQuads(kernel, operand.memory, offsets);
}

void AttentionMemory::either(Value quads, llvm::function_ref<void()> inQuads,
                             llvm::function_ref<void()> oneByOne) {
  if (quads)
    choose(quads, inQuads, oneByOne);
  else
    oneByOne();
}

AttentionMemory::Values AttentionMemory::placeOf(Value slot) {
  slot = at().min(slot, at().sub(slots, at().constant(1)));
  Values place = entry;
  if (int64_t group = views.group(); group > 1) {
    Value rows = views.query.extents[views.batch()];
    place.back() = at().add(at().mul(place.back(), at().constant(group)),
                            at().floorDiv(slot, rows));
    slot = at().remainder(slot, rows);
  }
  place.push_back(slot);
  return place;
}

/// The offset of a row of keys or values.
Value AttentionMemory::lineOf(const StridedOperand &operand, Value key) {
  Values place = entry;
  if (views.table) {
    Value stands =
        memref::LoadOp::create(b, loc, views.table->memory,
                               views.table->at(at(), {entry.front(), key}));
    Value index = arith::IndexCastOp::create(b, loc, b.getIndexType(), stands);
    Value last = at().sub(operand.extents.front(), at().constant(1));
    place.front() = at().max(at().min(index, last), at().constant(0));
  }
  place.push_back(key);
  return operand.at(at(), place);
}

/// Stores neighbours of a line, from `depth` on, one below the other.
void AttentionMemory::storeColumn(ValueRange values, Value tile, int64_t pitch,
                                  Value depth, Value line) {
  for (auto [i, value] : llvm::enumerate(values)) {
    Value row = at().mul(at().add(depth, at().constant(int64_t(i))),
                         at().constant(pitch));
    storeShared(value, tile, at().add(row, line));
  }
}

void AttentionMemory::loadQueries(Value firstSlot) {
  const StridedOperand &query = views.query;
  auto lineAt = [&](Value row) {
    return query.at(at(), placeOf(at().add(firstSlot, row)));
  };
  auto inQuads = [&] {
    int64_t lines = std::min(shape.rows, half), quads = shape.depth / quad;
    forRange(
        thread, at().constant(shape.rows * quads), shape.threads, [&](Value i) {
          Value part = at().floorDiv(i, at().constant(lines)),
                low = at().remainder(i, at().constant(lines)),
                high = at().floorDiv(part, at().constant(quads)),
                depth = at().mul(at().remainder(part, at().constant(quads)),
                                 at().constant(quad)),
                row = at().add(low, at().mul(high, at().constant(lines)));
          Values four = loadSeveral(query.memory, query.element,
                                    at().add(lineAt(row), depth), quad);
          storeColumn(four, queries, shape.rowPitch, depth, row);
        });
  };
  auto oneByOne = [&] {
    forRange(thread, at().constant(shape.rows * shape.depth), shape.threads,
             [&](Value i) {
               Value row = at().remainder(i, at().constant(shape.rows)),
                     depth = at().floorDiv(i, at().constant(shape.rows)),
                     place = at().add(lineAt(row),
                                      at().mul(depth, query.strides.back()));
               storeColumn(loadSeveral(query.memory, query.element, place, 1),
                           queries, shape.rowPitch, depth, row);
             });
  };
  either(queryQuads, inQuads, oneByOne);
}

/// The offset of the chosen key that stands at `position` of a depth. There is
/// a key for each position: behind the last one, the last one.
Value AttentionMemory::chosenLine(Value position) {
  Value four = at().constant(attentionBlock / attentionLanes),
        key = at().add(at().mul(at().remainder(position, four),
                                at().constant(attentionLanes)),
                       at().floorDiv(position, four));
  key = at().min(at().add(firstKey, key), at().sub(keys, at().constant(1)));
  return lineOf(views.key, key);
}

void AttentionMemory::chooseKeys(Value first) {
  firstKey = first;
  lines.clear();
  if (!keyQuads)
    return;
  // Each warp reads keys of its own if there are enough warps.
  Value warp = at().floorDiv(thread, at().constant(2 * half)),
        low = at().remainder(thread, at().constant(half));
  int64_t warps = shape.threads / (2 * half), parts = attentionBlock / half;
  for (int64_t i = 0; i < parts; i += warps) {
    Value part =
        at().remainder(at().add(warp, at().constant(i)), at().constant(parts));
    lines.push_back(
        chosenLine(at().add(low, at().mul(part, at().constant(half)))));
  }
}

void AttentionMemory::loadKeys(Value depth, int64_t count) {
  const StridedOperand &key = views.key;
  auto inQuads = [&] {
    int64_t warps = shape.threads / (2 * half), parts = attentionBlock / half,
            items = parts * (attentionPiece / quad / 2);
    Value warp = at().floorDiv(thread, at().constant(2 * half)),
          low = at().remainder(thread, at().constant(half)),
          odd = at().remainder(at().floorDiv(thread, at().constant(half)),
                               at().constant(2));
    for (int64_t i = 0; i < items; i += warps) {
      Value item = at().add(warp, at().constant(i)),
            part = at().remainder(item, at().constant(parts)),
            pair = at().floorDiv(item, at().constant(parts)),
            here = at().mul(at().add(at().mul(pair, at().constant(2)), odd),
                            at().constant(quad)),
            position = at().add(low, at().mul(part, at().constant(half)));
      Value line = lines[i / warps % lines.size()];
      auto copy = [&] {
        Value place = at().add(at().add(line, depth), here);
        storeColumn(loadSeveral(key.memory, key.element, place, quad), piece,
                    shape.keyPitch, here, position);
      };
      if (count == attentionPiece)
        copy();
      else
        when(at().less(here, at().constant(count)), copy);
    }
  };
  auto oneByOne = [&] {
    forRange(thread, at().constant(attentionBlock * count), shape.threads,
             [&](Value i) {
               Value position =
                         at().remainder(i, at().constant(attentionBlock)),
                     here = at().floorDiv(i, at().constant(attentionBlock)),
                     place = at().add(
                         chosenLine(position),
                         at().mul(at().add(depth, here), key.strides.back()));
               storeColumn(loadSeveral(key.memory, key.element, place, 1),
                           piece, shape.keyPitch, here, position);
             });
  };
  either(keyQuads, inQuads, oneByOne);
}

void AttentionMemory::loadValues(Value first, Value count) {
  const StridedOperand &value = views.value;
  // Columns behind the last one repeat it; their sums are not stored.
  auto copy = [&](Value i, int64_t step) {
    Value width = at().constant(shape.valueWidth / step),
          line = at().floorDiv(i, width),
          column = at().mul(at().remainder(i, width), at().constant(step));
    Value source =
        shape.valueWidth == shape.valueDepth
            ? column
            : at().min(column, at().constant(shape.valueDepth - step));
    Value place = at().add(lineOf(value, at().add(first, line)),
                           at().mul(source, value.strides.back()));
    storeShared(
        loadSeveral(value.memory, value.element, place, step), piece,
        at().add(at().mul(line, at().constant(shape.valueWidth)), column));
  };
  auto inSteps = [&](int64_t step) {
    int64_t width = shape.valueWidth / step;
    std::optional<int64_t> known = getConstantIntValue(count);
    bool unrolled = known && *known * width % shape.threads == 0 && step > 1;
    if (!unrolled)
      return forRange(thread, at().mul(count, at().constant(width)),
                      shape.threads, [&](Value i) { copy(i, step); });
    for (int64_t i = 0; i < *known * width; i += shape.threads)
      copy(at().add(thread, at().constant(i)), step);
  };
  either(valueQuads, [&] { inSteps(quad); }, [&] { inSteps(1); });
}

Value AttentionMemory::finiteValues(Value first, Value count) {
  const StridedOperand &value = views.value;
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(b.getF32Type()));
  auto inSteps = [&](int64_t step) {
    Value width = at().constant(shape.valueDepth / step);
    return carry(
        thread, at().mul(count, width), shape.threads, zero,
        [&](Value i, const Values &former) {
          Value line = at().floorDiv(i, width),
                column =
                    at().mul(at().remainder(i, width), at().constant(step)),
                place = at().add(lineOf(value, at().add(first, line)),
                                 at().mul(column, value.strides.back()));
          Values sum = former;
          for (Value element :
               loadSeveral(value.memory, value.element, place, step))
            sum[0] = math::FmaOp::create(b, loc, element, zero, sum[0]);
          return sum;
        });
  };
  if (!valueQuads)
    return inSteps(1).front();
  return choose(
             valueQuads, zero, [&] { return inSteps(quad); },
             [&] { return inSteps(1); })
      .front();
}

AttentionMemory::Values
AttentionMemory::addProducts(const RowPlaces &rows, const ColumnPlaces &columns,
                             Value k, const Values &former) {
  Values left, right;
  int64_t width = std::min(shape.threadRows, quad);
  Value line =
      at().add(at().mul(at().add(rows.first, k), at().constant(shape.rowPitch)),
               rows.own);
  for (int64_t r = 0; r < shape.threadRows; r += width)
    llvm::append_range(
        left, loadShared(rows.tile, at().add(line, at().constant(r)), width));
  Value start = at().mul(k, at().constant(columns.pitch));
  for (auto [place, count] : columns.groups)
    llvm::append_range(right, loadShared(piece, at().add(start, place), count));
  Values sums = former;
  for (size_t i = 0; i < sums.size(); ++i)
    sums[i] = math::FmaOp::create(b, loc, left[i / right.size()],
                                  right[i % right.size()], sums[i]);
  return sums;
}

} // namespace tenon
