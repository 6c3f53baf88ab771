// Emits elements that need a loop: reductions over any dimensions, windows, and
// the general path of contractions. Every sum has one order, whatever the
// number of lanes.
#include "passes/kernel/element/ElementEmitter.h"

#include "dialects/tenon/NumericsContract.h"
#include "passes/kernel/numerics/Conversions.h"
#include "passes/kernel/numerics/ElementwiseEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon {

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// f16 and bf16 are summed in f32, all other types in their own type.
static Type sumType(Type tenonElement) {
  return isa<Float16Type, BFloat16Type>(tenonElement)
             ? Float32Type::get(tenonElement.getContext())
             : tenonElement;
}

/// The extents of a loop nest, with the outermost made zero if any other extent
/// is zero. Otherwise a nest of 2^62 and zero iterations would count to 2^62.
static SmallVector<Value> endingEarly(OpBuilder &b, Location loc,
                                      ArrayRef<Value> extents) {
  SmallVector<Value> result(extents);
  for (Value extent : extents.drop_front(extents.empty() ? 0 : 1)) {
    if (auto known = getConstantIntValue(extent); known && *known != 0)
      continue;
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value empty =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, extent, zero);
    result[0] = arith::SelectOp::create(b, loc, empty, zero, result[0]);
  }
  return result;
}

SmallVector<Value> ElementEmitter::loops(
    ArrayRef<Value> extents, ValueRange init,
    llvm::function_ref<SmallVector<Value>(ArrayRef<Value>, ValueRange)> body) {
  Location loc = kernel.loc();
  OpBuilder::InsertionGuard guard(b);
  auto outer = memo;
  SmallVector<scf::ForOp> nest;
  SmallVector<Value> indices;
  ValueRange carried = init;
  for (Value extent : endingEarly(b, loc, extents)) {
    nest.push_back(scf::ForOp::create(b, loc, at().constant(0), extent,
                                      at().constant(1), carried));
    carried = nest.back().getRegionIterArgs();
    indices.push_back(nest.back().getInductionVar());
    b.setInsertionPointToStart(nest.back().getBody());
  }
  SmallVector<Value> results = body(indices, carried);
  if (llvm::any_of(results, [](Value value) { return !value; })) {
    fail();
    results.assign(carried.begin(), carried.end());
  }
  for (scf::ForOp loop : llvm::reverse(nest)) {
    b.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(b, loc, results);
    results.assign(loop.getResults().begin(), loop.getResults().end());
  }
  memo = std::move(outer);
  return results;
}

Value ElementEmitter::emitReduce(ReduceOp op, ArrayRef<LaneIndex> indices) {
  Location loc = kernel.loc();
  Type element = tensorType(op.getResult()).getElementType(),
       sum = sumType(element);
  SmallVector<Value> extents;
  for (int64_t dim : op.getDims())
    extents.push_back(extent(op.getOperand(), dim));
  Value init = emitIdentity(b, loc, op.getKind(), sum, laneType(sum));
  auto combined = [&](Value x, Value y) -> SmallVector<Value> {
    return {y ? emitCombine(b, loc, op.getKind(), sum, x, y) : Value()};
  };
  auto elementOf = [&](ArrayRef<Value> ivs) -> Value {
    SmallVector<LaneIndex> place;
    size_t nextOuter = 0, nextInner = 0;
    for (int64_t dim = 0; dim < tensorType(op.getOperand()).getRank(); ++dim)
      place.push_back(llvm::is_contained(op.getDims(), dim)
                          ? LaneIndex{ivs[nextInner++], 0}
                          : indices[nextOuter++]);
    Value value = emit(op.getOperand(), place);
    return value ? emitConvert(b, loc, value, element, sum) : value;
  };
  SmallVector<Value> result;
  if (isOrdered(op.getKind(), sum) && !extents.empty()) {
    Value width = extents.pop_back_val(), block = at().constant(sumBlock);
    extents.push_back(at().ceilDiv(width, sumBlock));
    result = loops(extents, init, [&](ArrayRef<Value> ivs, ValueRange carried) {
      SmallVector<Value> place(ivs);
      Value low = at().mul(place.pop_back_val(), block),
            count = at().min(block, at().sub(width, low));
      place.push_back({});
      Value part =
          loops(count, init, [&](ArrayRef<Value> inner, ValueRange sums) {
            place.back() = at().add(low, inner.front());
            return combined(sums[0], elementOf(place));
          })[0];
      return combined(carried[0], part);
    });
  } else {
    result = loops(extents, init, [&](ArrayRef<Value> ivs, ValueRange carried) {
      return combined(carried[0], elementOf(ivs));
    });
  }
  return hasFailed ? Value() : emitConvert(b, loc, result[0], sum, element);
}

Value ElementEmitter::beats(ReduceKind kind, bool last, Type tenonElement,
                            Value candidate, Value best) {
  Location loc = kernel.loc();
  bool greater = kind == ReduceKind::Maximum;
  if (isa<FloatType>(tenonElement)) {
    Type wide = sumType(tenonElement);
    candidate = emitConvert(b, loc, candidate, tenonElement, wide);
    best = emitConvert(b, loc, best, tenonElement, wide);
    auto predicate =
        greater
            ? (last ? arith::CmpFPredicate::OGE : arith::CmpFPredicate::OGT)
            : (last ? arith::CmpFPredicate::OLE : arith::CmpFPredicate::OLT);
    Value wins = arith::CmpFOp::create(b, loc, predicate, candidate, best);
    Value candidateNan = arith::CmpFOp::create(
        b, loc, arith::CmpFPredicate::UNO, candidate, candidate);
    Value bestNan =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, best, best);
    Value truth =
        arith::ConstantOp::create(b, loc, b.getOneAttr(wins.getType()));
    Value nanWins = last ? candidateNan
                         : Value(arith::AndIOp::create(
                               b, loc, candidateNan,
                               arith::XOrIOp::create(b, loc, bestNan, truth)));
    return arith::OrIOp::create(b, loc, wins, nanWins);
  }
  bool isUnsigned =
      tenonElement.isUnsignedInteger() || tenonElement.isInteger(1);
  arith::CmpIPredicate predicate;
  if (greater)
    predicate =
        isUnsigned
            ? (last ? arith::CmpIPredicate::uge : arith::CmpIPredicate::ugt)
            : (last ? arith::CmpIPredicate::sge : arith::CmpIPredicate::sgt);
  else
    predicate =
        isUnsigned
            ? (last ? arith::CmpIPredicate::ule : arith::CmpIPredicate::ult)
            : (last ? arith::CmpIPredicate::sle : arith::CmpIPredicate::slt);
  return arith::CmpIOp::create(b, loc, predicate, candidate, best);
}

/// Converts an index to i64.
static Value asInteger(OpBuilder &b, Location loc, Value index) {
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
}

Value ElementEmitter::emitArgReduce(ArgReduceOp op,
                                    ArrayRef<LaneIndex> indices) {
  Location loc = kernel.loc();
  int64_t dim = op.getDim();
  Type element = tensorType(op.getOperand()).getElementType();
  auto placeOf = [&](Value iv) {
    SmallVector<LaneIndex> place(indices);
    place.insert(place.begin() + dim, LaneIndex{iv, 0});
    return place;
  };
  Value best = emitIdentity(b, loc, op.getKind(), element, laneType(element));
  Value first = broadcastToLanes(arith::ConstantIntOp::create(b, loc, -1, 64));
  SmallVector<Value> result = loops(
      extent(op.getOperand(), dim), {best, first},
      [&](ArrayRef<Value> ivs, ValueRange carried) -> SmallVector<Value> {
        Value candidate = emit(op.getOperand(), placeOf(ivs[0]));
        if (!candidate)
          return {Value(), Value()};
        Value wins =
            beats(op.getKind(), op.getLast(), element, candidate, carried[0]);
        // The first element always wins, because the initial value is no
        // element.
        Value none = arith::CmpIOp::create(
            b, loc, arith::CmpIPredicate::slt, carried[1],
            broadcastToLanes(arith::ConstantIntOp::create(b, loc, 0, 64)));
        wins = arith::OrIOp::create(b, loc, wins, none);
        Value number = broadcastToLanes(asInteger(b, loc, ivs[0]));
        return {arith::SelectOp::create(b, loc, wins, candidate, carried[0]),
                arith::SelectOp::create(b, loc, wins, number, carried[1])};
      });
  if (hasFailed)
    return {};
  Value found = arith::MaxSIOp::create(
      b, loc, result[1],
      broadcastToLanes(arith::ConstantIntOp::create(b, loc, 0, 64)));
  return emitConvert(b, loc, found, b.getI64Type(),
                     op.getType().getElementType());
}

namespace {
/// The operand indices of a window element, with an i1 that is true inside the
/// operand.
struct WindowPlace {
  SmallVector<LaneIndex> indices;
  Value inside; ///< null: always inside
};
} // namespace

/// The operand indices of the window element `offsets` for the result at
/// `indices`. Null if the window has more than one position along a vectorized
/// dimension.
template <typename Op>
static std::optional<WindowPlace>
windowPlace(Op op, ArrayRef<LaneIndex> indices, ArrayRef<Value> offsets,
            bool vectorized, OpBuilder &b, Location loc,
            llvm::function_ref<Value(int64_t)> extent) {
  IndexBuilder at{b, loc};
  WindowPlace place;
  for (auto [i, index] : llvm::enumerate(indices)) {
    int64_t window = op.getWindow()[i], stride = op.getStrides()[i],
            dilation = op.getDilations()[i];
    int64_t low = op.getPadding()[2 * i], high = op.getPadding()[2 * i + 1];
    if (window == 1 && stride == 1 && low == 0 && high == 0) {
      place.indices.push_back(index);
      continue;
    }
    if (index.stride != 0 && vectorized)
      return std::nullopt;
    Value position = at.add(
        at.mul(index.base, at.constant(stride)),
        at.sub(at.mul(offsets[i], at.constant(dilation)), at.constant(low)));
    if (low > 0 || high > 0) {
      // One unsigned comparison checks both bounds.
      Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                           position, extent(i));
      place.inside =
          place.inside
              ? Value(arith::AndIOp::create(b, loc, place.inside, inside))
              : inside;
    }
    place.indices.push_back({position, 0});
  }
  return place;
}

Value ElementEmitter::emitReduceWindow(ReduceWindowOp op,
                                       ArrayRef<LaneIndex> indices) {
  Location loc = kernel.loc();
  Type element = op.getType().getElementType(), sum = sumType(element);
  SmallVector<Value> extents;
  for (int64_t window : op.getWindow())
    extents.push_back(at().constant(window));
  Value init = emitIdentity(b, loc, op.getKind(), sum, laneType(sum));
  SmallVector<Value> result = loops(
      extents, init,
      [&](ArrayRef<Value> ivs, ValueRange carried) -> SmallVector<Value> {
        auto place =
            windowPlace(op, indices, ivs, lanes != 1, b, loc, [&](int64_t dim) {
              return extent(op.getOperand(), dim);
            });
        if (!place)
          return {Value()};
        auto combined = [&]() -> Value {
          Value value = emit(op.getOperand(), place->indices);
          return value ? emitCombine(b, loc, op.getKind(), sum, carried[0],
                                     emitConvert(b, loc, value, element, sum))
                       : Value();
        };
        return {place->inside ? guarded(place->inside, carried[0], combined)
                              : combined()};
      });
  return hasFailed ? Value() : emitConvert(b, loc, result[0], sum, element);
}

Value ElementEmitter::emitArgReduceWindow(ArgReduceWindowOp op,
                                          ArrayRef<LaneIndex> indices) {
  // Each step carries two values. Only scalar code is emitted, because max
  // pooling with indices is rare.
  if (lanes != 1)
    return fail();
  Location loc = kernel.loc();
  Type element = tensorType(op.getOperand()).getElementType();
  SmallVector<Value> extents;
  for (int64_t window : op.getWindow())
    extents.push_back(at().constant(window));
  Value best = emitIdentity(b, loc, op.getKind(), element, laneType(element));
  Value first = arith::ConstantIntOp::create(b, loc, -1, 64);
  SmallVector<Value> result = loops(
      extents, {best, first},
      [&](ArrayRef<Value> ivs, ValueRange carried) -> SmallVector<Value> {
        auto place =
            windowPlace(op, indices, ivs, false, b, loc, [&](int64_t dim) {
              return extent(op.getOperand(), dim);
            });
        Value truth = arith::ConstantIntOp::create(b, loc, 1, 1);
        auto branch =
            scf::IfOp::create(b, loc, TypeRange(carried),
                              place->inside ? place->inside : truth, true);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(&branch.getThenRegion().front());
        auto outer = memo;
        Value candidate = emit(op.getOperand(), place->indices);
        memo = std::move(outer);
        if (!candidate)
          return {Value(), Value()};
        Value linear = at().constant(0);
        for (auto [i, index] : llvm::enumerate(place->indices))
          linear = at().add(at().mul(linear, extent(op.getOperand(), i)),
                            index.base);
        Value none =
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, carried[1],
                                  arith::ConstantIntOp::create(b, loc, 0, 64));
        Value wins = arith::OrIOp::create(
            b, loc, none,
            beats(op.getKind(), false, element, candidate, carried[0]));
        SmallVector<Value> chosen = {
            arith::SelectOp::create(b, loc, wins, candidate, carried[0]),
            arith::SelectOp::create(b, loc, wins, asInteger(b, loc, linear),
                                    carried[1])};
        scf::YieldOp::create(b, loc, chosen);
        b.setInsertionPointToStart(&branch.getElseRegion().front());
        scf::YieldOp::create(b, loc, carried);
        return SmallVector<Value>(branch.getResults());
      });
  if (hasFailed)
    return {};
  Value found = arith::MaxSIOp::create(
      b, loc, result[1], arith::ConstantIntOp::create(b, loc, 0, 64));
  return emitConvert(b, loc, found, b.getI64Type(),
                     op.getType().getElementType());
}

Value ElementEmitter::factor(Value x, Value operand, Products products,
                             Type sum) {
  Type element = tensorType(operand).getElementType(), bf16 = b.getBF16Type();
  if (products == Products::Pairs) {
    x = emitConvert(b, kernel.loc(), x, element, bf16);
    element = bf16;
  }
  return emitConvert(b, kernel.loc(), x, element, sum);
}

Value ElementEmitter::emitDot(DotGeneralOp op, ArrayRef<LaneIndex> indices) {
  Location loc = kernel.loc();
  Type element = op.getType().getElementType(), sum = sumType(element);
  SmallVector<int64_t> lhsFree = op.getLhsFree(), rhsFree = op.getRhsFree();
  SmallVector<Value> extents;
  for (int64_t dim : op.getLhsContract())
    extents.push_back(extent(op.getLhs(), dim));
  Value init = emitIdentity(b, loc, ReduceKind::Add, sum, laneType(sum));
  SmallVector<Value> result =
      loops(extents, init,
            [&](ArrayRef<Value> ivs, ValueRange carried) -> SmallVector<Value> {
              SmallVector<LaneIndex> lhs(tensorType(op.getLhs()).getRank()),
                  rhs(tensorType(op.getRhs()).getRank());
              size_t next = 0;
              for (auto [l, r] : llvm::zip(op.getLhsBatch(), op.getRhsBatch()))
                lhs[l] = rhs[r] = indices[next++];
              for (int64_t dim : lhsFree)
                lhs[dim] = indices[next++];
              for (int64_t dim : rhsFree)
                rhs[dim] = indices[next++];
              for (auto [l, r, iv] :
                   llvm::zip(op.getLhsContract(), op.getRhsContract(), ivs))
                lhs[l] = rhs[r] = {iv, 0};
              Value x = emit(op.getLhs(), lhs), y = emit(op.getRhs(), rhs);
              if (!x || !y)
                return {Value()};
              x = factor(x, op.getLhs(), op.getProducts(), sum);
              y = factor(y, op.getRhs(), op.getProducts(), sum);
              return {emitMultiplyAdd(b, loc, x, y, carried[0])};
            });
  return hasFailed ? Value() : emitConvert(b, loc, result[0], sum, element);
}

Value ElementEmitter::emitConvolution(ConvolutionOp op,
                                      ArrayRef<LaneIndex> indices) {
  Location loc = kernel.loc();
  Type element = op.getType().getElementType(), sum = sumType(element);
  int64_t spatial = op.getStrides().size();
  // Lanes may lie only along output channels. With groups, each group must have
  // one input channel: a depthwise convolution.
  const LaneIndex &output = indices.back();
  bool depthwise = tensorType(op.getRhs()).getDimSize(spatial) == 1 &&
                   tensorType(op.getRhs()).getDimSize(spatial + 1) ==
                       int64_t(op.getGroups());
  for (const LaneIndex &index : indices.drop_back())
    if (index.stride != 0 && lanes != 1)
      return fail();
  if (lanes != 1 && op.getGroups() != 1 && !depthwise)
    return fail();
  SmallVector<Value> extents;
  for (int64_t i = 0; i <= spatial; ++i)
    extents.push_back(extent(op.getRhs(), i));
  Value init = emitIdentity(b, loc, ReduceKind::Add, sum, laneType(sum));
  SmallVector<Value> result = loops(
      extents, init,
      [&](ArrayRef<Value> ivs, ValueRange carried) -> SmallVector<Value> {
        SmallVector<LaneIndex> lhs = {indices[0]}, rhs;
        Value inside;
        for (int64_t i = 0; i < spatial; ++i) {
          Value position = at().add(
              at().mul(indices[i + 1].base, at().constant(op.getStrides()[i])),
              at().sub(at().mul(ivs[i], at().constant(op.getRhsDilation()[i])),
                       at().constant(op.getPadding()[2 * i])));
          Value fits;
          if (int64_t dilation = op.getLhsDilation()[i]; dilation != 1) {
            Value notBefore = arith::CmpIOp::create(
                b, loc, arith::CmpIPredicate::sge, position, at().constant(0));
            Value onElement = arith::CmpIOp::create(
                b, loc, arith::CmpIPredicate::eq,
                at().remainder(position, at().constant(dilation)),
                at().constant(0));
            position = at().floorDiv(position, at().constant(dilation));
            fits = arith::AndIOp::create(b, loc, notBefore, onElement);
          }
          Value within =
              arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, position,
                                    extent(op.getLhs(), i + 1));
          fits = fits ? Value(arith::AndIOp::create(b, loc, fits, within))
                      : within;
          inside = inside ? Value(arith::AndIOp::create(b, loc, inside, fits))
                          : fits;
          lhs.push_back({position, 0});
          rhs.push_back({ivs[i], 0});
        }
        LaneIndex feature{ivs.back(), 0};
        if (depthwise) {
          feature = output;
        } else if (op.getGroups() != 1) {
          Value perGroup = at().floorDiv(extent(op.getRhs(), spatial + 1),
                                         at().constant(op.getGroups()));
          feature.base = at().add(at().mul(at().floorDiv(output.base, perGroup),
                                           extent(op.getRhs(), spatial)),
                                  ivs.back());
        }
        lhs.push_back(feature);
        rhs.push_back({ivs.back(), 0});
        rhs.push_back(output);
        return {guarded(inside, carried[0], [&]() -> Value {
          Value x = emit(op.getLhs(), lhs), y = emit(op.getRhs(), rhs);
          if (!x || !y)
            return {};
          x = factor(x, op.getLhs(), op.getProducts(), sum);
          y = factor(y, op.getRhs(), op.getProducts(), sum);
          return emitMultiplyAdd(b, loc, x, y, carried[0]);
        })};
      });
  return hasFailed ? Value() : emitConvert(b, loc, result[0], sum, element);
}

} // namespace tenon
