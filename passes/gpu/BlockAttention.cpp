// Sixteen neighbouring threads share rows: thread t computes the scores of keys
// t, t + 16, t + 32 and t + 48 of a block, whose exponentials are its lane of
// the numerics contract. Row maxima and the tree of lanes are shuffles. The
// exponentials go through shared memory, for each thread then sums its columns
// of all values. A warp without rows only helps to load.
#include "passes/gpu/BlockAttention.h"

#include "dialects/tenon/NumericsContract.h"
#include "passes/gpu/AttentionMemory.h"
#include "passes/kernel/attention/EntryKeys.h"
#include "passes/kernel/attention/RowMaximum.h"
#include "passes/kernel/element/ElementEmitter.h"
#include "passes/kernel/numerics/Conversions.h"
#include "passes/kernel/numerics/ElementwiseEmitter.h"
#include "passes/kernel/numerics/FloatMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;

namespace tenon {

namespace {
/// Keys of a block for each of sixteen threads.
constexpr int64_t ownKeys = attentionBlock / attentionLanes;
/// The exponential of a score so far below the row maximum is zero: e^-105
/// rounds to zero in f32.
constexpr double vanishing = 105;
constexpr double infinity = std::numeric_limits<double>::infinity();

class BlockAttention : BlockKernel {
public:
  BlockAttention(Kernel &kernel, const AttentionViews &views,
                 BlockAttentionPlanAttr plan)
      : BlockKernel(kernel), views(views), op(views.op),
        shape(plan, views.depth(), views.valueDepth()), thread(threadNumber()),
        memory(kernel, views, shape, thread),
        ownColumns(shape.valueWidth / attentionLanes) {}

  void emit();

private:
  /// What a thread carries from block to block of the keys.
  struct State {
    Values maxima, totals; ///< of its rows
    Values sums;           ///< of its rows and columns
    Values flat() const;
    static State of(ValueRange flat, int64_t rows);
  };

  Value number(double value) {
    return emitFloat(b, loc, b.getF32Type(), value);
  }
  /// Values that only warps with rows compute; the others keep `former`.
  Values ifActive(const Values &former, llvm::function_ref<Values()> body);
  State addBlock(Value first, const State &former);
  State addVisible(Value first, const State &former);
  Value hiddenMatter(Value first, const State &former);
  Value lastSeen();
  Values scores();
  Value masked(int64_t own, Value key, Value score);
  State weigh(Value first, const State &former, ValueRange products,
              Values &rescales);
  Values sumOfValues(Value first);
  void finish(const State &state);
  Value slotOf(int64_t own) { return at().add(firstOwn, at().constant(own)); }

  const AttentionViews &views;
  AttentionOp op;
  AttentionShape shape;
  Value thread;
  AttentionMemory memory;
  int64_t ownColumns;
  Value firstSlot;                      ///< of the task
  Value lane, firstOwnInTile, firstOwn; ///< of the thread: lane and slots
  Value isActive;                       ///< null if all warps have rows
  TaskKeys keys;
  SmallVector<Values> places; ///< of the thread's rows
  ColumnPlaces columns;       ///< of values
  Value zeroSum;
};

BlockAttention::Values BlockAttention::State::flat() const {
  Values all = maxima;
  llvm::append_range(all, totals);
  llvm::append_range(all, sums);
  return all;
}

BlockAttention::State BlockAttention::State::of(ValueRange flat, int64_t rows) {
  return {Values(flat.take_front(rows)), Values(flat.slice(rows, rows)),
          Values(flat.drop_front(2 * rows))};
}

BlockAttention::Values
BlockAttention::ifActive(const Values &former,
                         llvm::function_ref<Values()> body) {
  if (!isActive)
    return body();
  return choose(isActive, former, body, [&] { return former; });
}

void BlockAttention::emit() {
  Value lanes = at().constant(attentionLanes);
  lane = at().remainder(thread, lanes);
  firstOwnInTile =
      at().mul(at().floorDiv(thread, lanes), at().constant(shape.threadRows));
  Value tiles = at().ceilDiv(memory.slots, shape.rows);
  firstSlot =
      at().mul(at().remainder(kernel.begin, tiles), at().constant(shape.rows));
  Values entry = at().delinearize(at().floorDiv(kernel.begin, tiles),
                                  views.sharedExtents());
  Value first = entry.empty() ? at().constant(0) : entry.front();
  const StridedOperand &query = views.query, &key = views.key;
  keys = EntryKeys(kernel, op, key.extents[views.batch()],
                   query.extents[views.batch()])
             .of(first);
  memory.enter(entry, keys.count);
  firstOwn = at().add(firstSlot, firstOwnInTile);
  for (int64_t r = 0; r < shape.threadRows; ++r)
    places.push_back(memory.placeOf(slotOf(r)));
  if (shape.threads > 2 * attentionLanes) {
    Value firstOfWarp = at().add(
        firstSlot,
        at().mul(at().floorDiv(thread, at().constant(2 * attentionLanes)),
                 at().constant(2 * shape.threadRows)));
    isActive = at().less(firstOfWarp, memory.slots);
  }
  zeroSum = number(0);
  columns.pitch = shape.valueWidth;
  for (int64_t column = 0; column < shape.valueWidth;) {
    int64_t rest = (shape.valueWidth - column) / attentionLanes,
            width = rest >= 4   ? 4
                    : rest >= 2 ? 2
                                : 1;
    columns.groups.push_back(
        {at().add(at().constant(column), at().mul(lane, at().constant(width))),
         width});
    column += width * attentionLanes;
  }
  memory.loadQueries(firstSlot);
  State state{Values(shape.threadRows, number(-infinity)),
              Values(shape.threadRows, zeroSum),
              Values(shape.threadRows * ownColumns, zeroSum)};
  Values flat = carry(
      at().constant(0), keys.count, attentionBlock, state.flat(),
      [&](Value first, const Values &former) {
        return addBlock(first, State::of(former, shape.threadRows)).flat();
      });
  finish(State::of(flat, shape.threadRows));
}

/// The last key that a row of the task sees.
Value BlockAttention::lastSeen() {
  Value rows = views.query.extents[views.batch()],
        end = views.group() > 1
                  ? rows
                  : at().min(at().add(firstSlot, at().constant(shape.rows)),
                             rows);
  return at().add(at().sub(end, at().constant(1)), keys.causal);
}

/// True for all threads if masked keys of the block from `first` on change a
/// sum, although no row sees them: their exponentials are not zero, or a value
/// is not finite.
Value BlockAttention::hiddenMatter(Value first, const State &former) {
  Value count = at().min(at().sub(keys.count, first),
                         at().constant(attentionBlock)),
        zero = zeroSum, one = number(1);
  Lanes finite(b, loc, memory.finiteValues(first, count));
  Lanes some = finite.isNan();
  Values ofRows = ifActive({zero}, [&] {
    Lanes all = finite == finite;
    for (Value maximum : former.maxima) {
      Lanes m(b, loc, maximum);
      all = all & (m - m.number(op.getFill()->convertToDouble()) >
                   m.number(vanishing));
    }
    return Values{
        arith::SelectOp::create(b, loc, all.get(), zero, one).getResult()};
  });
  Value matter =
      arith::SelectOp::create(b, loc, some.get(), one, ofRows.front());
  auto either = [&](Value x, Value y) -> Value {
    return arith::MaxNumFOp::create(b, loc, x, y);
  };
  for (int64_t distance = warpThreads / 2; distance > 0; distance /= 2)
    matter = either(matter, fromLane(matter, distance));
  // The weights of the block before are no longer needed.
  Value width = at().constant(warpThreads);
  when(b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                     at().remainder(thread, width),
                                     at().constant(0)),
       [&] {
         storeShared(matter, memory.weights, at().floorDiv(thread, width));
       });
  barrier();
  for (int64_t warp = 0; warp < shape.threads / warpThreads; ++warp)
    matter = either(matter,
                    loadShared(memory.weights, at().constant(warp), 1).front());
  barrier();
  return (Lanes(b, loc, matter) != Lanes(b, loc, zero)).get();
}

/// Adds the block of keys from `first` on.
BlockAttention::State BlockAttention::addBlock(Value first,
                                               const State &former) {
  Value mask = op.getMask();
  // A mask that is added can turn the score of a masked key into any number.
  if (!keys.causal ||
      (mask &&
       !cast<RankedTensorType>(mask.getType()).getElementType().isInteger(1)))
    return addVisible(first, former);
  Value truth = arith::ConstantOp::create(b, loc, b.getBoolAttr(true)),
        isHidden = at().less(lastSeen(), first);
  Value matters =
      choose(
          isHidden, truth, [&] { return Values{hiddenMatter(first, former)}; },
          [&] { return Values{truth}; })
          .front();
  Values next = choose(
      matters, former.flat(), [&] { return addVisible(first, former).flat(); },
      [&] {
        State same = former;
        // The sums of such a block are +0.
        for (Value &sum : same.sums)
          sum = arith::AddFOp::create(b, loc, sum, zeroSum);
        return same.flat();
      });
  return State::of(next, shape.threadRows);
}

BlockAttention::State BlockAttention::addVisible(Value first,
                                                 const State &former) {
  memory.chooseKeys(first);
  Values products = scores();
  int64_t rows = shape.threadRows;
  // Beside the state there are the factors that rescale earlier sums.
  Values kept = former.maxima;
  llvm::append_range(kept, former.totals);
  kept.append(rows, zeroSum);
  Values weighed = ifActive(kept, [&] {
    Values rescales;
    State next = weigh(first, former, products, rescales);
    Values all = next.maxima;
    llvm::append_range(all, next.totals);
    llvm::append_range(all, rescales);
    return all;
  });
  Values ofBlock = sumOfValues(first);
  State next{Values(ArrayRef(weighed).take_front(rows)),
             Values(ArrayRef(weighed).slice(rows, rows)), former.sums};
  ArrayRef<Value> rescales = ArrayRef(weighed).drop_front(2 * rows);
  for (auto [i, sum] : llvm::enumerate(next.sums))
    sum =
        math::FmaOp::create(b, loc, sum, rescales[i / ownColumns], ofBlock[i]);
  return next;
}

/// The products of the thread's rows and of its keys of the chosen block.
BlockAttention::Values BlockAttention::scores() {
  ColumnPlaces keysOfDepth{shape.keyPitch,
                           {{at().mul(lane, at().constant(ownKeys)), ownKeys}}};
  auto addPiece = [&](Value depth, int64_t count, const Values &former) {
    memory.loadKeys(depth, count);
    barrier();
    Values sums = ifActive(former, [&] {
      Values sums = former;
      for (int64_t d = 0; d < count; ++d)
        sums = memory.addProducts({memory.queries, depth, firstOwnInTile},
                                  keysOfDepth, at().constant(d), sums);
      return sums;
    });
    barrier();
    return sums;
  };
  int64_t whole = shape.depth / attentionPiece * attentionPiece;
  Values sums(shape.threadRows * ownKeys, zeroSum);
  if (whole > 0)
    sums = carry(at().constant(0), at().constant(whole), attentionPiece, sums,
                 [&](Value depth, const Values &former) {
                   return addPiece(depth, attentionPiece, former);
                 });
  if (whole == shape.depth)
    return sums;
  return addPiece(at().constant(whole), shape.depth - whole, sums);
}

/// The score of the thread's row number `own` and of `key`, which exists.
Value BlockAttention::masked(int64_t own, Value key, Value score) {
  auto keepIf = [&](Value condition) {
    score = arith::SelectOp::create(b, loc, condition, score,
                                    number(op.getFill()->convertToDouble()));
  };
  const Values &place = places[own];
  if (keys.causal)
    keepIf(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, key,
                                 at().add(place.back(), keys.causal)));
  Value mask = op.getMask();
  if (!mask)
    return score;
  SmallVector<LaneIndex> indices;
  for (Value index : place)
    indices.push_back({index, 0});
  indices.push_back({key, 0});
  Value found = ElementEmitter(kernel, 1).emit(mask, indices);
  Type type = cast<RankedTensorType>(mask.getType()).getElementType();
  if (type.isInteger(1))
    keepIf(found);
  else
    score = arith::AddFOp::create(
        b, loc, score, emitConvert(b, loc, found, type, b.getF32Type()));
  return score;
}

/// Turns products into exponentials, which go to shared memory. Returns the row
/// maxima and totals after the block; sets the factors of earlier sums.
BlockAttention::State BlockAttention::weigh(Value first, const State &former,
                                            ValueRange products,
                                            Values &rescales) {
  bool isWhole =
      getConstantIntValue(keys.count).value_or(1) % attentionBlock == 0;
  double scale = op.getScale().convertToDouble();
  Value last = at().sub(keys.count, at().constant(1));
  Values numbers, existing; // of the thread's keys
  for (int64_t k = 0; k < ownKeys; ++k) {
    Value key =
        at().add(at().add(first, lane), at().constant(k * attentionLanes));
    existing.push_back(at().less(key, keys.count));
    numbers.push_back(isWhole ? key : at().min(key, last));
  }
  State next;
  Values exponentials;
  for (int64_t r = 0; r < shape.threadRows; ++r) {
    Values scores(products.slice(r * ownKeys, ownKeys));
    Value highest = number(-infinity);
    for (auto [k, score] : llvm::enumerate(scores)) {
      if (scale != 1)
        score = arith::MulFOp::create(b, loc, score, number(scale));
      score = masked(r, numbers[k], score);
      if (!isWhole)
        score = arith::SelectOp::create(b, loc, existing[k], score,
                                        number(-infinity));
      highest = greater(b, loc, highest, score);
    }
    for (int64_t distance = attentionLanes / 2; distance > 0; distance /= 2)
      highest = greater(b, loc, highest, fromLane(highest, distance));
    Lanes greatest(b, loc, greater(b, loc, former.maxima[r], highest));
    // If a row has no finite score yet, the shift must still be a number.
    Lanes shift = (greatest == greatest.number(-infinity))
                      .select(greatest.number(0), greatest);
    Value total = zeroSum;
    for (Value score : scores) {
      Value power = expFlushedNative(Lanes(b, loc, score) - shift).get();
      total = arith::AddFOp::create(b, loc, total, power);
      exponentials.push_back(power);
    }
    Value rescale =
        expFlushedNative(Lanes(b, loc, former.maxima[r]) - shift).get();
    rescales.push_back(rescale);
    next.maxima.push_back(greatest.get());
    next.totals.push_back(
        math::FmaOp::create(b, loc, former.totals[r], rescale, total));
  }
  int64_t width = std::min(shape.threadRows, quad);
  for (int64_t k = 0; k < ownKeys; ++k) {
    Value key = at().add(lane, at().constant(k * attentionLanes)),
          line = at().add(at().mul(key, at().constant(shape.rowPitch)),
                          firstOwnInTile);
    for (int64_t r = 0; r < shape.threadRows; r += width) {
      Values rows;
      for (int64_t i = r; i < r + width; ++i)
        rows.push_back(exponentials[i * ownKeys + k]);
      storeShared(rows, memory.weights, at().add(line, at().constant(r)));
    }
  }
  return next;
}

/// The sums of the block's values, each a chain over the keys that exist.
BlockAttention::Values BlockAttention::sumOfValues(Value first) {
  Value step = at().constant(attentionPiece);
  auto addPiece = [&](Value key, Value count, const Values &former) {
    memory.loadValues(at().add(first, key), count);
    barrier();
    Values sums = ifActive(former, [&] {
      auto add = [&](Value k, const Values &sums) {
        return memory.addProducts({memory.weights, key, firstOwnInTile},
                                  columns, k, sums);
      };
      if (count != step)
        return carry(at().constant(0), count, 1, former, add);
      Values sums = former;
      for (int64_t k = 0; k < attentionPiece; ++k)
        sums = add(at().constant(k), sums);
      return sums;
    });
    // The last piece has no later one that would overwrite its memory.
    if (count == step)
      barrier();
    return sums;
  };
  Value here = at().min(at().sub(keys.count, first),
                        at().constant(attentionBlock)),
        whole = at().mul(at().floorDiv(here, step), step);
  Values sums(shape.threadRows * ownColumns, zeroSum);
  sums = carry(at().constant(0), whole, attentionPiece, sums,
               [&](Value key, const Values &former) {
                 return addPiece(key, step, former);
               });
  if (getConstantIntValue(keys.count).value_or(1) % attentionPiece == 0)
    return sums;
  Value rest = at().sub(here, whole);
  return choose(
      at().less(at().constant(0), rest), sums,
      [&] { return addPiece(whole, rest, sums); }, [&] { return sums; });
}

/// Folds the totals of sixteen threads and stores the averages.
void BlockAttention::finish(const State &state) {
  ArrayRef<int64_t> order = op.getResultOrder();
  Type element = op.getType().getElementType();
  auto store = [&](int64_t row, Value column, Value average) {
    Values where(order.size());
    for (auto [dim, index] : llvm::zip(order, places[row]))
      where[dim] = index;
    where[order.back()] = column;
    Value value = emitConvert(b, loc, average, b.getF32Type(), element);
    ElementEmitter(kernel, 1).store(value, element, kernel.outputs[0], where);
  };
  // Lanes exchange totals before they part.
  Value hasKeys = at().less(at().constant(0), keys.count);
  Values inverses;
  for (Value total : state.totals) {
    for (int64_t distance = attentionLanes / 2; distance > 0; distance /= 2)
      total = arith::AddFOp::create(b, loc, total, fromLane(total, distance));
    inverses.push_back(arith::SelectOp::create(
        b, loc, hasKeys, arith::DivFOp::create(b, loc, number(1), total),
        zeroSum));
  }
  for (int64_t r = 0; r < shape.threadRows; ++r)
    when(at().less(slotOf(r), memory.slots), [&] {
      size_t i = r * ownColumns;
      for (auto [place, width] : columns.groups)
        for (int64_t c = 0; c < width; ++c) {
          Value column = at().add(place, at().constant(c)),
                average =
                    arith::MulFOp::create(b, loc, state.sums[i++], inverses[r]);
          if (shape.valueWidth == shape.valueDepth)
            store(r, column, average);
          else
            when(at().less(column, at().constant(shape.valueDepth)),
                 [&] { store(r, column, average); });
        }
    });
}
} // namespace

TaskCounter emitBlockAttention(Kernel &kernel, BlockAttentionPlanAttr plan) {
  std::optional<AttentionViews> views = AttentionViews::of(kernel);
  assert(views && "the plan is of operands in memory");
  BlockAttention(kernel, *views, plan).emit();
  SmallVector<int64_t> order(views->op.getResultOrder());
  return [order, batch = views->batch(), group = views->group(),
          tile = plan.getRows()](OpBuilder &b, Location loc,
                                 ArrayRef<OpFoldResult> extents) {
    IndexBuilder at{b, loc};
    auto extent = [&](size_t i) {
      return getValueOrCreateConstantIndexOp(b, loc, extents[order[i]]);
    };
    Value heads = at.constant(1);
    for (size_t i = 0; i < batch; ++i)
      heads = at.mul(heads, extent(i));
    Value rows = at.mul(extent(batch), at.constant(group));
    return at.mul(at.floorDiv(heads, at.constant(group)),
                  at.ceilDiv(rows, tile));
  };
}

} // namespace tenon
