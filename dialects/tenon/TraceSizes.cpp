// Applies MLIR's patterns with one difference: an extent that was traced once
// is remembered. Otherwise each tensor with two uses would ask for its extents
// twice, and so would each of its producers: a chain of n such tensors would
// take 2^n requests.
#include "dialects/tenon/TraceSizes.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tenon {
namespace {

/// A result and one of its dimensions.
using Extent = std::pair<Value, int64_t>;

/// The value that each extent was traced to. As a listener it follows rewrites
/// that replace or erase the value.
class KnownExtents : public RewriterBase::Listener {
public:
  Value lookup(Extent extent) const { return values.lookup(extent); }

  void remember(Extent extent, Value value) {
    values[extent] = value;
    extents[value].push_back(extent);
  }

  void notifyOperationReplaced(Operation *op, ValueRange by) override {
    for (auto [result, value] : llvm::zip(op->getResults(), by))
      for (Extent extent : forget(result))
        remember(extent, value);
  }
  void notifyOperationErased(Operation *op) override {
    for (Value result : op->getResults())
      for (Extent extent : forget(result))
        values.erase(extent);
  }

private:
  /// Forgets `value` and returns the extents it stood for.
  SmallVector<Extent> forget(Value value) {
    SmallVector<Extent> found;
    auto known = extents.find(value);
    if (known == extents.end())
      return found;
    for (Extent extent : known->second)
      if (values.lookup(extent) == value)
        found.push_back(extent);
    extents.erase(known);
    return found;
  }

  DenseMap<Extent, Value> values;
  DenseMap<Value, SmallVector<Extent>> extents;
};

struct TraceExtent : OpRewritePattern<tensor::DimOp> {
  TraceExtent(MLIRContext *context, KnownExtents &known)
      : OpRewritePattern(context), known(known) {}

  LogicalResult matchAndRewrite(tensor::DimOp op,
                                PatternRewriter &rewriter) const override {
    auto result = dyn_cast<OpResult>(op.getSource());
    std::optional<int64_t> dim = op.getConstantIndex();
    if (!result || !dim)
      return rewriter.notifyMatchFailure(op, "no extent of a computed value");
    Extent extent(result, *dim);
    Value value = known.lookup(extent);
    if (!value) {
      // Insert right after the producer, where the value dominates every use of
      // the result.
      rewriter.setInsertionPointAfter(result.getOwner());
      FailureOr<OpFoldResult> size =
          reifyDimOfResult(rewriter, result.getOwner(),
                           int(result.getResultNumber()), int(*dim));
      if (failed(size) || !*size)
        return rewriter.notifyMatchFailure(op, "the producer does not tell");
      value = getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), *size);
      known.remember(extent, value);
    }
    rewriter.replaceOp(op, value);
    return success();
  }

  KnownExtents &known;
};
} // namespace

LogicalResult traceSizes(Operation *root) {
  SmallVector<Operation *> dims;
  root->walk([&](tensor::DimOp op) { dims.push_back(op); });
  KnownExtents known;
  RewritePatternSet patterns(root->getContext());
  patterns.add<TraceExtent>(root->getContext(), known);
  tensor::DimOp::getCanonicalizationPatterns(patterns, root->getContext());
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  config.setListener(&known);
  return applyOpPatternsGreedily(dims, std::move(patterns), config);
}

} // namespace tenon
