// Emits a check before each op that assumes a property of dynamic extents: that
// extents agree, that a box lies within them, that the number of elements stays
// equal. Properties that the size forms prove are not checked. Afterwards no
// kernel can run with sizes it was not made for.
#include "passes/graph/Passes.h"

#include "dialects/tenon/SizeForms.h"
#include "dialects/tenon/State.h"
#include "dialects/tenon/TraceSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_CHECKSIZES
#include "passes/graph/Passes.h.inc"

namespace {
/// The name of the op's place: `node "x" (Add)`, or the op's own name.
std::string placeOf(Operation *op) {
  auto name = op->getLoc()->findInstanceOf<NameLoc>();
  if (!name || name.getName().empty())
    return op->getName().getStringRef().str();
  std::string text = "node \"" + name.getName().str() + "\"";
  auto fused = op->getLoc()->findInstanceOf<FusedLoc>();
  if (auto kind = fused ? dyn_cast_if_present<StringAttr>(fused.getMetadata())
                        : StringAttr())
    text += " (" + kind.str() + ")";
  return text;
}

/// A size with its polynomial form and its description for messages.
struct Size {
  OpFoldResult value; ///< null: extent `dim` of `tensor`, built when needed
  Value tensor;
  int64_t dim;
  SizeForm form;
  std::string words;
};

class Checker {
public:
  Checker(SizeForms &forms, Operation *op)
      : forms(forms), op(op), builder(op), loc(op->getLoc()) {}

  /// Extent `dim` of operand `number`.
  Size operand(unsigned number, int64_t dim) {
    return extent(op->getOperand(number), dim,
                  "operand " + std::to_string(number + 1));
  }
  Size result(int64_t dim) {
    return extent(op->getResult(0), dim, "the result");
  }
  Size extent(Value tensor, int64_t dim, const std::string &whose) {
    SizeForm form = forms.of(tensor, dim);
    std::string words = forms.describe(form);
    if (words.empty())
      words = "extent " + std::to_string(dim) + " of " + whose;
    return {{}, tensor, dim, form, words};
  }
  Size given(OpFoldResult value, std::string words) {
    SizeForm form = forms.of(value);
    std::string origin = forms.describe(form);
    return {value, {}, 0, form, origin.empty() ? words : origin};
  }
  Size number(int64_t value) {
    return {builder.getIndexAttr(value),
            {},
            0,
            SizeForms::number(value),
            std::to_string(value)};
  }

  void equal(const Size &found, const Size &expected) {
    if (found.form == expected.form)
      return;
    Value size = valueOf(expected);
    check(valueOf(found), size, size,
          found.words + " must be " + wordsFor(expected));
  }

  /// Checks an extent that is broadcast: it must be one or equal the result's.
  void oneOrEqual(const Size &found, const Size &expected) {
    if (SizeForms::constant(found.form) == 1 || found.form == expected.form ||
        isUnlessOne(expected, found))
      return;
    Value given = valueOf(found);
    Value isOne = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        given, index(1));
    Value wanted =
        arith::SelectOp::create(builder, loc, isOne, given, valueOf(expected));
    check(given, wanted, wanted,
          found.words + " must be one or " + wordsFor(expected));
  }

  void notNegative(const Size &found) {
    if (!forms.isNonNegative(found.form))
      check(valueOf(found), index(0), index(INT64_MAX),
            found.words + " must not be negative");
  }

  void atMost(const Size &found, const Size &limit) {
    if (!forms.isNonNegative(limit.form - found.form))
      check(valueOf(found), index(INT64_MIN), valueOf(limit),
            found.words + " must not be above " + wordsFor(limit));
  }

  /// Checks that both lists of sizes have equal products.
  void sameCount(ArrayRef<Size> from, ArrayRef<Size> to) {
    auto formOf = [](ArrayRef<Size> sizes) {
      SizeForm product = SizeForms::number(1);
      for (const Size &size : sizes)
        product = product * size.form;
      return product;
    };
    if (formOf(from) == formOf(to))
      return;
    Value wanted = product(from);
    check(product(to), wanted, wanted, "the number of elements must stay");
  }

  /// Checks a strided box: each element from `offset` on must be below `limit`,
  /// unless the box is empty.
  void box(int64_t dim, const Size &offset, const Size &size,
           const Size &stride, const Size &limit) {
    notNegative(size);
    SizeForm last =
        offset.form + (size.form - SizeForms::number(1)) * stride.form;
    bool forward = forms.isNonNegative(stride.form);
    if (forward && forms.isNonNegative(offset.form) &&
        forms.isNonNegative(limit.form - SizeForms::number(1) - last))
      return;
    Value none = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       valueOf(size), index(0));
    Value high = choose(none, index(0), plus(valueOf(limit), index(-1)));
    Value steps = arith::MulIOp::create(
        builder, loc, plus(valueOf(size), index(-1)), valueOf(stride));
    Value first = choose(none, index(0), valueOf(offset));
    std::string along =
        " element along extent " + std::to_string(dim) + " must be within it";
    check(first, index(0), high, "the first" + along);
    check(choose(none, index(0), plus(valueOf(offset), steps)), index(0), high,
          "the last" + along);
  }

  /// Checks that `size` is at most `limit`, unless there are no slices.
  void fits(const Size &size, const Size &limit, Value slices) {
    if (forms.isNonNegative(limit.form - size.form))
      return;
    Value none = nullptr;
    for (int64_t d = 0, rank = cast<ShapedType>(slices.getType()).getRank();
         d < rank; ++d) {
      Value empty =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                valueOf(extent(slices, d, "")), index(0));
      none = none ? arith::OrIOp::create(builder, loc, none, empty).getResult()
                  : empty;
    }
    Value least = valueOf(size);
    check(valueOf(limit), none ? choose(none, index(0), least) : least,
          index(INT64_MAX), limit.words + " must hold what is read of it");
  }

  Value valueOf(const Size &size) {
    OpFoldResult value = size.value
                             ? size.value
                             : mixedSize(builder, loc, size.tensor, size.dim);
    return getValueOrCreateConstantIndexOp(builder, loc, value);
  }
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

private:
  static std::string wordsFor(const Size &size) {
    return size.words.empty() ? "as expected" : size.words;
  }
  Value plus(Value a, Value b) {
    return arith::AddIOp::create(builder, loc, a, b);
  }
  Value choose(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(builder, loc, condition, yes, no);
  }
  Value product(ArrayRef<Size> sizes) {
    Value all = index(1);
    for (const Size &size : sizes)
      all = arith::MulIOp::create(builder, loc, all, valueOf(size));
    return all;
  }

  /// True if `size` is the size of a broadcast as importers write it: if
  /// `found` is one, another size, otherwise `found`.
  bool isUnlessOne(const Size &size, const Size &found) {
    auto value = dyn_cast_if_present<Value>(size.value);
    auto select = value ? value.getDefiningOp<arith::SelectOp>() : nullptr;
    auto isOne =
        select ? select.getCondition().getDefiningOp<arith::CmpIOp>() : nullptr;
    return isOne && isOne.getPredicate() == arith::CmpIPredicate::eq &&
           getConstantIntValue(isOne.getRhs()) == 1 &&
           forms.of(OpFoldResult(isOne.getLhs())) == found.form &&
           forms.of(OpFoldResult(select.getFalseValue())) == found.form;
  }

  void check(Value found, Value low, Value high, const std::string &rule) {
    CheckSizeOp::create(builder, loc, found, low, high,
                        builder.getStringAttr(placeOf(op) + ": " + rule));
  }

  SizeForms &forms;
  Operation *op;
  OpBuilder builder;
  Location loc;
};

struct CheckSizes : impl::CheckSizesBase<CheckSizes> {
  void runOnOperation() override {
    emitChecks();
    if (failed(traceSizes(getOperation())))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }

  void emitChecks() {
    SizeForms forms(getOperation());
    SmallVector<Operation *> ops;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<FusionOp>(op))
        return WalkResult::skip();
      ops.push_back(op);
      return WalkResult::advance();
    });
    for (Operation *op : ops)
      checkOp(forms, op);
  }

  static int64_t rankOf(Value value) {
    return cast<RankedTensorType>(value.getType()).getRank();
  }

  void checkOp(SizeForms &forms, Operation *op) {
    Checker c(forms, op);
    if (op->hasTrait<Elementwise>())
      return checkElementwise(c, op);
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](BroadcastInDimOp op) { checkBroadcast(c, op); })
        .Case([&](IotaOp op) { checkSizesGiven(c, op); })
        .Case([&](ReshapeOp op) { checkReshape(c, op); })
        .Case([&](SliceOp op) { checkSlice(c, op); })
        .Case([&](PadOp op) { checkPad(c, op); })
        .Case([&](ConcatenateOp op) { checkConcatenate(c, op); })
        .Case([&](DotGeneralOp op) { checkDot(c, op); })
        .Case([&](ConvolutionOp op) { checkConvolution(c, op); })
        .Case([&](GatherOp op) { checkGather(c, op); })
        .Case([&](ScatterOp op) { checkScatter(c, op); })
        .Case([&](DynamicUpdateSliceOp op) {
          for (int64_t d = 0; d < rankOf(op.getOperand()); ++d)
            c.atMost(c.operand(1, d), c.operand(0, d));
        })
        .Case([&](StateWriteOp op) {
          OpBuilder builder(op);
          for (int64_t d = 0; d < rankOf(op.getValue()); ++d)
            c.equal(c.operand(0, d),
                    c.given(stateExtent(builder, op, op.getStateAttr(), d),
                            "that of the state"));
        })
        .Case([&](NonMaxSuppressionOp op) { checkSuppression(c, op); })
        .Case([&](AttentionOp op) { checkAttention(c, op); })
        .Case([&](LayerNormOp op) {
          for (int64_t d = op.getAxis(); d < rankOf(op.getOperand()); ++d)
            for (unsigned i : {1, 2})
              c.equal(c.operand(i, d - op.getAxis()), c.operand(0, d));
        })
        .Case([&](BatchNormOp op) {
          for (unsigned i : {1, 2, 3, 4})
            c.equal(c.operand(i, 0), c.operand(0, op.getDim()));
        })
        .Case([&](tensor::CastOp op) {
          if (isa<RankedTensorType>(op.getSource().getType()))
            for (int64_t d = 0; d < rankOf(op.getSource()); ++d)
              if (!cast<RankedTensorType>(op.getType()).isDynamicDim(d))
                c.equal(c.operand(0, d), c.result(d));
        })
        .Case([&](tensor::ExtractOp op) {
          for (auto [d, at] : llvm::enumerate(op.getIndices()))
            c.box(d, c.given(at, "the index"), c.number(1), c.number(1),
                  c.operand(0, d));
        })
        .Case([&](scf::ForOp loop) {
          checkCarried(forms, loop.getBody()->getTerminator(), 0,
                       loop.getInitArgs());
        })
        .Case([&](scf::WhileOp loop) {
          checkCarried(forms, loop.getYieldOp(), 0, loop.getInits());
        });
  }

  static void checkElementwise(Checker &c, Operation *op) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    for (int64_t d = 0; d < type.getRank(); ++d) {
      Size joined = type.isDynamicDim(d) ? c.operand(0, d) : c.result(d);
      for (unsigned i = 0; i < op->getNumOperands(); ++i)
        c.equal(c.operand(i, d), joined);
    }
  }

  template <typename Op> static SmallVector<Size> sizesOf(Checker &c, Op op) {
    OpBuilder builder(op);
    SmallVector<Size> sizes;
    for (auto [d, size] : llvm::enumerate(
             getMixedValues(op.getStaticSizes(), op.getSizes(), builder)))
      sizes.push_back(
          c.given(size, "extent " + std::to_string(d) + " of the result"));
    return sizes;
  }

  template <typename Op>
  static SmallVector<Size> checkSizesGiven(Checker &c, Op op) {
    SmallVector<Size> sizes = sizesOf(c, op);
    for (const Size &size : sizes)
      c.notNegative(size);
    return sizes;
  }

  static void checkBroadcast(Checker &c, BroadcastInDimOp op) {
    SmallVector<Size> sizes = checkSizesGiven(c, op);
    for (auto [i, dim] : llvm::enumerate(op.getDims()))
      c.oneOrEqual(c.operand(0, i), sizes[dim]);
  }

  static void checkReshape(Checker &c, ReshapeOp op) {
    SmallVector<Size> to = checkSizesGiven(c, op), from;
    for (int64_t d = 0; d < rankOf(op.getOperand()); ++d)
      from.push_back(c.operand(0, d));
    c.sameCount(from, to);
  }

  static void checkSlice(Checker &c, SliceOp op) {
    OpBuilder builder(op);
    SmallVector<Size> sizes = sizesOf(c, op);
    auto offsets =
        getMixedValues(op.getStaticOffsets(), op.getOffsets(), builder);
    auto strides =
        getMixedValues(op.getStaticStrides(), op.getStrides(), builder);
    for (auto [d, size] : llvm::enumerate(sizes))
      c.box(d, c.given(offsets[d], "the offset"), size,
            c.given(strides[d], "the stride"), c.operand(0, d));
  }

  /// Checks the result's extents as computed from the operands: they are not
  /// negative and match the result's type.
  static void checkResult(Checker &c, Operation *op) {
    OpBuilder builder(op);
    ReifiedRankedShapedTypeDims shapes;
    auto reify = cast<ReifyRankedShapedTypeOpInterface>(op);
    if (failed(reify.reifyResultShapes(builder, shapes)))
      return;
    for (auto [d, size] : llvm::enumerate(shapes[0])) {
      Size made =
          c.given(size, "extent " + std::to_string(d) + " of the result");
      c.notNegative(made);
      if (!cast<RankedTensorType>(op->getResult(0).getType()).isDynamicDim(d))
        c.equal(made, c.result(d));
    }
  }

  static void checkPad(Checker &c, PadOp op) { checkResult(c, op); }

  static void checkConcatenate(Checker &c, ConcatenateOp op) {
    for (int64_t d = 0; d < op.getType().getRank(); ++d) {
      if (d == int64_t(op.getDim()))
        continue;
      Size joined =
          op.getType().isDynamicDim(d) ? c.operand(0, d) : c.result(d);
      for (unsigned i = 0; i < op->getNumOperands(); ++i)
        c.equal(c.operand(i, d), joined);
    }
    checkResult(c, op);
  }

  static void checkDot(Checker &c, DotGeneralOp op) {
    for (auto [l, r] : llvm::zip(op.getLhsBatch(), op.getRhsBatch()))
      c.equal(c.operand(1, r), c.operand(0, l));
    for (auto [l, r] : llvm::zip(op.getLhsContract(), op.getRhsContract()))
      c.equal(c.operand(1, r), c.operand(0, l));
    checkResult(c, op);
  }

  static void checkConvolution(Checker &c, ConvolutionOp op) {
    int64_t last = rankOf(op.getLhs()) - 1, groups = op.getGroups();
    auto index = [&](Size size) { return c.valueOf(size); };
    Size features = c.operand(0, last), kernel = c.operand(1, last - 1),
         outputs = c.operand(1, last);
    OpBuilder builder(op);
    if (features.form != SizeForms::number(groups) * kernel.form) {
      Value wanted = arith::MulIOp::create(builder, op.getLoc(), index(kernel),
                                           c.index(groups));
      c.equal(features,
              c.given(wanted, groups == 1 ? kernel.words
                                          : std::to_string(groups) + " times " +
                                                kernel.words));
    }
    if (groups > 1 && !SizeForms::constant(outputs.form)) {
      Value rest = arith::RemSIOp::create(builder, op.getLoc(), index(outputs),
                                          c.index(groups));
      c.equal(c.given(rest, "what " + std::to_string(groups) +
                                " groups leave of " + outputs.words),
              c.number(0));
    }
    checkResult(c, op);
  }

  static void checkGather(Checker &c, GatherOp op) {
    auto at = [&](int64_t d) { return c.operand(0, d); };
    for (auto [o, i] :
         llvm::zip(op.getOperandBatchingDims(), op.getIndicesBatchingDims()))
      c.equal(c.operand(1, i), at(o));
    checkIndexVector(c, op.getIndices(), op.getIndexVectorDim(),
                     op.getStartIndexMap().size());
    for (auto [d, size] : llvm::enumerate(op.getSliceSizes()))
      if (size != -1 && !llvm::is_contained(op.getOperandBatchingDims(), d))
        c.fits(c.number(size), at(d), op.getIndices());
    checkResult(c, op);
  }

  static void checkIndexVector(Checker &c, Value indices, int64_t dim,
                               int64_t length) {
    if (dim < rankOf(indices))
      c.equal(c.extent(indices, dim, "operand 2"), c.number(length));
  }

  static void checkScatter(Checker &c, ScatterOp op) {
    for (auto [o, i] :
         llvm::zip(op.getOperandBatchingDims(), op.getIndicesBatchingDims()))
      c.equal(c.operand(1, i), c.operand(0, o));
    checkIndexVector(c, op.getIndices(), op.getIndexVectorDim(),
                     op.getIndexMap().size());
    int64_t next = 0;
    for (int64_t d = 0; d < rankOf(op.getUpdates()); ++d) {
      if (llvm::is_contained(op.getUpdateWindowDims(), d))
        continue;
      next += next == int64_t(op.getIndexVectorDim());
      c.equal(c.operand(2, d), c.operand(1, next++));
    }
    SmallVector<int64_t> kept;
    for (int64_t d = 0; d < rankOf(op.getOperand()); ++d)
      if (!llvm::is_contained(op.getInsertedDims(), d) &&
          !llvm::is_contained(op.getOperandBatchingDims(), d))
        kept.push_back(d);
    for (auto [window, d] : llvm::zip(op.getUpdateWindowDims(), kept))
      c.atMost(c.operand(2, window), c.operand(0, d));
  }

  static void checkSuppression(Checker &c, NonMaxSuppressionOp op) {
    c.equal(c.operand(1, 0), c.operand(0, 0));
    c.equal(c.operand(1, 2), c.operand(0, 1));
    c.equal(c.operand(0, 2), c.number(4));
    c.notNegative(c.given(op.getLimit(), "the number of boxes"));
  }

  static void checkAttention(Checker &c, AttentionOp op) {
    auto query = op.getQueryOrder(), key = op.getKeyOrder(),
         value = op.getValueOrder();
    size_t batch = query.size() - 2;
    // Numbers of heads that are both known may differ; they are verified.
    auto isGroup = [&](size_t i) {
      return i + 1 == batch &&
             !op.getQuery().getType().isDynamicDim(query[i]) &&
             !op.getKey().getType().isDynamicDim(key[i]);
    };
    for (size_t i = 0; i <= batch; ++i) {
      if (i < batch && !isGroup(i) && !(op.getTable() && i == 0))
        c.equal(c.operand(1, key[i]), c.operand(0, query[i]));
      c.equal(c.operand(2, value[i]), c.operand(1, key[i]));
    }
    c.equal(c.operand(1, key.back()), c.operand(0, query.back()));
    auto extents = [&](Value operand, const char *words,
                       ArrayRef<Size> expected) {
      if (operand && isa<RankedTensorType>(operand.getType()))
        for (auto [d, size] : llvm::enumerate(expected))
          c.equal(c.extent(operand, d, words), size);
    };
    SmallVector<Size> scores;
    for (size_t i = 0; i <= batch; ++i)
      scores.push_back(c.operand(0, query[i]));
    scores.push_back(c.operand(1, key[batch]));
    extents(op.getMask(), "the mask", scores);
    extents(op.getCausal(), "the causal tensor", scores.front());
    extents(op.getLengths(), "the lengths", scores.front());
    extents(op.getTable(), "the table", {scores.front(), scores.back()});
  }

  /// Checks that a value which a loop carries keeps its shape in an iteration.
  static void checkCarried(SizeForms &forms, Operation *terminator,
                           unsigned first, ValueRange initial) {
    Checker c(forms, terminator);
    for (auto [i, start] : llvm::enumerate(initial))
      if (isa<RankedTensorType>(start.getType()))
        for (int64_t d = 0; d < rankOf(start); ++d)
          c.equal(c.extent(terminator->getOperand(first + i), d,
                           "a value carried around the loop"),
                  c.extent(start, d, "its first value"));
  }
};
} // namespace
} // namespace tenon
