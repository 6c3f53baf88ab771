// Emits a check before each op that assumes a property of dynamic extents: that
// extents agree, that a box lies within them, that the number of elements stays
// equal. Properties that the size forms prove are not checked. Afterwards no
// kernel can run with sizes it was not made for.
#include "passes/graph/Passes.h"

#include "passes/graph/SizeChecker.h"

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
using Size = SizeChecker::Size;

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
    for (Operation *op : ops)
      if (auto broadcast = dyn_cast<BroadcastInDimOp>(op);
          broadcast && keepsSizes(forms, broadcast))
        broadcast.replaceAllUsesWith(broadcast.getOperand());
  }

  /// True if the result has the operand's extents, whatever they are. Its op
  /// would keep kernels from being one.
  static bool keepsSizes(SizeForms &forms, BroadcastInDimOp op) {
    if (op.getOperand().getType() != op.getType())
      return false;
    for (int64_t d = 0; d < op.getType().getRank(); ++d)
      if (forms.of(op.getOperand(), d) != forms.of(op.getResult(), d))
        return false;
    return true;
  }

  static int64_t rankOf(Value value) {
    return cast<RankedTensorType>(value.getType()).getRank();
  }

  void checkOp(SizeForms &forms, Operation *op) {
    SizeChecker c(forms, op);
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

  static void checkElementwise(SizeChecker &c, Operation *op) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    for (int64_t d = 0; d < type.getRank(); ++d) {
      Size joined = type.isDynamicDim(d) ? c.operand(0, d) : c.result(d);
      for (unsigned i = 0; i < op->getNumOperands(); ++i)
        c.equal(c.operand(i, d), joined);
    }
  }

  template <typename Op>
  static SmallVector<Size> sizesOf(SizeChecker &c, Op op) {
    OpBuilder builder(op);
    SmallVector<Size> sizes;
    for (auto [d, size] : llvm::enumerate(
             getMixedValues(op.getStaticSizes(), op.getSizes(), builder)))
      sizes.push_back(
          c.given(size, "extent " + std::to_string(d) + " of the result"));
    return sizes;
  }

  template <typename Op>
  static SmallVector<Size> checkSizesGiven(SizeChecker &c, Op op) {
    SmallVector<Size> sizes = sizesOf(c, op);
    for (const Size &size : sizes)
      c.notNegative(size);
    return sizes;
  }

  static void checkBroadcast(SizeChecker &c, BroadcastInDimOp op) {
    SmallVector<Size> sizes = checkSizesGiven(c, op);
    for (auto [i, dim] : llvm::enumerate(op.getDims()))
      c.oneOrEqual(c.operand(0, i), sizes[dim]);
  }

  static void checkReshape(SizeChecker &c, ReshapeOp op) {
    SmallVector<Size> to = checkSizesGiven(c, op), from;
    for (int64_t d = 0; d < rankOf(op.getOperand()); ++d)
      from.push_back(c.operand(0, d));
    c.sameCount(from, to);
  }

  static void checkSlice(SizeChecker &c, SliceOp op) {
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
  static void checkResult(SizeChecker &c, Operation *op) {
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

  static void checkPad(SizeChecker &c, PadOp op) { checkResult(c, op); }

  static void checkConcatenate(SizeChecker &c, ConcatenateOp op) {
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

  static void checkDot(SizeChecker &c, DotGeneralOp op) {
    for (auto [l, r] : llvm::zip(op.getLhsBatch(), op.getRhsBatch()))
      c.equal(c.operand(1, r), c.operand(0, l));
    for (auto [l, r] : llvm::zip(op.getLhsContract(), op.getRhsContract()))
      c.equal(c.operand(1, r), c.operand(0, l));
    checkResult(c, op);
  }

  static void checkConvolution(SizeChecker &c, ConvolutionOp op) {
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

  static void checkGather(SizeChecker &c, GatherOp op) {
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

  static void checkIndexVector(SizeChecker &c, Value indices, int64_t dim,
                               int64_t length) {
    if (dim < rankOf(indices))
      c.equal(c.extent(indices, dim, "operand 2"), c.number(length));
  }

  static void checkScatter(SizeChecker &c, ScatterOp op) {
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

  static void checkSuppression(SizeChecker &c, NonMaxSuppressionOp op) {
    c.equal(c.operand(1, 0), c.operand(0, 0));
    c.equal(c.operand(1, 2), c.operand(0, 1));
    c.equal(c.operand(0, 2), c.number(4));
    c.notNegative(c.given(op.getLimit(), "the number of boxes"));
  }

  static void checkAttention(SizeChecker &c, AttentionOp op) {
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
    SizeChecker c(forms, terminator);
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
