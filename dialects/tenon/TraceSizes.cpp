// MLIR's patterns, but for one: an extent that is known already is used again.
// A tensor that is read twice asks for its own extents twice, and so does each
// tensor it comes of: a chain of n such tensors would ask 2^n times.
#include "dialects/tenon/TraceSizes.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tenon {
namespace {

/// A result's extent, by the result and the dimension.
using Extent = std::pair<Value, int64_t>;

/// The values that extents were traced to, as rewrites replace and erase them.
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
  /// The extents that `value` is remembered for and no longer stands for.
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
      // Right behind the producer, where it is known to all who ask.
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
