// Attention whose operands are computed in the kernel, or whose depths are
// known only at run time. Each element of the result is computed by itself from
// all keys, in the blocks and lanes of the numerics contract. So the result has
// the same bits as a kernel in register tiles.
#include "passes/kernel/attention/GeneralAttention.h"

#include "dialects/tenon/NumericsContract.h"
#include "passes/kernel/attention/EntryKeys.h"
#include "passes/kernel/attention/RowMaximum.h"
#include "passes/kernel/element/ElementEmitter.h"
#include "passes/kernel/numerics/Conversions.h"
#include "passes/kernel/numerics/FloatMath.h"
#include "passes/kernel/numerics/LaneFolds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;

namespace tenon {

namespace {
class GeneralAttention : KernelLoops {
public:
  explicit GeneralAttention(Kernel &kernel)
      : KernelLoops(kernel), op(opOf<AttentionOp>(kernel)),
        batch(op.getQueryOrder().size() - 2),
        keys(extent(op.getKey(), op.getKeyOrder()[batch])),
        scores(scratchOf(b.getF32Type(), attentionBlock)),
        blockTotals(scratchOf(b.getF32Type(), attentionLanes)),
        totals(scratchOf(b.getF32Type(), attentionLanes)) {}

  /// A task is one row of the result.
  TaskCounter emit();

private:
  Value extent(Value tensor, int64_t dim) {
    return ElementEmitter(kernel, 1).extent(tensor, dim);
  }
  EntryKeys entries() {
    return EntryKeys(kernel, op, keys,
                     extent(op.getQuery(), op.getQueryOrder()[batch]));
  }
  Value number(double value) {
    return emitFloat(b, loc, b.getF32Type(), value);
  }
  Value load(Value memory, Value place) {
    return memref::LoadOp::create(b, loc, memory, place);
  }
  void store(Value value, Value memory, Value place) {
    memref::StoreOp::create(b, loc, value, memory, place);
  }
  Value within(Value low, Value x, Value high) {
    return at().max(at().min(x, high), low);
  }
  Values carry(Value high, int64_t step, Values initial,
               llvm::function_ref<Values(Value, ValueRange)> body);
  Value element(Value tensor, ArrayRef<int64_t> order, ArrayRef<Value> place);
  Values keyPlace(ArrayRef<Value> row, Value key, Value depth);
  /// The index that an i64 tensor has at `place`.
  Value indexAt(Value tensor, ArrayRef<Value> place);
  Value score(ArrayRef<Value> row, Value key);
  Values addBlock(ArrayRef<Value> row, Value column, Value first, Value count,
                  ValueRange former);
  Value result(ArrayRef<Value> row, Value column);
  Value inverseOfTotals(Value keys);
  Value addBlockOfRow(ArrayRef<Value> row, Value first, Value count,
                      Value former);
  void computeRow(ArrayRef<Value> row, int64_t width,
                  llvm::function_ref<void(Value, Value)> finish);
  void copyOthers();

  AttentionOp op;
  size_t batch;
  Value keys;
  Value scores, blockTotals, totals; ///< f32, on the stack
  Value sums;                        ///< of values, if a task keeps a row
};

/// A loop over [0, high) that carries values.
GeneralAttention::Values
GeneralAttention::carry(Value high, int64_t step, Values initial,
                        llvm::function_ref<Values(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(b, loc, at().constant(0), high,
                                 at().constant(step), initial);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(b, loc,
                       body(loop.getInductionVar(), loop.getRegionIterArgs()));
  return Values(loop.getResults());
}

/// The element of `tensor` at `place`, as f32. Index number i of `place` is
/// that of dimension order[i].
Value GeneralAttention::element(Value tensor, ArrayRef<int64_t> order,
                                ArrayRef<Value> place) {
  SmallVector<LaneIndex> indices(order.size());
  for (auto [dim, index] : llvm::zip_equal(order, place))
    indices[dim] = {index, 0};
  Value value = ElementEmitter(kernel, 1).emit(tensor, indices);
  return emitConvert(b, loc, value,
                     cast<RankedTensorType>(tensor.getType()).getElementType(),
                     b.getF32Type());
}

/// The indices of an element of a key or value that `row` reads.
GeneralAttention::Values GeneralAttention::keyPlace(ArrayRef<Value> row,
                                                    Value key, Value depth) {
  Values place(row.take_front(batch));
  if (int64_t group = op.getHeadGroup(); group > 1)
    place.back() = at().floorDiv(place.back(), at().constant(group));
  if (Value table = op.getTable()) {
    Value entries = extent(op.getKey(), op.getKeyOrder().front());
    place.front() = within(at().constant(0), indexAt(table, {row.front(), key}),
                           at().sub(entries, at().constant(1)));
  }
  place.append({key, depth});
  return place;
}

Value GeneralAttention::indexAt(Value tensor, ArrayRef<Value> place) {
  SmallVector<LaneIndex> indices;
  for (Value index : place)
    indices.push_back({index, 0});
  return arith::IndexCastOp::create(
      b, loc, b.getIndexType(),
      ElementEmitter(kernel, 1).emit(tensor, indices));
}

Value GeneralAttention::score(ArrayRef<Value> row, Value key) {
  Value depth = extent(op.getQuery(), op.getQueryOrder().back());
  Value sum =
      carry(depth, 1, {number(0)}, [&](Value d, ValueRange sum) {
        Values query(row);
        query.push_back(d);
        return Values{math::FmaOp::create(
            b, loc, element(op.getQuery(), op.getQueryOrder(), query),
            element(op.getKey(), op.getKeyOrder(), keyPlace(row, key, d)),
            sum[0])};
      }).front();
  if (double scale = op.getScale().convertToDouble(); scale != 1)
    sum = arith::MulFOp::create(b, loc, sum, number(scale));
  auto keepIf = [&](Value condition) {
    sum = arith::SelectOp::create(b, loc, condition, sum,
                                  number(op.getFill()->convertToDouble()));
  };
  if (op.getCausal())
    keepIf(arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::sle, key,
        at().add(row.back(), entries().of(row.front()).causal)));
  if (Value mask = op.getMask()) {
    SmallVector<LaneIndex> place;
    for (Value index : row)
      place.push_back({index, 0});
    place.push_back({key, 0});
    Value found = ElementEmitter(kernel, 1).emit(mask, place);
    Type type = cast<RankedTensorType>(mask.getType()).getElementType();
    if (type.isInteger(1))
      keepIf(found);
    else
      sum = arith::AddFOp::create(
          b, loc, sum, emitConvert(b, loc, found, type, b.getF32Type()));
  }
  return sum;
}

/// Adds the `count` keys from `first` on, which are a block. Returns the row
/// maximum and the sum of values after the block; the totals are in memory.
GeneralAttention::Values GeneralAttention::addBlock(ArrayRef<Value> row,
                                                    Value column, Value first,
                                                    Value count,
                                                    ValueRange former) {
  Value none = number(-std::numeric_limits<double>::infinity());
  Value highest = carry(count, 1, {none}, [&](Value k, ValueRange highest) {
                    Value here = score(row, at().add(first, k));
                    store(here, scores, k);
                    return Values{greater(b, loc, highest[0], here)};
                  }).front();
  Lanes greatest(b, loc, greater(b, loc, former[0], highest));
  // If a row has no finite score yet, the shift must still be a number.
  Lanes shift =
      (greatest == Lanes(b, loc, none)).select(greatest.number(0), greatest);
  Value rescale = expFlushedNative(Lanes(b, loc, former[0]) - shift).get();
  Value lanes = at().constant(attentionLanes);
  forRange(at().constant(0), lanes, 1,
           [&](Value lane) { store(number(0), blockTotals, lane); });
  Value sum =
      carry(count, 1, {number(0)}, [&](Value k, ValueRange sum) {
        Value power =
            expFlushedNative(Lanes(b, loc, load(scores, k)) - shift).get();
        Value lane = at().remainder(k, lanes);
        store(arith::AddFOp::create(b, loc, load(blockTotals, lane), power),
              blockTotals, lane);
        Value value = element(op.getValue(), op.getValueOrder(),
                              keyPlace(row, at().add(first, k), column));
        return Values{math::FmaOp::create(b, loc, power, value, sum[0])};
      }).front();
  auto joined = [&](Value before, Value now) -> Value {
    return math::FmaOp::create(b, loc, before, rescale, now);
  };
  forRange(at().constant(0), lanes, 1, [&](Value lane) {
    store(joined(load(totals, lane), load(blockTotals, lane)), totals, lane);
  });
  return {greatest.get(), joined(former[1], sum)};
}

/// Adds the `count` keys from `first` on to the sums of a whole row. Returns
/// the row maximum after the block.
Value GeneralAttention::addBlockOfRow(ArrayRef<Value> row, Value first,
                                      Value count, Value former) {
  Value none = number(-std::numeric_limits<double>::infinity());
  Value highest = carry(count, 1, {none}, [&](Value k, ValueRange highest) {
                    Value here = score(row, at().add(first, k));
                    store(here, scores, k);
                    return Values{greater(b, loc, highest[0], here)};
                  }).front();
  Lanes greatest(b, loc, greater(b, loc, former, highest));
  Lanes shift =
      (greatest == Lanes(b, loc, none)).select(greatest.number(0), greatest);
  Value rescale = expFlushedNative(Lanes(b, loc, former) - shift).get();
  Value lanes = at().constant(attentionLanes), zero = at().constant(0);
  forRange(zero, lanes, 1,
           [&](Value lane) { store(number(0), blockTotals, lane); });
  forRange(zero, count, 1, [&](Value k) {
    Value power =
        expFlushedNative(Lanes(b, loc, load(scores, k)) - shift).get();
    store(power, scores, k);
    Value lane = at().remainder(k, lanes);
    store(arith::AddFOp::create(b, loc, load(blockTotals, lane), power),
          blockTotals, lane);
  });
  auto join = [&](Value memory, Value place, Value now) {
    store(math::FmaOp::create(b, loc, load(memory, place), rescale, now),
          memory, place);
  };
  forRange(zero, lanes, 1,
           [&](Value lane) { join(totals, lane, load(blockTotals, lane)); });
  Value width = extent(op.getValue(), op.getValueOrder().back());
  forRange(zero, width, 1, [&](Value column) {
    Value sum =
        carry(count, 1, {number(0)}, [&](Value k, ValueRange sum) {
          Value value = element(op.getValue(), op.getValueOrder(),
                                keyPlace(row, at().add(first, k), column));
          return Values{
              math::FmaOp::create(b, loc, load(scores, k), value, sum[0])};
        }).front();
    join(sums, column, sum);
  });
  return greatest.get();
}

/// Computes a row of `width` elements and passes each with its column to
/// `finish`, as f32. A score is then computed once and not for each element.
void GeneralAttention::computeRow(
    ArrayRef<Value> row, int64_t width,
    llvm::function_ref<void(Value, Value)> finish) {
  Value zero = at().constant(0), end = at().constant(width);
  forRange(zero, at().constant(attentionLanes), 1,
           [&](Value lane) { store(number(0), totals, lane); });
  forRange(zero, end, 1, [&](Value column) { store(number(0), sums, column); });
  Value all = entries().count(row.front());
  carry(all, attentionBlock, {number(-std::numeric_limits<double>::infinity())},
        [&](Value first, ValueRange former) {
          Value count =
              at().min(at().sub(all, first), at().constant(attentionBlock));
          return Values{addBlockOfRow(row, first, count, former[0])};
        });
  Value inverse = inverseOfTotals(all);
  forRange(zero, end, 1, [&](Value column) {
    finish(column, arith::MulFOp::create(b, loc, load(sums, column), inverse));
  });
}

/// One over the sum of the totals; zero without keys.
Value GeneralAttention::inverseOfTotals(Value keys) {
  auto type = VectorType::get({attentionLanes}, b.getF32Type());
  Value total = foldLanes(
      b, loc, {vector::LoadOp::create(b, loc, type, totals, at().constant(0))},
      [&](Value x, Value y) -> Value {
        return arith::AddFOp::create(b, loc, x, y);
      });
  Value inverse = arith::DivFOp::create(b, loc, number(1), total);
  return arith::SelectOp::create(b, loc, at().less(at().constant(0), keys),
                                 inverse, number(0));
}

/// One element of the result, as f32.
Value GeneralAttention::result(ArrayRef<Value> row, Value column) {
  forRange(at().constant(0), at().constant(attentionLanes), 1,
           [&](Value lane) { store(number(0), totals, lane); });
  Value all = entries().count(row.front());
  Values state =
      carry(all, attentionBlock,
            {number(-std::numeric_limits<double>::infinity()), number(0)},
            [&](Value first, ValueRange former) {
              Value count =
                  at().min(at().sub(all, first), at().constant(attentionBlock));
              return addBlock(row, column, first, count, former);
            });
  return arith::MulFOp::create(b, loc, state[1], inverseOfTotals(all));
}

/// Copies joined keys and values that are outputs; the first task does this.
void GeneralAttention::copyOthers() {
  for (auto [value, output] :
       llvm::zip(kernel.fusion.getYield().getValues(), kernel.outputs)) {
    if (value == op.getResult())
      continue;
    auto type = cast<RankedTensorType>(value.getType());
    Values extents;
    Value count = at().constant(1);
    for (int64_t d = 0; d < type.getRank(); ++d) {
      extents.push_back(extent(output, d));
      count = at().mul(count, extents.back());
    }
    forRange(at().constant(0), count, 1,
             [&, value = value, output = output](Value i) {
               Values place = at().delinearize(i, extents);
               SmallVector<LaneIndex> indices;
               for (Value index : place)
                 indices.push_back({index, 0});
               ElementEmitter emitter(kernel, 1);
               emitter.store(emitter.emit(value, indices),
                             type.getElementType(), output, place);
             });
  }
}

TaskCounter GeneralAttention::emit() {
  bool isAlone = kernel.outputs.size() == 1;
  if (!isAlone)
    when(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, kernel.begin,
                               at().constant(0)),
         [&] { copyOthers(); });
  ArrayRef<int64_t> order = op.getResultOrder();
  auto width = getConstantIntValue(extent(kernel.outputs[0], order.back()));
  // The memory of threads is scarce, but a thread that keeps a row computes
  // each score once.
  if (kernel.hasFineTasks && width && *width <= attentionDepth)
    sums = scratchOf(b.getF32Type(), *width);
  Values extents;
  Value rows = at().constant(1);
  for (int64_t dim : order.drop_back()) {
    extents.push_back(extent(kernel.outputs[0], dim));
    rows = at().mul(rows, extents.back());
  }
  Type element = op.getType().getElementType();
  forRange(kernel.begin, at().min(kernel.end, rows), 1, [&](Value task) {
    Values row = at().delinearize(task, extents);
    auto finish = [&](Value column, Value computed) {
      Values where(order.size());
      for (auto [dim, index] : llvm::zip(order, row))
        where[dim] = index;
      where[order.back()] = column;
      Value value = emitConvert(b, loc, computed, b.getF32Type(), element);
      ElementEmitter(kernel, 1).store(value, element, kernel.outputs[0], where);
    };
    if (sums)
      computeRow(row, *width, finish);
    else
      forRange(at().constant(0), extent(kernel.outputs[0], order.back()), 1,
               [&](Value column) { finish(column, result(row, column)); });
  });
  return
      [isAlone, depth = order.back()](OpBuilder &b, Location loc,
                                      ArrayRef<OpFoldResult> sizes) -> Value {
        IndexBuilder at{b, loc};
        SmallVector<OpFoldResult> rows(sizes);
        rows.erase(rows.begin() + depth);
        Value count = at.product(rows);
        return isAlone ? count : at.max(count, at.constant(1));
      };
}
} // namespace

TaskCounter emitGeneralAttention(Kernel &kernel) {
  return GeneralAttention(kernel).emit();
}

} // namespace tenon
