// The patterns are MLIR's; only those ops are touched that ask for an extent.
#include "dialects/tenon/TraceSizes.h"

#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

llvm::LogicalResult tenon::traceSizes(Operation *root) {
  SmallVector<Operation *> dims;
  root->walk([&](tensor::DimOp op) { dims.push_back(op); });
  RewritePatternSet patterns(root->getContext());
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  tensor::DimOp::getCanonicalizationPatterns(patterns, root->getContext());
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  return applyOpPatternsGreedily(dims, std::move(patterns), config);
}
