// Sums are kept in the 64 lanes of the numerics contract (element i of a piece
// in lane i mod 64), which one fixed tree combines: the bits are the same for
// every vector width. The position of the greatest element depends on no order,
// so it takes as many lanes as pay.
#include "passes/kernel/rows/RowReducer.h"

#include "dialects/tenon/NumericsContract.h"
#include "passes/kernel/CoreCalls.h"
#include "passes/kernel/numerics/Conversions.h"
#include "passes/kernel/numerics/ElementwiseEmitter.h"
#include "passes/kernel/numerics/LaneFolds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

static RankedTensorType operandType(Operation *op) {
  return cast<RankedTensorType>(op->getOperand(0).getType());
}

static Type sumType(Type element) {
  return isa<Float16Type, BFloat16Type>(element)
             ? Float32Type::get(element.getContext())
             : element;
}

SmallVector<Operation *> rowReductions(FusionOp fusion) {
  SmallVector<Operation *> found;
  for (Operation &op : fusion.getBlock())
    if (isa<ReduceOp, ArgReduceOp>(op))
      found.push_back(&op);
  return found;
}

ElementEmitter rowEmitter(Kernel &kernel, int64_t lanes,
                          ArrayRef<std::pair<Value, Value>> reduced) {
  ElementEmitter result(kernel, lanes);
  for (auto [value, scalar] : reduced)
    result.preset(
        value, lanes == 1
                   ? scalar
                   : Value(vector::BroadcastOp::create(
                         kernel.builder, kernel.loc(),
                         VectorType::get({lanes}, scalar.getType()), scalar)));
  return result;
}

SmallVector<LaneIndex> placeInRow(ArrayRef<Value> row, Value column) {
  SmallVector<LaneIndex> indices;
  for (Value index : row)
    indices.push_back({index, 0});
  indices.push_back({column, 1});
  return indices;
}

RowReducer::RowReducer(Kernel &kernel, Operation *op, ArrayRef<Value> row,
                       ArrayRef<std::pair<Value, Value>> reduced)
    : kernel(kernel), op(op), b(kernel.builder), loc(kernel.loc()), row(row),
      reduced(reduced), element(operandType(op).getElementType()),
      sum(sumType(element)) {
  lanes = std::min(kernel.lanes(), reductionLanes);
  vectors = reductionLanes / lanes;
  isArg = isa<ArgReduceOp>(op);
  if (isArg) {
    kind = cast<ArgReduceOp>(op).getKind();
    last = cast<ArgReduceOp>(op).getLast();
    if (int64_t width = operandType(op).getShape().back();
        !ShapedType::isDynamic(width))
      vectors =
          std::min<int64_t>(vectors, llvm::PowerOf2Ceil(std::max<int64_t>(
                                         1, llvm::divideCeil(width, lanes))));
  } else {
    kind = cast<ReduceOp>(op).getKind();
  }
}

SmallVector<Type, 2> RowReducer::partialTypes() {
  SmallVector<Type, 2> types{rowEmitter(kernel, 1, {}).laneType(sum)};
  if (isArg)
    types.push_back(b.getI64Type());
  return types;
}

RowReducer::Partial RowReducer::none() {
  Partial result{emitIdentity(b, loc, kind, sum, partialTypes().front())};
  if (isArg)
    result.push_back(arith::ConstantIntOp::create(b, loc, -1, 64));
  return result;
}

/// An i1, or lanes of it: true if `candidate` is the better element, which a
/// NaN is among numbers.
Value RowReducer::strictlyBeats(Value candidate, Value best) {
  Lanes x(b, loc, candidate), y(b, loc, best);
  bool greater = kind == ReduceKind::Maximum;
  if (!x.isFloat()) {
    if (sum.isUnsignedInteger() || sum.isInteger(1))
      return (greater ? y.below(x) : x.below(y)).get();
    return (greater ? x > y : x < y).get();
  }
  Value wins = arith::CmpFOp::create(
      b, loc, greater ? arith::CmpFPredicate::UGT : arith::CmpFPredicate::ULT,
      candidate, best);
  Value isNumber =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, best, best);
  return arith::AndIOp::create(b, loc, wins, isNumber);
}

Value RowReducer::load(Value column, Value valid) {
  ElementEmitter emitter = rowEmitter(kernel, lanes, reduced);
  if (valid)
    emitter.setValid(valid);
  Value value = emitter.emit(op->getOperand(0), placeInRow(row, column));
  failed |= emitter.failed();
  return failed ? Value() : emitConvert(b, loc, value, element, sum);
}

/// Combines one vector of columns. `base` is the number of the block of
/// columns within the piece.
RowReducer::Partial RowReducer::step(const Partial &carried, Value column,
                                     Value base, Value valid) {
  Value value = load(column, valid);
  if (failed)
    return {};
  Value mask = valid ? firstLanes(b, loc, lanes, valid) : Value();
  if (!isArg) {
    if (mask)
      value = arith::SelectOp::create(
          b, loc, mask, value,
          emitIdentity(b, loc, kind, sum, value.getType()));
    return {emitCombine(b, loc, kind, sum, carried[0], value)};
  }
  Value wins;
  if (last) {
    Value loses = strictlyBeats(carried[0], value);
    wins = arith::XOrIOp::create(
        b, loc, loses,
        arith::ConstantOp::create(b, loc, b.getOneAttr(loses.getType())));
  } else {
    wins = strictlyBeats(value, carried[0]);
  }
  if (mask)
    wins = arith::AndIOp::create(b, loc, wins, mask);
  Value number = vector::BroadcastOp::create(
      b, loc, carried[1].getType(),
      arith::IndexCastOp::create(b, loc, b.getI32Type(), base));
  return {arith::SelectOp::create(b, loc, wins, value, carried[0]),
          arith::SelectOp::create(b, loc, wins, number, carried[1])};
}

RowReducer::Partial RowReducer::reducePiece(Columns columns) {
  Type laneType = rowEmitter(kernel, lanes, {}).laneType(sum);
  int64_t blockLanes = vectors * lanes;
  Value block = at().constant(blockLanes),
        width = at().sub(columns.high, columns.low),
        whole = at().mul(at().floorDiv(width, block), block);
  SmallVector<Value> init;
  size_t parts = isArg ? 2 : 1;
  for (int64_t v = 0; v < vectors; ++v) {
    init.push_back(emitIdentity(b, loc, kind, sum, laneType));
    // A lane without elements must lose against equal ones: with `last` by a
    // column before the piece, otherwise by one after it.
    if (isArg)
      init.push_back(emitInt(b, loc, VectorType::get({lanes}, b.getI32Type()),
                             uint64_t(last ? -blockLanes : 0)));
  }
  auto part = [&](ValueRange carried, int64_t v) {
    return Partial(carried.slice(v * parts, parts));
  };
  auto loop = scf::ForOp::create(b, loc, at().constant(0), whole, block, init);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> next;
    Value base = loop.getInductionVar(), first = at().add(columns.low, base);
    for (int64_t v = 0; v < vectors && !failed; ++v)
      llvm::append_range(next,
                         step(part(loop.getRegionIterArgs(), v),
                              at().add(first, at().constant(v * lanes)), base));
    if (failed) {
      b.setInsertionPointAfter(loop);
      loop.erase();
      return reduceInOrder(columns);
    }
    scf::YieldOp::create(b, loc, next);
  }
  SmallVector<Partial> sums;
  for (int64_t v = 0; v < vectors; ++v)
    sums.push_back(part(loop.getResults(), v));
  // The remainder after the last full block, each element in its own lane.
  Value rest = at().sub(width, whole);
  std::optional<int64_t> known = getConstantIntValue(rest);
  for (int64_t v = 0; v < vectors && known.value_or(1 << 20) > v * lanes; ++v) {
    Value skipped = at().constant(v * lanes),
          count = at().min(at().sub(rest, skipped), at().constant(lanes));
    auto branch = scf::IfOp::create(b, loc, ValueRange(sums[v]).getTypes(),
                                    at().less(skipped, rest), true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    Value column = at().add(at().add(columns.low, whole), skipped);
    scf::YieldOp::create(b, loc, step(sums[v], column, whole, count));
    b.setInsertionPointToStart(&branch.getElseRegion().front());
    scf::YieldOp::create(b, loc, sums[v]);
    sums[v] = Partial(branch.getResults());
  }
  return fold(sums, columns.low);
}

bool RowReducer::isOrdered() { return !isArg && tenon::isOrdered(kind, sum); }

/// An element that no other loses against is that of the last column too if
/// `last`, and of the first column otherwise.
RowReducer::Partial RowReducer::neutral(int64_t lanes, Value width) {
  auto lanesOf = [&](Type element) {
    return VectorType::get({lanes}, element);
  };
  Partial result{
      emitIdentity(b, loc, kind, sum, lanesOf(partialTypes().front()))};
  if (isArg) {
    Value number = last ? at().constant(0) : at().sub(width, at().constant(1));
    result.push_back(vector::BroadcastOp::create(
        b, loc, lanesOf(b.getI32Type()),
        arith::IndexCastOp::create(b, loc, b.getI32Type(), number)));
  }
  return result;
}

RowReducer::Partial RowReducer::partials(Value elements, Value numbers) {
  Partial result{emitConvert(b, loc, elements, element, sum)};
  if (isArg)
    result.push_back(numbers);
  return result;
}

RowReducer::Partial RowReducer::combine(const Partial &x, const Partial &y) {
  if (!isArg)
    return {emitCombine(b, loc, kind, sum, x[0], y[0])};
  Lanes xColumn(b, loc, x[1]), yColumn(b, loc, y[1]);
  Lanes beats(b, loc, strictlyBeats(y[0], x[0])),
      loses(b, loc, strictlyBeats(x[0], y[0]));
  Lanes wins =
      beats | (!loses & (last ? yColumn > xColumn : yColumn < xColumn));
  return {arith::SelectOp::create(b, loc, wins.get(), y[0], x[0]),
          arith::SelectOp::create(b, loc, wins.get(), y[1], x[1])};
}

/// Combines lane i with lane i + 32, then with i + 16, and so on.
RowReducer::Partial RowReducer::fold(ArrayRef<Partial> partials, Value low) {
  if (!isArg) {
    SmallVector<Value> sums;
    for (const Partial &partial : partials)
      sums.push_back(partial[0]);
    return {foldLanes(b, loc, sums, [&](Value x, Value y) {
      return emitCombine(b, loc, kind, sum, x, y);
    })};
  }
  SmallVector<Partial> folded;
  for (auto [v, partial] : llvm::enumerate(partials)) {
    SmallVector<int32_t> numbers;
    for (int64_t lane = 0; lane < lanes; ++lane)
      numbers.push_back(int32_t(int64_t(v) * lanes + lane));
    auto type = cast<VectorType>(partial[1].getType());
    Value places = arith::AddIOp::create(
        b, loc, partial[1],
        arith::ConstantOp::create(
            b, loc, DenseElementsAttr::get(type, ArrayRef(numbers))));
    folded.push_back({partial[0], places});
  }
  for (; folded.size() > 1; folded.resize(folded.size() / 2))
    for (size_t v = 0; v < folded.size() / 2; ++v)
      folded[v] = combine(folded[v], folded[v + folded.size() / 2]);
  Partial result = folded.front();
  for (int64_t half = lanes / 2; half > 0; half /= 2) {
    SmallVector<int64_t> first, second;
    for (int64_t lane = 0; lane < half; ++lane) {
      first.push_back(lane);
      second.push_back(half + lane);
    }
    Partial low, high;
    for (Value value : result) {
      low.push_back(vector::ShuffleOp::create(b, loc, value, value, first));
      high.push_back(vector::ShuffleOp::create(b, loc, value, value, second));
    }
    result = combine(low, high);
  }
  for (Value &value : result)
    value = vector::ExtractOp::create(b, loc, value, ArrayRef<int64_t>{0});
  return ofPiece(result, low);
}

RowReducer::Partial RowReducer::ofPiece(Partial scalars, Value low) {
  if (isArg)
    scalars[1] = arith::AddIOp::create(
        b, loc, asInteger(kernel, low),
        arith::ExtSIOp::create(b, loc, b.getI64Type(), scalars[1]));
  return scalars;
}

RowReducer::Partial RowReducer::join(const Partial &before,
                                     const Partial &after) {
  if (!isArg)
    return {emitCombine(b, loc, kind, sum, before[0], after[0])};
  Lanes beats(b, loc, strictlyBeats(after[0], before[0])),
      loses(b, loc, strictlyBeats(before[0], after[0])),
      column(b, loc, before[1]);
  // No column loses against every other.
  Lanes wins = (last ? !loses : beats) | (column < column.bits(0));
  return {arith::SelectOp::create(b, loc, wins.get(), after[0], before[0]),
          arith::SelectOp::create(b, loc, wins.get(), after[1], before[1])};
}

Value RowReducer::finish(const Partial &partial) {
  if (!isArg)
    return emitConvert(b, loc, partial[0], sum, element);
  // Without elements the result is column 0.
  Value zero = arith::ConstantIntOp::create(b, loc, 0, 64);
  return emitConvert(
      b, loc, arith::MaxSIOp::create(b, loc, partial[1], zero), b.getI64Type(),
      cast<RankedTensorType>(op->getResult(0).getType()).getElementType());
}

Value RowReducer::reduceRow(Value width,
                            llvm::function_ref<Partial(Columns)> reducePiece) {
  Value zero = at().constant(0);
  std::optional<int64_t> known = getConstantIntValue(width);
  if (known && *known <= wholeRow)
    return finish(reducePiece({zero, width}));
  Value step = at().constant(rowPiece);
  if (!known)
    step = arith::SelectOp::create(b, loc,
                                   at().less(at().constant(wholeRow), width),
                                   step, at().constant(wholeRow));
  auto loop = scf::ForOp::create(b, loc, zero, width, step, none());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value low = loop.getInductionVar();
    Partial piece = reducePiece({low, at().min(at().add(low, step), width)});
    scf::YieldOp::create(b, loc,
                         join(Partial(loop.getRegionIterArgs()), piece));
  }
  return finish(Partial(loop.getResults()));
}

/// Reduces the elements one after another, if an operand cannot be computed as
/// a vector.
RowReducer::Partial RowReducer::reduceInOrder(Columns columns) {
  auto loop = scf::ForOp::create(b, loc, columns.low, columns.high,
                                 at().constant(1), none());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value column = loop.getInductionVar();
  Value value = rowEmitter(kernel, 1, reduced)
                    .emit(op->getOperand(0), placeInRow(row, column));
  Partial one{emitConvert(b, loc, value, element, sum)};
  if (isArg)
    one.push_back(asInteger(kernel, column));
  scf::YieldOp::create(b, loc, join(Partial(loop.getRegionIterArgs()), one));
  return Partial(loop.getResults());
}

} // namespace tenon
