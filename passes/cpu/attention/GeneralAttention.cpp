// Attention whose operands are computed in the kernel, or whose depths are
// known only at run time. Each element of the result is computed by itself from
// all keys, in the blocks and lanes of the numerics contract. So the result has
// the same bits as a kernel in register tiles.
#include "dialects/tenon/NumericsContract.h"
#include "passes/cpu/attention/AttentionEmitter.h"
#include "passes/cpu/attention/AttentionOperands.h"
#include "passes/cpu/attention/AttentionTile.h"
#include "passes/cpu/attention/EntryKeys.h"
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
      : KernelLoops(kernel), op(attentionOf(kernel.fusion)),
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
  void copyOthers();

  AttentionOp op;
  size_t batch;
  Value keys;
  Value scores, blockTotals, totals; ///< f32, on the stack
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
  Value rescale = expNative(Lanes(b, loc, former[0]) - shift).get();
  Value lanes = at().constant(attentionLanes);
  forRange(at().constant(0), lanes, 1,
           [&](Value lane) { store(number(0), blockTotals, lane); });
  Value sum =
      carry(count, 1, {number(0)}, [&](Value k, ValueRange sum) {
        Value power = expNative(Lanes(b, loc, load(scores, k)) - shift).get();
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
  auto type = VectorType::get({attentionLanes}, b.getF32Type());
  Value total = foldLanes(
      b, loc, {vector::LoadOp::create(b, loc, type, totals, at().constant(0))},
      [&](Value x, Value y) -> Value {
        return arith::AddFOp::create(b, loc, x, y);
      });
  Value inverse = arith::DivFOp::create(b, loc, number(1), total);
  // Without keys the result is zero.
  inverse = arith::SelectOp::create(b, loc, at().less(at().constant(0), all),
                                    inverse, number(0));
  return arith::MulFOp::create(b, loc, state[1], inverse);
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
  Values extents;
  Value rows = at().constant(1);
  for (int64_t dim : order.drop_back()) {
    extents.push_back(extent(kernel.outputs[0], dim));
    rows = at().mul(rows, extents.back());
  }
  Type element = op.getType().getElementType();
  forRange(kernel.begin, at().min(kernel.end, rows), 1, [&](Value task) {
    Values row = at().delinearize(task, extents);
    forRange(at().constant(0), extent(kernel.outputs[0], order.back()), 1,
             [&](Value column) {
               Values where(order.size());
               for (auto [dim, index] : llvm::zip(order, row))
                 where[dim] = index;
               where[order.back()] = column;
               Value value = emitConvert(b, loc, result(row, column),
                                         b.getF32Type(), element);
               ElementEmitter(kernel, 1).store(value, element,
                                               kernel.outputs[0], where);
             });
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
