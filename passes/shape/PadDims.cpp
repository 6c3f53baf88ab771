// Pads inputs along a named dimension to a multiple and slices the outputs, so
// that the graph between has only multiples. Results outside the padding must
// not change. An op passes the padding on if each result element depends only
// on elements at its own position along the dimension. An op that combines
// elements along the dimension gets a mask with its identity. Any other op is
// refused. The caller does not see the padding.
#include "passes/shape/Passes.h"

#include "passes/shape/PaddingMask.h"

#include "dialects/tenon/Annotations.h"
#include "dialects/tenon/SizeForms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_PADDIMS
#include "passes/shape/Passes.h.inc"

namespace {
using Dims = llvm::SmallSetVector<int64_t, 4>;

int64_t rankOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank();
}

/// Pads one dimension of one function.
class Padder {
public:
  Padder(func::FuncOp func, StringAttr name, int64_t multiple)
      : func(func), name(name), multiple(multiple), builder(func), forms(func) {
  }

  LogicalResult run() {
    SmallVector<std::pair<BlockArgument, Dims>> arguments = findArguments();
    if (arguments.empty())
      return success();
    Operation *last = padArguments(arguments);
    SmallVector<Operation *> ops;
    while ((last = last->getNextNode()))
      ops.push_back(last);
    for (Operation *op : ops)
      if (failed(visit(op)))
        return failure();
    return success();
  }

private:
  SmallVector<std::pair<BlockArgument, Dims>> findArguments() {
    SmallVector<std::pair<BlockArgument, Dims>> arguments;
    for (BlockArgument argument : func.getArguments()) {
      DimsAttr dims = annotation::dims.of(func, argument.getArgNumber());
      Dims named;
      for (int64_t d = 0; dims && d < int64_t(dims.size()); ++d)
        if (dims.nameOf(d) == name &&
            cast<ShapedType>(argument.getType()).isDynamicDim(d))
          named.insert(d);
      if (!named.empty())
        arguments.emplace_back(argument, named);
    }
    return arguments;
  }

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, func.getLoc(), value);
  }

  /// Pads the arguments; from here on their extents are the padded one. Returns
  /// the last op it made.
  Operation *padArguments(ArrayRef<std::pair<BlockArgument, Dims>> arguments) {
    builder.setInsertionPointToStart(&func.getBody().front());
    auto &[first, named] = arguments.front();
    Location loc = func.getLoc();
    // Existing reads of this extent get the padded one.
    SmallVector<Operation *> asked;
    for (auto &[argument, dims] : arguments)
      for (Operation *user : argument.getUsers())
        if (auto dim = dyn_cast<tensor::DimOp>(user);
            dim && dim.getConstantIndex() &&
            dims.contains(*dim.getConstantIndex()))
          asked.push_back(dim);
    size = tensor::DimOp::create(builder, loc, first, named.front());
    Value pieces =
        arith::CeilDivUIOp::create(builder, loc, size, index(multiple));
    padded = arith::MulIOp::create(builder, loc, pieces, index(multiple));
    Value more = arith::SubIOp::create(builder, loc, padded, size);
    for (Operation *dim : asked) {
      dim->getResult(0).replaceAllUsesWith(padded);
      dim->erase();
    }
    Operation *last = nullptr;
    for (auto &[argument, dims] : arguments) {
      auto type = cast<RankedTensorType>(argument.getType());
      SmallVector<int64_t> none(type.getRank(), 0), high(none);
      SmallVector<Value> highs;
      for (int64_t d = 0; d < type.getRank(); ++d)
        if (dims.contains(d)) {
          high[d] = ShapedType::kDynamic;
          highs.push_back(more);
        }
      auto pad =
          PadOp::create(builder, argument.getLoc(), type, argument,
                        scalarConstant(builder, loc, type.getElementType(), 0),
                        ValueRange(), highs, none, high, none);
      llvm::SmallPtrSet<Operation *, 2> own = {pad, size.getDefiningOp()};
      Value whole = argument;
      whole.replaceAllUsesExcept(pad.getResult(), own);
      marks[pad.getResult()] = dims;
      last = pad;
    }
    return last;
  }

  //===-- Masks -----------------------------------------------------------===//

  Value extentOf(Value value, int64_t dim) {
    if (marks.lookup(value).contains(dim))
      return padded;
    return tensor::DimOp::create(builder, func.getLoc(), value, dim);
  }

  /// Masks an operand along each padded dimension in `dims`.
  void maskOperand(OpOperand &operand, ArrayRef<int64_t> dims,
                   double identity) {
    SmallVector<int64_t> hit;
    for (int64_t d : dims)
      if (marks.lookup(operand.get()).contains(d))
        hit.push_back(d);
    if (hit.empty())
      return;
    Value value = operand.get();
    Dims before = marks.lookup(value);
    builder.setInsertionPoint(operand.getOwner());
    SmallVector<Value> sizes;
    auto type = cast<RankedTensorType>(value.getType());
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.isDynamicDim(d))
        sizes.push_back(extentOf(value, d));
    operand.set(maskPadding(builder, operand.getOwner()->getLoc(), value, hit,
                            size, sizes, identity));
    marks[operand.get()] = before;
  }

  //===-- Ops -------------------------------------------------------------===//

  LogicalResult refuse(Operation *op, const Twine &why) {
    return op->emitError("unsupported: ")
           << op->getName() << " along the padded dimension '"
           << name.getValue() << "': " << why;
  }

  bool isPadded(Value value) { return !marks.lookup(value).empty(); }

  /// Marks the result dimensions whose size is the padded extent. A size
  /// computed from the padded extent is refused, because only part of it would
  /// be padding.
  LogicalResult markSizes(Operation *op, OperandRange sizes,
                          ArrayRef<int64_t> list, Dims &made) {
    size_t next = 0;
    for (auto [d, entry] : llvm::enumerate(list)) {
      if (!ShapedType::isDynamic(entry))
        continue;
      Value value = sizes[next++];
      if (value == padded)
        made.insert(d);
      else if (derived.contains(value))
        return refuse(op, "an extent is computed from its size");
    }
    return success();
  }

  LogicalResult visit(Operation *op) {
    bool isArithmetic = op->getNumResults() == 1 &&
                        op->getResult(0).getType().isIntOrIndexOrFloat();
    if (isArithmetic && isa<arith::ArithDialect>(op->getDialect())) {
      if (llvm::any_of(op->getOperands(), [&](Value operand) {
            return operand == padded || derived.contains(operand);
          }))
        derived.insert(op->getResult(0));
      return success();
    }
    if (auto dim = dyn_cast<tensor::DimOp>(op)) {
      std::optional<int64_t> number = dim.getConstantIndex();
      if (isPadded(dim.getSource()) && !number)
        return refuse(op, "which extent is asked for is not known");
      if (number && marks.lookup(dim.getSource()).contains(*number))
        dim.replaceAllUsesWith(padded);
      return success();
    }
    if (auto check = dyn_cast<CheckSizeOp>(op)) {
      bool mustEqual = check.getLow() == check.getHigh();
      if (mustEqual &&
          (check.getFound() == padded) != (check.getLow() == padded) &&
          !derived.contains(check.getFound()) &&
          !derived.contains(check.getLow()))
        return refuse(op, "it is compared with a size of its own");
      return success();
    }
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](IotaOp op) {
          Dims made;
          if (failed(markSizes(op, op.getSizes(), op.getStaticSizes(), made)))
            return failure();
          return done(op, made);
        })
        .Case([&](BroadcastInDimOp op) { return visitBroadcast(op); })
        .Case([&](ReshapeOp op) { return visitReshape(op); })
        .Case([&](SliceOp op) { return visitSlice(op); })
        .Case([&](TransposeOp op) {
          Dims made, from = marks.lookup(op.getOperand());
          for (auto [d, source] : llvm::enumerate(op.getPermutation()))
            if (from.contains(source))
              made.insert(d);
          return done(op, made);
        })
        .Case([&](ReduceOp op) { return visitReduce(op); })
        .Case<SoftmaxOp, LogSoftmaxOp>([&](auto op) {
          Dims from = marks.lookup(op.getOperand());
          maskOperand(op->getOpOperand(0), {int64_t(op.getDim())},
                      -std::numeric_limits<double>::infinity());
          return done(op, from);
        })
        .Case(
            [&](GeluOp op) { return done(op, marks.lookup(op.getOperand())); })
        .Case([&](LayerNormOp op) {
          Dims from = marks.lookup(op.getOperand());
          for (int64_t d : from)
            if (d >= int64_t(op.getAxis()))
              return refuse(op, "its statistics would count the padding");
          return done(op, from);
        })
        .Case([&](DotGeneralOp op) { return visitDot(op); })
        .Case([&](GatherOp op) { return visitGather(op); })
        .Case([&](ConcatenateOp op) { return visitAlike(op, op.getDim()); })
        .Case([&](CheckRangeOp op) {
          // Zero is the padding of an input, and is in most ranges.
          Dims from = marks.lookup(op.getOperand());
          maskOperand(op->getOpOperand(0), from.getArrayRef(), 0);
          return visitAlike(op);
        })
        .Case([&](tensor::CastOp op) {
          Dims from = marks.lookup(op.getSource());
          for (int64_t d : from)
            if (!cast<RankedTensorType>(op.getType()).isDynamicDim(d))
              return refuse(op, "it has a size of its own");
          return done(op, from);
        })
        .Case([&](func::ReturnOp op) { return cutResults(op); })
        .Default([&](Operation *op) {
          if (op->hasTrait<Elementwise>())
            return visitAlike(op);
          return visitOther(op);
        });
  }

  /// Accepts ops that do not use the padded dimension.
  LogicalResult visitOther(Operation *op) {
    bool touches = false;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        touches |=
            isPadded(operand) || operand == padded || derived.contains(operand);
    });
    return touches ? refuse(op, "there is no mask for it") : success();
  }

  LogicalResult done(Operation *op, const Dims &made) {
    if (!made.empty())
      marks[op->getResult(0)] = made;
    return success();
  }

  /// Operands of the result's rank must be padded alike along all dimensions
  /// but `joinedDim`; the result is then padded too.
  LogicalResult visitAlike(Operation *op, int64_t joinedDim = -1) {
    Dims made;
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()) &&
          rankOf(operand) == rankOf(op->getResult(0))) {
        operands.push_back(operand);
        made.insert_range(marks.lookup(operand));
      }
    if (made.contains(joinedDim))
      return refuse(op, "padding would stand between its operands");
    for (Value operand : operands)
      if (!llvm::all_of(made, [&](int64_t d) {
            return marks.lookup(operand).contains(d);
          }))
        return refuse(op, "an operand has a size of its own");
    return done(op, made);
  }

  LogicalResult visitBroadcast(BroadcastInDimOp op) {
    Dims made, from = marks.lookup(op.getOperand());
    if (failed(markSizes(op, op.getSizes(), op.getStaticSizes(), made)))
      return failure();
    // A padded dimension keeps its extent, and no other dimension has that
    // extent.
    for (auto [d, dim] : llvm::enumerate(op.getDims()))
      if (from.contains(d) != made.contains(dim) &&
          op.getOperand().getType().getDimSize(d) != 1)
        return refuse(op, "it meets a size of its own");
    return done(op, made);
  }

  /// A slice must keep the whole padded extent. A slice of a longer table may
  /// have the padded extent as its size.
  LogicalResult visitSlice(SliceOp op) {
    Dims from = marks.lookup(op.getOperand()), made;
    if (failed(markSizes(op, op.getSizes(), op.getStaticSizes(), made)))
      return failure();
    for (OperandRange list : {op.getOffsets(), op.getStrides()})
      for (Value value : list)
        if (value == padded || derived.contains(value))
          return refuse(op, "where it begins is computed from its size");
    for (int64_t d : from)
      if (!made.contains(d) || op.getStaticOffsets()[d] != 0 ||
          op.getStaticStrides()[d] != 1)
        return refuse(op, "it takes a part of the extent");
    return done(op, made);
  }

  /// The padded extent must stay a dimension, with equally many elements before
  /// it.
  LogicalResult visitReshape(ReshapeOp op) {
    Dims from = marks.lookup(op.getOperand()), made;
    if (failed(markSizes(op, op.getSizes(), op.getStaticSizes(), made)))
      return failure();
    if (from.empty() && made.empty())
      return success();
    if (from.size() != 1 || made.size() != 1)
      return refuse(op, "it does not keep the extent");
    OpBuilder at(op);
    SizeForm before = SizeForms::number(1), after = before;
    for (int64_t d = 0; d < from.front(); ++d)
      before = before * forms.of(op.getOperand(), d);
    SmallVector<OpFoldResult> sizes =
        getMixedValues(op.getStaticSizes(), op.getSizes(), at);
    for (OpFoldResult size : ArrayRef(sizes).take_front(made.front()))
      after = after * forms.of(size);
    if (before != after)
      return refuse(op, "it does not keep the extent");
    return done(op, made);
  }

  LogicalResult visitReduce(ReduceOp op) {
    Dims from = marks.lookup(op.getOperand()), made;
    bool combines =
        llvm::any_of(op.getDims(), [&](int64_t d) { return from.contains(d); });
    std::optional<double> identity =
        identityOf(op.getKind(), op.getType().getElementType());
    if (combines && !identity)
      return refuse(op, "there is no mask for it");
    if (combines)
      maskOperand(op->getOpOperand(0), op.getDims(), *identity);
    int64_t kept = 0;
    for (int64_t d = 0; d < rankOf(op.getOperand()); ++d)
      if (!llvm::is_contained(op.getDims(), d)) {
        if (from.contains(d))
          made.insert(kept);
        ++kept;
      }
    return done(op, made);
  }

  /// Masks both operands: zero times NaN would be NaN.
  LogicalResult visitDot(DotGeneralOp op) {
    Dims lhs = marks.lookup(op.getLhs()), rhs = marks.lookup(op.getRhs()), made;
    for (auto [l, r] : llvm::zip(op.getLhsContract(), op.getRhsContract()))
      if (lhs.contains(l) != rhs.contains(r))
        return refuse(op, "its operands are not padded alike");
    maskOperand(op->getOpOperand(0), op.getLhsContract(), 0);
    maskOperand(op->getOpOperand(1), op.getRhsContract(), 0);
    int64_t place = 0;
    for (auto [l, r] : llvm::zip(op.getLhsBatch(), op.getRhsBatch())) {
      if (lhs.contains(l) != rhs.contains(r))
        return refuse(op, "its operands are not padded alike");
      if (lhs.contains(l))
        made.insert(place);
      ++place;
    }
    for (int64_t d : op.getLhsFree()) {
      if (lhs.contains(d))
        made.insert(place);
      ++place;
    }
    for (int64_t d : op.getRhsFree()) {
      if (rhs.contains(d))
        made.insert(place);
      ++place;
    }
    return done(op, made);
  }

  /// Lookups of single rows: an index in the padding is in range, or is
  /// clamped.
  LogicalResult visitGather(GatherOp op) {
    if (isPadded(op.getOperand()))
      return refuse(op, "what is read has padding");
    Dims from = marks.lookup(op.getIndices()), made;
    if (from.contains(op.getIndexVectorDim()) ||
        !op.getIndicesBatchingDims().empty())
      return from.empty() ? success() : refuse(op, "there is no mask for it");
    int64_t source = 0;
    for (int64_t d = 0; d < rankOf(op.getResult()); ++d) {
      if (llvm::is_contained(op.getOffsetDims(), d))
        continue;
      source += source == int64_t(op.getIndexVectorDim());
      if (from.contains(source++))
        made.insert(d);
    }
    return done(op, made);
  }

  LogicalResult cutResults(func::ReturnOp op) {
    builder.setInsertionPoint(op);
    for (OpOperand &operand : op->getOpOperands()) {
      Dims dims = marks.lookup(operand.get());
      if (dims.empty())
        continue;
      Value value = operand.get();
      auto type = cast<RankedTensorType>(value.getType());
      SmallVector<int64_t> zeros(type.getRank(), 0), ones(type.getRank(), 1);
      SmallVector<Value> sizes;
      for (int64_t d = 0; d < type.getRank(); ++d)
        if (type.isDynamicDim(d))
          sizes.push_back(dims.contains(d) ? size : extentOf(value, d));
      operand.set(SliceOp::create(builder, op.getLoc(), type, value,
                                  ValueRange(), sizes, ValueRange(), zeros,
                                  type.getShape(), ones));
    }
    return success();
  }

  func::FuncOp func;
  StringAttr name;
  int64_t multiple;
  OpBuilder builder;
  SizeForms forms;
  Value size, padded;                ///< the true extent, and the padded one
  llvm::DenseSet<Value> derived;     ///< index arithmetic on the padded extent
  llvm::DenseMap<Value, Dims> marks; ///< padded dimensions of each tensor
};

struct PadDims : impl::PadDimsBase<PadDims> {
  void runOnOperation() override {
    DimSizesAttr asked = annotation::pad.of(getOperation());
    if (!asked)
      return;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func.isPrivate() && !func.isExternal())
        for (auto [name, multiple] : asked.entries())
          if (failed(Padder(func, name, multiple).run()))
            return signalPassFailure();
    annotation::pad.removeFrom(getOperation());
  }
};
} // namespace
} // namespace tenon
