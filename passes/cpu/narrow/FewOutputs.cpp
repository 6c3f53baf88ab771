// A task computes rows of the result, in strips of some vectors of positions.
// For each row of the window, the input's features are turned on the stack:
// positions become neighbours. Every weight is then multiplied with whole
// vectors of positions. The sums are turned back for the epilogue, whose
// vectors have the outputs of one position.
#include "passes/cpu/narrow/FewOutputs.h"

#include "passes/cpu/tile/TileEpilogue.h"
#include "passes/kernel/KernelLoops.h"
#include "passes/kernel/element/ElementEmitter.h"
#include "passes/kernel/element/FlatMemory.h"
#include "passes/kernel/nest/ContractionOperand.h"
#include "passes/kernel/nest/WindowTaps.h"
#include "passes/kernel/numerics/Conversions.h"
#include "passes/kernel/numerics/ElementwiseEmitter.h"
#include "passes/kernel/numerics/TransposeSquare.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

/// The most vectors of positions in a strip.
constexpr int64_t mostVectors = 8;
/// The most bytes of a turned row.
constexpr int64_t mostTurnedBytes = 64 << 10;
/// The assumed positions of a row if their number is dynamic.
constexpr int64_t typicalPositions = 128;
/// The fewest products of a task; they take a few microseconds.
constexpr int64_t leastWork = 1 << 17;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

namespace {
class FewOutputs : KernelLoops {
public:
  FewOutputs(Kernel &kernel, ConvolutionOp op);

  FewOutputsPlanAttr makePlan();
  TaskCounter emit(FewOutputsPlanAttr plan);

private:
  struct Strip {
    Value input;     ///< the offset of the window's row in the input
    Value column;    ///< of the input, read by the first tap and position
    Value positions; ///< from the first to the end of the row
  };

  int64_t span() {
    return (shapeOf(op.getRhs())[last] - 1) * op.getRhsDilation()[last];
  }
  /// Columns of a turned row.
  int64_t turnedColumns(int64_t vectors) {
    return llvm::alignTo(vectors * lanes + span(), lanes);
  }
  bool isPadded() {
    return op.getPadding()[2 * last] > 0 || op.getPadding()[2 * last + 1] > 0;
  }
  Value count(int64_t n) { return at().constant(n); }
  Value zeros() {
    return arith::ConstantOp::create(b, loc, b.getZeroAttr(vector));
  }

  void emitStrip(ArrayRef<Value> row, Value position);
  Values overRows(int64_t axis, ArrayRef<Value> row, Strip strip, Value weights,
                  ValueRange sums);
  void turn(const Strip &strip);
  Values addRow(const Strip &strip, Value weights, ValueRange sums,
                bool masked);
  Values addFeatures(Value turned, Value weights, ArrayRef<Value> masks,
                     Value low, Value high, ValueRange sums);
  Values masksAt(Value column);
  void finish(ArrayRef<Value> row, Value position, ArrayRef<Value> sums);

  ConvolutionOp op;
  Type sum;
  int64_t lanes, outputs, features;
  int64_t last; ///< the axis along which positions are lanes
  VectorType vector;
  TileEpilogue epilogue;
  int64_t vectors = 0; ///< of a strip
  Value input, kernelMemory, turned, turnedSums;
  Values inputExtents, inputStrides; ///< of batch and axes
  Values rowExtents;
  Value width; ///< positions of a row of the result
  std::optional<ContractionOperand> rhs;
};

FewOutputs::FewOutputs(Kernel &kernel, ConvolutionOp op)
    : KernelLoops(kernel), op(op), sum(Float32Type::get(op.getContext())),
      lanes(kernel.machine.lanes(4)), outputs(shapeOf(op.getRhs()).back()),
      features(shapeOf(op.getRhs()).drop_back().back()),
      last(op.getStrides().size() - 1), vector(VectorType::get({lanes}, sum)),
      epilogue(kernel, op.getResult(), sum, lanes) {}

/// Compares the instructions for a position with those of a tile, whose vectors
/// have the outputs as lanes.
FewOutputsPlanAttr FewOutputs::makePlan() {
  ArrayRef<int64_t> kernelShape = shapeOf(op.getRhs());
  int64_t rowTaps = kernelShape[last], products = outputs * rowTaps;
  // Turning takes three instructions for eight elements.
  if (products * 8 + 3 * lanes > rowTaps * lanes * 6)
    return {};
  int64_t known = shapeOf(op.getResult())[last + 1],
          positions = ShapedType::isDynamic(known) ? typicalPositions : known;
  if (positions < lanes || !epilogue.vectorizes(/*columnIsLast=*/true))
    return {};
  int64_t sums = outputs * (blockOfConvolution(sum, features) ? 2 : 1);
  int64_t vectors = std::clamp<int64_t>(
      (kernel.machine.getRegisters() - outputs - 1) / sums, 1, mostVectors);
  vectors = std::min(vectors, llvm::divideCeilSigned(positions, lanes));
  auto bytes = [&] {
    return llvm::alignTo(features, lanes) * turnedColumns(vectors) * 4;
  };
  while (vectors > 1 && bytes() > mostTurnedBytes)
    vectors /= 2;
  if (bytes() > mostTurnedBytes)
    return {};
  int64_t work = positions * features * outputs;
  for (int64_t axis = 0; axis <= last; ++axis)
    work *= kernelShape[axis];
  return FewOutputsPlanAttr::get(
      op.getContext(), vectors,
      llvm::divideCeilSigned(leastWork, std::max<int64_t>(1, work)));
}

TaskCounter FewOutputs::emit(FewOutputsPlanAttr plan) {
  vectors = plan.getVectors();
  input = flattened(kernel, kernel.arguments.lookup(op.getLhs()));
  rhs.emplace(kernel, op.getRhs());
  kernelMemory = flattened(kernel, rhs->memory);
  ElementEmitter sizes(kernel, 1);
  Value stride = count(features);
  for (int64_t dim = last + 1; dim >= 0; --dim) {
    inputExtents.insert(inputExtents.begin(), sizes.extent(op.getLhs(), dim));
    inputStrides.insert(inputStrides.begin(), stride);
    stride = at().mul(stride, inputExtents.front());
  }
  turned =
      scratchOf(sum, llvm::alignTo(features, lanes) * turnedColumns(vectors));
  turnedSums = scratchOf(sum, vectors * lanes * lanes);
  Value all = count(1);
  for (int64_t dim = 0; dim <= last; ++dim) {
    rowExtents.push_back(sizes.extent(kernel.outputs[0], dim));
    all = at().mul(all, rowExtents.back());
  }
  width = sizes.extent(kernel.outputs[0], last + 1);
  Value rows = count(plan.getRows());
  forRange(at().mul(kernel.begin, rows),
           at().min(at().mul(kernel.end, rows), all), 1, [&](Value number) {
             Values row = at().delinearize(number, rowExtents);
             forRange(count(0), width, vectors * lanes,
                      [&](Value position) { emitStrip(row, position); });
           });
  return [rows = plan.getRows()](OpBuilder &b, Location loc,
                                 ArrayRef<OpFoldResult> sizes) {
    IndexBuilder at{b, loc};
    return at.ceilDiv(at.product(sizes.drop_back(2)), rows);
  };
}

void FewOutputs::emitStrip(ArrayRef<Value> row, Value position) {
  Strip strip{at().mul(row[0], inputStrides[0]),
              at().sub(position, count(op.getPadding()[2 * last])),
              at().sub(width, position)};
  Values sums =
      overRows(0, row, strip, count(0), Values(outputs * vectors, zeros()));
  finish(row, position, sums);
}

FewOutputs::Values FewOutputs::overRows(int64_t axis, ArrayRef<Value> row,
                                        Strip strip, Value weights,
                                        ValueRange sums) {
  if (axis == last) {
    turn(strip);
    if (!isPadded())
      return addRow(strip, weights, sums, false);
    Value end = at().add(strip.column, count(vectors * lanes + span()));
    Value isInside = arith::AndIOp::create(
        b, loc, at().less(count(-1), strip.column),
        at().less(end, at().add(inputExtents.back(), count(1))));
    return choose(
        isInside, sums, [&] { return addRow(strip, weights, sums, false); },
        [&] { return addRow(strip, weights, sums, true); });
  }
  Value start = at().sub(at().mul(row[axis + 1], count(op.getStrides()[axis])),
                         count(op.getPadding()[2 * axis]));
  WindowTaps taps = tapsInside(
      at(), start, shapeOf(op.getRhs())[axis], op.getRhsDilation()[axis],
      op.getPadding().slice(2 * axis, 2), inputExtents[axis + 1]);
  return carry(
      taps.low, taps.high, 1, sums, [&](Value tap, const Values &carried) {
        Value place =
            at().add(start, at().mul(tap, count(op.getRhsDilation()[axis])));
        Strip inner{
            at().add(strip.input, at().mul(place, inputStrides[axis + 1])),
            strip.column, strip.positions};
        return overRows(axis + 1, row, inner,
                        at().add(weights, at().mul(tap, rhs->strides[axis])),
                        carried);
      });
}

/// Stores the features of the strip's columns with columns as neighbours.
/// Columns outside the input have the values of its border, which no sum uses.
void FewOutputs::turn(const Strip &strip) {
  Type element = elementTypeOf(op.getLhs());
  auto type = VectorType::get(
      {lanes}, cast<MemRefType>(input.getType()).getElementType());
  int64_t columns = turnedColumns(vectors);
  // Positions of the result read no further columns. An input without columns
  // has none to read.
  Value end =
      at().min(at().add(strip.positions, count(span())), count(columns));
  end = arith::SelectOp::create(
      b, loc, at().less(count(0), inputExtents.back()), end, count(0));
  forRange(count(0), count(features), lanes, [&](Value feature) {
    Value mask;
    if (features % lanes != 0)
      mask = firstLanes(
          b, loc, lanes,
          at().min(at().sub(count(features), feature), count(lanes)));
    forRange(count(0), end, lanes, [&](Value column) {
      Values square;
      for (int64_t i = 0; i < lanes; ++i) {
        Value from = at().add(at().add(strip.column, column), count(i)),
              inside = at().max(
                  at().min(from, at().sub(inputExtents.back(), count(1))),
                  count(0)),
              place = at().add(at().add(strip.input, feature),
                               at().mul(inside, count(features)));
        Value loaded =
            mask ? Value(vector::MaskedLoadOp::create(
                       b, loc, type, input, place, mask,
                       arith::ConstantOp::create(b, loc, b.getZeroAttr(type))))
                 : Value(vector::LoadOp::create(b, loc, type, input, place));
        square.push_back(emitConvert(b, loc, loaded, element, sum));
      }
      transposeSquare(b, loc, square);
      for (auto [i, line] : llvm::enumerate(square))
        vector::StoreOp::create(
            b, loc, line, turned,
            at().add(at().mul(at().add(feature, count(i)), count(columns)),
                     column));
    });
  });
}

/// True in the lanes of each vector whose column, from `column` on, is inside
/// the input.
FewOutputs::Values FewOutputs::masksAt(Value column) {
  Values masks;
  for (int64_t v = 0; v < vectors; ++v) {
    Value first = at().add(column, count(v * lanes));
    auto lanesBelow = [&](Value end) {
      return firstLanes(
          b, loc, lanes,
          at().max(at().min(at().sub(end, first), count(lanes)), count(0)));
    };
    Value before = lanesBelow(count(0)),
          inside = lanesBelow(inputExtents.back());
    // Lanes before the input are below its end, too.
    masks.push_back(arith::XOrIOp::create(b, loc, before, inside));
  }
  return masks;
}

/// Adds the products of one row of the window.
FewOutputs::Values FewOutputs::addRow(const Strip &strip, Value weights,
                                      ValueRange sums, bool masked) {
  int64_t block = blockOfConvolution(sum, features),
          dilation = op.getRhsDilation()[last];
  return carry(
      count(0), count(shapeOf(op.getRhs())[last]), 1, sums,
      [&](Value tap, const Values &carried) {
        Value offset = at().mul(tap, count(dilation)),
              here = at().add(weights, at().mul(tap, rhs->strides[last]));
        Values masks;
        if (masked)
          masks = masksAt(at().add(strip.column, offset));
        if (!block)
          return addFeatures(offset, here, masks, count(0), count(features),
                             carried);
        return carry(
            count(0), count(features), block, carried,
            [&](Value low, const Values &whole) {
              Value high =
                  at().min(at().add(low, count(block)), count(features));
              Values part = addFeatures(offset, here, masks, low, high,
                                        Values(whole.size(), zeros()));
              for (auto [i, one] : llvm::enumerate(part)) {
                Value added = arith::AddFOp::create(b, loc, whole[i], one);
                one = masked ? Value(arith::SelectOp::create(
                                   b, loc, masks[i % vectors], added, whole[i]))
                             : added;
              }
              return part;
            });
      });
}

/// Adds the products of features [low, high) of one tap. Sums of a masked lane
/// stay as they are.
FewOutputs::Values FewOutputs::addFeatures(Value offset, Value weights,
                                           ArrayRef<Value> masks, Value low,
                                           Value high, ValueRange sums) {
  int64_t columns = turnedColumns(vectors);
  return carry(low, high, 1, sums, [&](Value feature, const Values &carried) {
    Value line = at().add(at().mul(feature, count(columns)), offset),
          place = at().add(weights, at().mul(feature, rhs->strides[last + 1]));
    Values factors, next(carried);
    for (int64_t o = 0; o < outputs; ++o) {
      Value weight = memref::LoadOp::create(
          b, loc, kernelMemory,
          at().add(place, at().mul(count(o), rhs->strides[last + 2])));
      factors.push_back(vector::BroadcastOp::create(
          b, loc, vector, emitConvert(b, loc, weight, rhs->element, sum)));
    }
    for (int64_t v = 0; v < vectors; ++v) {
      Value x = vector::LoadOp::create(b, loc, vector, turned,
                                       at().add(line, count(v * lanes)));
      for (int64_t o = 0; o < outputs; ++o) {
        Value &total = next[o * vectors + v];
        Value added = emitMultiplyAdd(b, loc, x, factors[o], total);
        total = masks.empty() ? added
                              : Value(arith::SelectOp::create(b, loc, masks[v],
                                                              added, total));
      }
    }
    return next;
  });
}

void FewOutputs::finish(ArrayRef<Value> row, Value position,
                        ArrayRef<Value> sums) {
  for (int64_t v = 0; v < vectors; ++v) {
    Values square(lanes, zeros());
    for (int64_t o = 0; o < outputs; ++o)
      square[o] = sums[o * vectors + v];
    transposeSquare(b, loc, square);
    for (auto [i, line] : llvm::enumerate(square))
      vector::StoreOp::create(b, loc, line, turnedSums,
                              count((v * lanes + int64_t(i)) * lanes));
  }
  Value mask = firstLanes(b, loc, lanes, count(outputs)),
        end = at().min(at().sub(width, position), count(vectors * lanes));
  forRange(count(0), end, 1, [&](Value i) {
    Values place(row);
    place.push_back(at().add(position, i));
    place.push_back(count(0));
    epilogue.finish(place,
                    vector::LoadOp::create(b, loc, vector, turnedSums,
                                           at().mul(i, count(lanes))),
                    mask, count(outputs));
  });
}

/// True if the operands are in memory, and lanes along the last axis read
/// neighbouring columns.
bool isCovered(Kernel &kernel, ConvolutionOp op) {
  Type element = elementTypeOf(op.getResult());
  if (!isa<Float32Type, Float16Type, BFloat16Type>(element) ||
      op.getProducts() != Products::Chain || op.getGroups() != 1 ||
      op.getStrides().empty() || op.getStrides().back() != 1 ||
      !isa<BlockArgument>(op.getLhs()) ||
      !inMemory(kernel, op.getLhs(), op.getRhs(), op.getProducts()) ||
      llvm::any_of(op.getLhsDilation(), [](int64_t d) { return d != 1; }))
    return false;
  ArrayRef<int64_t> weights = shapeOf(op.getRhs());
  return llvm::all_of(weights, [](int64_t extent) { return extent > 0; }) &&
         weights.back() < kernel.machine.lanes(4) &&
         !ContractionOperand(kernel, op.getRhs()).scales;
}
} // namespace

FewOutputsPlanAttr planFewOutputs(Kernel &kernel, ConvolutionOp op) {
  if (!isCovered(kernel, op))
    return {};
  return FewOutputs(kernel, op).makePlan();
}

TaskCounter emitFewOutputs(Kernel &kernel, ConvolutionOp op,
                           FewOutputsPlanAttr plan) {
  return FewOutputs(kernel, op).emit(plan);
}

} // namespace tenon
