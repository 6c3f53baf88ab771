// Depthwise convolutions and others with narrow groups. A task computes some
// channels of some rows. A tile of columns moves down the rows, so that the
// next row finds its input in L1. Its accumulators are one vector of channels
// for each column. Along the last dimension each input element is loaded once
// and multiplied by the weights of all columns that read it. Tiles at the
// borders have code of their own, without the taps outside the input. If the
// width is known only at run time, they ask for each input element whether it
// exists.
#include "passes/cpu/depthwise/DepthwiseEmitter.h"

#include "passes/cpu/depthwise/DepthwiseTile.h"
#include "passes/cpu/tile/TileEpilogue.h"
#include "passes/kernel/KernelLoops.h"
#include "passes/kernel/element/ElementEmitter.h"
#include "passes/kernel/element/FlatMemory.h"
#include "passes/kernel/nest/WindowTaps.h"
#include "passes/kernel/numerics/Conversions.h"
#include "passes/kernel/numerics/ElementwiseEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <map>

using namespace mlir;

namespace tenon {

/// The most taps along the last spatial dimension that are unrolled.
constexpr int64_t straightTaps = 11;

namespace {
class DepthwiseEmitter : KernelLoops {
public:
  DepthwiseEmitter(Kernel &kernel, ConvolutionOp op, Type sum);

  /// The plan; null if the epilogue cannot be applied to vectors.
  DepthwisePlanAttr makePlan();
  TaskCounter emit(DepthwisePlanAttr plan);

private:
  using Values = SmallVector<Value>;

  /// One spatial dimension.
  struct Axis {
    int64_t taps, stride, dilation, low, high;
    Value input, inputStride, tapStride; ///< strides: elements of a step
  };
  /// The lanes of `valid` channels from `first` on; null masks select all.
  struct Channels {
    Value first, valid, mask, inputMask;
  };
  /// A tile of columns. `fits` says which taps are inside the input; all if it
  /// is unset.
  struct Tile {
    Value column;
    int64_t columns;
    std::function<bool(int64_t column, int64_t tap)> fits{};
    bool tapByTap = false; ///< one column; its taps may be outside
    /// Where the window of the first column starts and how many columns exist,
    /// if the tile may reach over the borders.
    Value start{}, exist{};
  };

  Axis axisOf(int64_t dim);
  void emitTask(Value task);
  void emitColumns();
  void emitTilesOfOpenWidth(const Axis &axis, Value width);
  void emitLongWindows(const Axis &axis, Value width);
  void emitTile(const Tile &tile);
  void emitVector(const Tile &tile, ArrayRef<Value> position,
                  const Channels &channels);
  void finish(const Tile &tile, ArrayRef<Value> position,
              const Channels &channels, ArrayRef<Value> sums);
  Values overRows(size_t level, const Tile &tile, ArrayRef<WindowTaps> taps,
                  const Channels &channels, Value lhs, Value rhs,
                  ValueRange carried);
  Values straight(const Tile &tile, const Channels &channels, Value lhs,
                  Value rhs, ValueRange carried);
  Values ifInside(const Tile &tile, int64_t input, Values sums,
                  llvm::function_ref<void(Values &)> add);
  Values looped(const WindowTaps &taps, const Channels &channels, Value lhs,
                Value rhs, ValueRange carried);
  Values loadInput(Value place, const Channels &channels);
  Values loadWeights(Value place, const Channels &here);
  /// Input elements that a vector of channels reads at one position.
  int64_t inputLanes() { return step / multiplier * features; }
  Value loadLanes(Value memory, Value place, int64_t count, Value mask);

  ConvolutionOp op;
  Type sum;
  int64_t lanes;
  TileEpilogue epilogue;
  int64_t channels, step;       ///< of the result; step: of a vector
  int64_t multiplier, features; ///< outputs and inputs of a group
  SmallVector<Axis> axes;
  ColumnWindow window;
  int64_t allTaps = 1;
  DepthwisePlanAttr plan;
  std::vector<ColumnRun> runs;
  Value lhsMemory, rhsMemory, batchStride, kept;
  Values rowExtents;
  Value firstRow, lastRow, firstChannel, lastChannel; ///< of the task
};

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

Type elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

DepthwiseEmitter::DepthwiseEmitter(Kernel &kernel, ConvolutionOp op, Type sum)
    : KernelLoops(kernel), op(op), sum(sum),
      lanes(kernel.machine.lanes(sum.getIntOrFloatBitWidth() / 8)),
      epilogue(kernel, op.getResult(), sum, lanes),
      channels(shapeOf(op.getRhs()).back()), step(0),
      multiplier(channels / int64_t(op.getGroups())),
      features(shapeOf(op.getRhs()).drop_back().back()) {
  step = lanes / multiplier * multiplier;
  int64_t spatial = op.getStrides().size();
  for (int64_t i = 0; i < spatial; ++i)
    allTaps *= shapeOf(op.getRhs())[i];
  int64_t last = spatial - 1;
  window = {shapeOf(op.getRhs())[last],
            op.getStrides()[last],
            op.getRhsDilation()[last],
            op.getPadding()[2 * last],
            knownExtent(shapeOf(op.getLhs())[spatial]),
            knownExtent(shapeOf(op.getResult())[spatial])};
}

DepthwisePlanAttr DepthwiseEmitter::makePlan() {
  if (!epilogue.vectorizes(/*columnIsLast=*/true))
    return {};
  return planDepthwise(window, allTaps, features, channels, step,
                       kernel.machine);
}

DepthwiseEmitter::Axis DepthwiseEmitter::axisOf(int64_t dim) {
  ElementEmitter sizes(kernel, 1);
  int64_t spatial = op.getStrides().size(), tapStride = channels * features;
  Value stride = at().constant(op.getGroups() * features);
  for (int64_t i = spatial - 1; i > dim; --i) {
    stride = at().mul(stride, sizes.extent(op.getLhs(), i + 1));
    tapStride *= shapeOf(op.getRhs())[i];
  }
  return {shapeOf(op.getRhs())[dim],
          op.getStrides()[dim],
          op.getRhsDilation()[dim],
          op.getPadding()[2 * dim],
          op.getPadding()[2 * dim + 1],
          sizes.extent(op.getLhs(), dim + 1),
          stride,
          at().constant(tapStride)};
}

TaskCounter DepthwiseEmitter::emit(DepthwisePlanAttr chosen) {
  plan = chosen;
  runs = columnRuns(window, plan.getColumns());
  int64_t spatial = op.getStrides().size();
  for (int64_t i = 0; i < spatial; ++i)
    axes.push_back(axisOf(i));
  batchStride = at().mul(axes.front().inputStride, axes.front().input);
  lhsMemory = flattened(kernel, kernel.arguments.lookup(op.getLhs()));
  rhsMemory = flattened(kernel, kernel.arguments.lookup(op.getRhs()));
  if (!epilogue.isShort())
    kept = scratchOf(sum, plan.getColumns() * lanes);
  ElementEmitter sizes(kernel, 1);
  for (int64_t dim = 0; dim < spatial; ++dim)
    rowExtents.push_back(sizes.extent(kernel.outputs[0], dim));
  forRange(kernel.begin, kernel.end, 1, [&](Value task) { emitTask(task); });
  int64_t pieces = llvm::divideCeilSigned(channels, plan.getChannels());
  return [pieces, rows = plan.getRows()](OpBuilder &b, Location loc,
                                         ArrayRef<OpFoldResult> sizes) {
    IndexBuilder at{b, loc};
    return at.mul(at.ceilDiv(at.product(sizes.drop_back(2)), rows),
                  at.constant(pieces));
  };
}

void DepthwiseEmitter::emitTask(Value task) {
  int64_t pieces = llvm::divideCeilSigned(channels, plan.getChannels());
  Value rows = at().constant(1);
  for (Value extent : rowExtents)
    rows = at().mul(rows, extent);
  Value block = at().floorDiv(task, at().constant(pieces));
  firstRow = at().mul(block, at().constant(plan.getRows()));
  lastRow = at().min(at().add(firstRow, at().constant(plan.getRows())), rows);
  firstChannel = at().mul(at().remainder(task, at().constant(pieces)),
                          at().constant(plan.getChannels()));
  lastChannel =
      at().min(at().add(firstChannel, at().constant(plan.getChannels())),
               at().constant(channels));
  emitColumns();
}

void DepthwiseEmitter::emitColumns() {
  bool writtenOut = window.taps <= straightTaps && !runs.empty();
  if (writtenOut) {
    for (const ColumnRun &run : runs) {
      Tile tile{at().constant(run.first), run.columns};
      if (!run.inner)
        tile.fits = [this, first = run.first](int64_t column, int64_t tap) {
          return window.fits(first + column, tap);
        };
      if (run.tiles == 1) {
        emitTile(tile);
        continue;
      }
      Value end = at().constant(run.first + run.tiles * run.columns);
      forRange(tile.column, end, run.columns,
               [&](Value column) { emitTile({column, run.columns}); });
    }
    return;
  }
  ElementEmitter sizes(kernel, 1);
  Value width = sizes.extent(kernel.outputs[0], axes.size());
  if (window.taps > straightTaps)
    emitLongWindows(axes.back(), width);
  else
    emitTilesOfOpenWidth(axes.back(), width);
}

void DepthwiseEmitter::emitTilesOfOpenWidth(const Axis &axis, Value width) {
  int64_t columns = plan.getColumns(),
          span = (columns - 1) * axis.stride + (axis.taps - 1) * axis.dilation;
  forRange(at().constant(0), width, columns, [&](Value column) {
    Value start = at().sub(at().mul(column, at().constant(axis.stride)),
                           at().constant(axis.low)),
          last = at().add(start, at().constant(span)),
          exist = at().min(at().sub(width, column), at().constant(columns));
    Value isInner =
        arith::AndIOp::create(b, loc, at().less(at().constant(-1), start),
                              at().less(last, axis.input));
    isInner = arith::AndIOp::create(
        b, loc, isInner, at().less(at().constant(columns - 1), exist));
    choose(
        isInner, [&] { emitTile({column, columns}); },
        [&] { emitTile({column, columns, {}, false, start, exist}); });
  });
}

/// Emits the columns at the borders one by one.
void DepthwiseEmitter::emitLongWindows(const Axis &axis, Value width) {
  // All taps of the columns [first, end) are inside.
  int64_t outside = std::max<int64_t>(0, axis.low);
  Value first =
      at().min(width, at().constant((outside + axis.stride - 1) / axis.stride));
  int64_t span = (axis.taps - 1) * axis.dilation + 1;
  Value room = at().max(
      at().add(axis.input, at().constant(axis.low - span + axis.stride)),
      at().constant(0));
  Value end = at().max(
      first, at().min(width, at().floorDiv(room, at().constant(axis.stride))));
  Value tiles =
      at().floorDiv(at().sub(end, first), at().constant(plan.getColumns()));
  Value whole =
      at().add(first, at().mul(tiles, at().constant(plan.getColumns())));
  auto one = [&](Value column) { emitTile({column, 1, {}, true}); };
  forRange(at().constant(0), first, 1, one);
  forRange(first, whole, plan.getColumns(),
           [&](Value column) { emitTile({column, plan.getColumns()}); });
  forRange(whole, width, 1, one);
}

void DepthwiseEmitter::emitTile(const Tile &tile) {
  forRange(firstRow, lastRow, 1, [&](Value row) {
    Values position = at().delinearize(row, rowExtents);
    position.push_back(tile.column);
    forRange(firstChannel, lastChannel, step, [&](Value first) {
      Channels here{first, {}, {}, {}};
      if (step != lanes || channels % step != 0) {
        auto mask = [&](int64_t lanes, Value valid) -> Value {
          return vector::CreateMaskOp::create(
              b, loc, VectorType::get({lanes}, b.getI1Type()), valid);
        };
        here.valid =
            at().min(at().sub(lastChannel, first), at().constant(step));
        here.mask = mask(lanes, here.valid);
        here.inputMask =
            mask(inputLanes(),
                 at().mul(at().floorDiv(here.valid, at().constant(multiplier)),
                          at().constant(features)));
      }
      emitVector(tile, position, here);
    });
  });
}

void DepthwiseEmitter::emitVector(const Tile &tile, ArrayRef<Value> position,
                                  const Channels &channels) {
  Value from = at().mul(position[0], batchStride);
  SmallVector<WindowTaps> taps;
  for (auto [axis, index] : llvm::zip(axes, position.drop_front())) {
    Value start = at().sub(at().mul(index, at().constant(axis.stride)),
                           at().constant(axis.low));
    from = at().add(from, at().mul(start, axis.inputStride));
    taps.push_back(tapsInside(at(), start, axis.taps, axis.dilation,
                              {axis.low, axis.high}, axis.input));
  }
  Value feature =
      at().mul(at().floorDiv(channels.first, at().constant(multiplier)),
               at().constant(features));
  Value zero = arith::ConstantOp::create(
      b, loc, b.getZeroAttr(VectorType::get({lanes}, sum)));
  Values sums = overRows(0, tile, taps, channels, at().add(from, feature),
                         channels.first, Values(tile.columns, zero));
  finish(tile, position, channels, sums);
}

DepthwiseEmitter::Values
DepthwiseEmitter::overRows(size_t level, const Tile &tile,
                           ArrayRef<WindowTaps> taps, const Channels &channels,
                           Value lhs, Value rhs, ValueRange carried) {
  const Axis &axis = axes[level];
  if (level + 1 == axes.size()) {
    if (tile.tapByTap)
      return looped(taps[level], channels, lhs, rhs, carried);
    if (axis.taps > straightTaps)
      return looped({at().constant(0), at().constant(axis.taps)}, channels, lhs,
                    rhs, carried);
    return straight(tile, channels, lhs, rhs, carried);
  }
  return carry(
      taps[level].low, taps[level].high, 1, carried,
      [&](Value tap, const Values &inner) {
        Value step = at().mul(axis.inputStride, at().constant(axis.dilation));
        return overRows(level + 1, tile, taps, channels,
                        at().add(lhs, at().mul(tap, step)),
                        at().add(rhs, at().mul(tap, axis.tapStride)), inner);
      });
}

/// Adds all taps of the last dimension; each input column is loaded once.
DepthwiseEmitter::Values DepthwiseEmitter::straight(const Tile &tile,
                                                    const Channels &channels,
                                                    Value lhs, Value rhs,
                                                    ValueRange carried) {
  const Axis &axis = axes.back();
  struct Product {
    int64_t column, tap;
  };
  std::map<int64_t, SmallVector<Product>> byInput;
  for (int64_t column = 0; column < tile.columns; ++column)
    for (int64_t tap = 0; tap < axis.taps; ++tap)
      if (!tile.fits || tile.fits(column, tap))
        byInput[column * axis.stride + tap * axis.dilation].push_back(
            {column, tap});
  SmallVector<Values> weights(axis.taps);
  auto weightOf = [&](int64_t tap) -> Values & {
    if (weights[tap].empty())
      weights[tap] = loadWeights(
          at().add(rhs, at().mul(at().constant(tap), axis.tapStride)),
          channels);
    return weights[tap];
  };
  // Several branches need a weight.
  for (int64_t tap = 0; tile.start && tap < axis.taps; ++tap)
    weightOf(tap);
  Values sums(carried);
  for (const auto &[input, products] : byInput)
    sums = ifInside(tile, input, sums, [&](Values &sums) {
      Values x = loadInput(
          at().add(lhs, at().mul(at().constant(input), axis.inputStride)),
          channels);
      for (Product product : products)
        for (int64_t f = 0; f < features; ++f)
          sums[product.column] = emitMultiplyAdd(
              b, loc, x[f], weightOf(product.tap)[f], sums[product.column]);
    });
  return sums;
}

/// The sums after `add`, which reads the input element number `input` of the
/// tile, or the same sums if that is outside the input.
DepthwiseEmitter::Values
DepthwiseEmitter::ifInside(const Tile &tile, int64_t input, Values sums,
                           llvm::function_ref<void(Values &)> add) {
  if (!tile.start) {
    add(sums);
    return sums;
  }
  Value place = at().add(tile.start, at().constant(input));
  // One unsigned comparison checks both bounds.
  Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, place,
                                       axes.back().input);
  return choose(
      inside, sums,
      [&] {
        Values added = sums;
        add(added);
        return added;
      },
      [&] { return sums; });
}

/// Adds the taps of the last dimension by a loop, for one column of each sum in
/// `carried`.
DepthwiseEmitter::Values DepthwiseEmitter::looped(const WindowTaps &taps,
                                                  const Channels &channels,
                                                  Value lhs, Value rhs,
                                                  ValueRange carried) {
  const Axis &axis = axes.back();
  return carry(
      taps.low, taps.high, 1, carried, [&](Value tap, const Values &inner) {
        Values weight =
            loadWeights(at().add(rhs, at().mul(tap, axis.tapStride)), channels);
        Value start =
            at().add(lhs, at().mul(at().mul(tap, at().constant(axis.dilation)),
                                   axis.inputStride));
        Values sums(inner);
        for (auto [column, total] : llvm::enumerate(sums)) {
          Value place = at().add(
              start, at().mul(at().constant(int64_t(column) * axis.stride),
                              axis.inputStride));
          Values x = loadInput(place, channels);
          for (int64_t f = 0; f < features; ++f)
            total = emitMultiplyAdd(b, loc, x[f], weight[f], total);
        }
        return sums;
      });
}

Value DepthwiseEmitter::loadLanes(Value memory, Value place, int64_t count,
                                  Value mask) {
  auto type = VectorType::get(
      {count}, cast<MemRefType>(memory.getType()).getElementType());
  if (!mask)
    return vector::LoadOp::create(b, loc, type, memory, place);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  return vector::MaskedLoadOp::create(b, loc, type, memory, place, mask, zero);
}

/// Loads the inputs of the current channels: a vector for each feature of a
/// group. An input takes as many lanes as its group has outputs.
DepthwiseEmitter::Values DepthwiseEmitter::loadInput(Value place,
                                                     const Channels &channels) {
  Value loaded = loadLanes(lhsMemory, place, inputLanes(), channels.inputMask);
  loaded = emitConvert(b, loc, loaded, elementOf(op.getLhs()), sum);
  if (multiplier == 1 && features == 1)
    return {loaded};
  Values result;
  for (int64_t f = 0; f < features; ++f) {
    SmallVector<int64_t> from;
    for (int64_t lane = 0; lane < lanes; ++lane)
      from.push_back(std::min(lane, step - 1) / multiplier * features + f);
    result.push_back(vector::ShuffleOp::create(b, loc, loaded, loaded, from));
  }
  return result;
}

/// Loads the weights of one tap, for each feature of a group.
DepthwiseEmitter::Values DepthwiseEmitter::loadWeights(Value place,
                                                       const Channels &here) {
  Values result;
  for (int64_t f = 0; f < features; ++f) {
    Value loaded =
        loadLanes(rhsMemory, at().add(place, at().constant(f * channels)),
                  lanes, here.mask);
    result.push_back(emitConvert(b, loc, loaded, elementOf(op.getRhs()), sum));
  }
  return result;
}

void DepthwiseEmitter::finish(const Tile &tile, ArrayRef<Value> position,
                              const Channels &channels, ArrayRef<Value> sums) {
  Values place(position);
  place.push_back(channels.first);
  Value &column = place[position.size() - 1];
  auto finishOne = [&](Value offset, Value total) {
    column = at().add(tile.column, offset);
    epilogue.finish(place, total, channels.mask, channels.valid);
  };
  if (!kept) {
    for (auto [i, total] : llvm::enumerate(sums)) {
      Value number = at().constant(i);
      if (tile.exist && i > 0)
        when(at().less(number, tile.exist), [&] { finishOne(number, total); });
      else
        finishOne(number, total);
    }
    return;
  }
  // A loop emits a long epilogue once and reads the sums from the stack.
  auto slot = [&](Value i) { return at().mul(i, at().constant(lanes)); };
  for (auto [i, total] : llvm::enumerate(sums))
    vector::StoreOp::create(b, loc, total, kept, slot(at().constant(i)));
  Value end = tile.exist ? tile.exist : at().constant(tile.columns);
  forRange(at().constant(0), end, 1, [&](Value i) {
    finishOne(i, vector::LoadOp::create(b, loc, VectorType::get({lanes}, sum),
                                        kept, slot(i)));
  });
}

/// True if groups are narrow, operands are in memory, the extents of the kernel
/// are positive and the input is not dilated.
bool isCovered(Kernel &kernel, ConvolutionOp op, Type sum) {
  auto inMemory = [&](Value tensor) {
    return isa<BlockArgument>(tensor) && kernel.arguments.lookup(tensor);
  };
  ArrayRef<int64_t> weights = shapeOf(op.getRhs());
  int64_t groups = op.getGroups();
  return groups > 1 && inMemory(op.getLhs()) && inMemory(op.getRhs()) &&
         llvm::all_of(weights, [](int64_t extent) { return extent > 0; }) &&
         areNarrowGroups(
             weights.drop_back().back(), weights.back() / groups,
             kernel.machine.lanes(sum.getIntOrFloatBitWidth() / 8)) &&
         llvm::all_of(op.getLhsDilation(), [](int64_t d) { return d == 1; });
}
} // namespace

static Type sumOf(ConvolutionOp op) {
  Type element = op.getType().getElementType();
  return isa<Float16Type, BFloat16Type>(element)
             ? Float32Type::get(element.getContext())
             : kernelElementType(element);
}

DepthwisePlanAttr planDepthwise(Kernel &kernel, ConvolutionOp op) {
  Type sum = sumOf(op);
  if (!isCovered(kernel, op, sum))
    return {};
  return DepthwiseEmitter(kernel, op, sum).makePlan();
}

TaskCounter emitDepthwise(Kernel &kernel, ConvolutionOp op,
                          DepthwisePlanAttr plan) {
  return DepthwiseEmitter(kernel, op, sumOf(op)).emit(plan);
}

} // namespace tenon
