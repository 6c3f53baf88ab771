// Attention: verification, shapes, the folding of transposes into its orders,
// and its decomposition into products and a softmax.
#include "dialects/tenon/InferShared.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/PatternMatch.h"

#include <limits>

using namespace mlir;

namespace tenon {

int64_t AttentionOp::getHeadGroup() {
  SmallVector<int64_t> query = inOrder(shapeOf(getQuery()), getQueryOrder()),
                       key = inOrder(shapeOf(getKey()), getKeyOrder());
  if (query.size() < 3)
    return 1;
  int64_t heads = query[query.size() - 3], shared = key[key.size() - 3];
  if (ShapedType::isDynamic(heads) || ShapedType::isDynamic(shared) ||
      shared == 0)
    return 1;
  return std::max<int64_t>(1, heads / shared);
}

LogicalResult AttentionOp::verify() {
  // attention C1
  size_t rank = shapeOf(getQuery()).size();
  auto ordered = [&](Value tensor, Extents order) {
    return shapeOf(tensor).size() == rank && order.size() == rank &&
           isPermutationVector(order);
  };
  if (rank < 2 || !ordered(getQuery(), getQueryOrder()) ||
      !ordered(getKey(), getKeyOrder()) ||
      !ordered(getValue(), getValueOrder()) ||
      !ordered(getResult(), getResultOrder()))
    return emitOpError("expected orders that are permutations of one rank of "
                       "at least 2 (C1)");
  SmallVector<int64_t> query = inOrder(shapeOf(getQuery()), getQueryOrder()),
                       key = inOrder(shapeOf(getKey()), getKeyOrder()),
                       value = inOrder(shapeOf(getValue()), getValueOrder());
  // attention C2, C3
  ShapeOrError rule =
      attentionShape(query, key, value, /*byTable=*/bool(getTable()));
  if (!rule.ok())
    return emitOpError() << rule.error;
  // attention C4
  bool bools = false;
  if (Value mask = getMask()) {
    SmallVector<int64_t> scores = query;
    scores.back() = key[rank - 2];
    bools = elementOf(mask).isInteger(1);
    if (!compatible(shapeOf(mask), scores) ||
        (!bools && elementOf(mask) != elementOf(getQuery())))
      return emitOpError("expected a mask of shape ")
             << scores << " with bools or elements of the queries' type (C4), "
             << "got " << mask.getType();
  }
  // attention C5
  bool fills = bools || getCausal();
  if (fills != getFill().has_value())
    return emitOpError(fills ? "expected a fill for masked scores (C5)"
                             : "expected no fill where nothing is masked (C5)");
  // attention C6
  Type element = elementOf(getQuery()), cached = elementOf(getKey());
  if (elementOf(getResult()) != element)
    return emitOpError("expected queries and result of one element type (C6), "
                       "got ")
           << element << " and " << elementOf(getResult());
  if (elementOf(getValue()) != cached ||
      (cached != element &&
       cached.getIntOrFloatBitWidth() >= element.getIntOrFloatBitWidth()))
    return emitOpError("expected keys and values of one element type, the "
                       "queries' or a narrower one (C6), got ")
           << cached << " and " << elementOf(getValue());
  if (!compatible(rule.shape, inOrder(shapeOf(getResult()), getResultOrder())))
    return emitOpError("expected a result that is ")
           << rule.shape << " in its order (C6), got " << getType();
  // attention C7
  auto describesRows = [&](Value operand, Extents extents) {
    auto type = dyn_cast_or_null<RankedTensorType>(operand ? operand.getType()
                                                           : Type());
    return !type || (rank >= 4 && compatible(type.getShape(), extents));
  };
  if (!describesRows(getCausal(), {query[0]}) ||
      !describesRows(getLengths(), {query[0]}) ||
      !describesRows(getTable(), {query[0], key[rank - 2]}))
    return emitOpError("expected a causal tensor and lengths of shape [")
           << query[0] << "] and a table of shape [" << query[0] << ", "
           << key[rank - 2] << "], for two batch extents (C7)";
  return success();
}

LogicalResult
AttentionOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  int64_t rank = getType().getRank();
  SmallVector<OpFoldResult> sizes(rank);
  for (int64_t i = 0; i + 1 < rank; ++i)
    sizes[getResultOrder()[i]] =
        mixedSize(builder, getLoc(), getQuery(), getQueryOrder()[i]);
  sizes[getResultOrder().back()] =
      mixedSize(builder, getLoc(), getValue(), getValueOrder().back());
  shapes.push_back(sizes);
  return success();
}

namespace {
/// Builds the decomposition. Operands come in the dimension order of the
/// definition: [batch..., rows or keys, depth].
struct AttentionParts {
  AttentionOp op;
  OpBuilder &builder;
  Location loc = op.getLoc();
  Type element = elementOf(op.getQuery());
  size_t batch = op.getType().getRank() - 2;

  Value ordered(Value tensor, Extents order) {
    return builder.createOrFold<TransposeOp>(loc, tensor, order);
  }
  /// Reshapes `tensor`: the `count` dimensions from `dim` on become `sizes`.
  Value regrouped(Value tensor, size_t dim, size_t count,
                  ArrayRef<OpFoldResult> sizes) {
    SmallVector<OpFoldResult> all;
    for (size_t i = 0; i < shapeOf(tensor).size(); ++i) {
      if (i == dim)
        all.append(sizes.begin(), sizes.end());
      if (i < dim || i >= dim + count)
        all.push_back(mixedSize(builder, loc, tensor, i));
    }
    SmallVector<Value> dynamic;
    SmallVector<int64_t> fixed;
    dispatchIndexOpFoldResults(all, dynamic, fixed);
    return ReshapeOp::create(builder, loc,
                             RankedTensorType::get(fixed, elementOf(tensor)),
                             tensor, dynamic, fixed);
  }
  /// The product of `lhs` and `rhs`, summed over dimension `contract` of `rhs`:
  /// the depth for scores, the keys for the average of values.
  Value product(Value lhs, Value rhs, int64_t contract) {
    int64_t group = op.getHeadGroup(),
            heads = shapeOf(lhs)[batch ? batch - 1 : 0];
    bool grouped = group > 1;
    if (grouped)
      lhs = regrouped(
          lhs, batch - 1, 1,
          {builder.getIndexAttr(heads / group), builder.getIndexAttr(group)});
    SmallVector<int64_t> batches =
        llvm::to_vector(llvm::seq<int64_t>(0, batch));
    SmallVector<int64_t> shape(shapeOf(lhs));
    shape.back() = shapeOf(rhs)[contract == int64_t(batch) ? batch + 1 : batch];
    Value dot = DotGeneralOp::create(
        builder, loc, RankedTensorType::get(shape, element), lhs, rhs, batches,
        batches, {int64_t(shape.size()) - 1}, contract);
    return grouped ? regrouped(dot, batch - 1, 2, {builder.getIndexAttr(heads)})
                   : dot;
  }
  /// `x`, which has the first dimensions of `model`, in the shape of `model`.
  Value broadcast(Value x, Value model) {
    SmallVector<Value> dynamic;
    SmallVector<int64_t> sizes;
    dispatchIndexOpFoldResults(mixedSizes(builder, loc, model), dynamic, sizes);
    SmallVector<int64_t> dims =
        llvm::to_vector(llvm::seq<int64_t>(0, shapeOf(x).size()));
    return BroadcastInDimOp::create(builder, loc,
                                    RankedTensorType::get(sizes, elementOf(x)),
                                    x, dims, dynamic, sizes);
  }
  Value number(double value, Value model) {
    auto type = RankedTensorType::get({}, element);
    Value scalar = ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type, builder.getFloatAttr(element, value)));
    return broadcast(scalar, model);
  }
  /// The index along dimension `dim` of each element of a tensor like `model`.
  Value place(Value model, int64_t dim) {
    SmallVector<Value> dynamic;
    SmallVector<int64_t> sizes;
    dispatchIndexOpFoldResults(mixedSizes(builder, loc, model), dynamic, sizes);
    return IotaOp::create(builder, loc,
                          RankedTensorType::get(sizes, builder.getI64Type()),
                          dim, dynamic, sizes);
  }
  /// `entries`, which has one element for each index of the first dimension of
  /// `model`, or one for all, in the shape of `model`.
  Value spread(Value entries, Value model) {
    if (isa<IndexType>(entries.getType()))
      entries = tensor::FromElementsOp::create(
          builder, loc, RankedTensorType::get({}, builder.getI64Type()),
          arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                     entries)
              .getResult());
    return broadcast(entries, model);
  }
  /// A bool for each score: true if k <= r + `causal` for row r and key k.
  Value visible(Value scores) {
    Value last = AddOp::create(builder, loc, place(scores, batch),
                               spread(op.getCausal(), scores));
    return CompareOp::create(builder, loc, CompareDirection::LE,
                             place(scores, batch + 1), last);
  }
  /// A bool for each element of `model`: true if the key, which is its index
  /// along `dim`, exists.
  Value exists(Value model, int64_t dim) {
    return CompareOp::create(builder, loc, CompareDirection::LT,
                             place(model, dim), spread(op.getLengths(), model));
  }
  Value keepOnly(Value mask, Value tensor, double otherwise) {
    return SelectOp::create(builder, loc, mask, tensor,
                            number(otherwise, tensor));
  }
  /// Keys or values, from the entries that the table names, in the queries'
  /// element type.
  Value cached(Value tensor, Extents order) {
    tensor = ordered(tensor, order);
    if (Value table = op.getTable()) {
      SmallVector<int64_t> shape(shapeOf(tensor)), offsets,
          sizes(shape.size(), -1);
      for (int64_t dim = 1; dim < int64_t(shape.size()); ++dim)
        if (dim != int64_t(batch))
          offsets.push_back(dim);
      shape[0] = shapeOf(table)[0];
      sizes[0] = sizes[batch] = 1;
      tensor = GatherOp::create(
          builder, loc, RankedTensorType::get(shape, elementOf(tensor)), tensor,
          table, offsets, /*collapsedDims=*/ArrayRef<int64_t>{0},
          /*operandBatchingDims=*/ArrayRef<int64_t>{int64_t(batch)},
          /*indicesBatchingDims=*/ArrayRef<int64_t>{1},
          /*startIndexMap=*/ArrayRef<int64_t>{0}, /*indexVectorDim=*/2, sizes);
    }
    if (elementOf(tensor) == element)
      return tensor;
    return ConvertOp::create(builder, loc,
                             RankedTensorType::get(shapeOf(tensor), element),
                             tensor, element);
  }
};
} // namespace

SmallVector<Value> AttentionOp::decompose(OpBuilder &builder) {
  AttentionParts parts{*this, builder};
  Value query = parts.ordered(getQuery(), getQueryOrder()),
        key = parts.cached(getKey(), getKeyOrder()),
        value = parts.cached(getValue(), getValueOrder());
  Location loc = getLoc();
  int64_t keys = int64_t(parts.batch) + 1;
  Value scores = parts.product(query, key, keys);
  scores = MultiplyOp::create(
      builder, loc, scores, parts.number(getScale().convertToDouble(), scores));
  auto fillUnless = [&](Value mask) {
    scores = parts.keepOnly(mask, scores, getFill()->convertToDouble());
  };
  if (getCausal())
    fillUnless(parts.visible(scores));
  if (Value mask = getMask()) {
    if (elementOf(mask).isInteger(1))
      fillUnless(mask);
    else
      scores = AddOp::create(builder, loc, scores, mask);
  }
  Value exists;
  if (getLengths()) {
    exists = parts.exists(scores, keys);
    scores = parts.keepOnly(exists, scores,
                            -std::numeric_limits<double>::infinity());
  }
  auto softmax =
      SoftmaxOp::create(builder, loc, scores.getType(), scores, keys);
  Value weights = softmax.decompose(builder).front();
  softmax.erase();
  if (exists) {
    // The product with values that are not numbers must not count, and without
    // any key the softmax is not a number.
    weights = parts.keepOnly(exists, weights, 0);
    value = parts.keepOnly(parts.exists(value, parts.batch), value, 0);
  }
  Value result = parts.product(weights, value, parts.batch);
  return {parts.ordered(result, invertPermutationVector(getResultOrder()))};
}

namespace {
/// Folds a transpose of an operand into the op's order: the kernel then reads
/// the operand as it is stored.
struct AbsorbTransposedOperand : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    Extents orders[] = {op.getQueryOrder(), op.getKeyOrder(),
                        op.getValueOrder()};
    StringAttr names[] = {op.getQueryOrderAttrName(), op.getKeyOrderAttrName(),
                          op.getValueOrderAttrName()};
    for (unsigned i = 0; i < 3; ++i) {
      auto transpose = op.getOperand(i).getDefiningOp<TransposeOp>();
      if (!transpose)
        continue;
      SmallVector<int64_t> order =
          inOrder(transpose.getPermutation(), orders[i]);
      rewriter.modifyOpInPlace(op, [&] {
        op->setOperand(i, transpose.getOperand());
        op->setAttr(names[i], rewriter.getDenseI64ArrayAttr(order));
      });
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no operand is a transpose");
  }
};

/// Folds a transpose of the result into the op's order, if vectors along the
/// depth stay contiguous.
struct AbsorbTransposedResult : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto attention = op.getOperand().getDefiningOp<AttentionOp>();
    if (!attention || !attention->hasOneUse())
      return rewriter.notifyMatchFailure(op, "not attention for this alone");
    SmallVector<int64_t> order =
        inOrder(invertPermutationVector(op.getPermutation()),
                attention.getResultOrder());
    if (order.back() + 1 != int64_t(order.size()))
      return rewriter.notifyMatchFailure(op, "depth would not be innermost");
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(attention);
    auto turned = cast<AttentionOp>(rewriter.clone(*attention));
    turned.setResultOrder(order);
    turned.getResult().setType(op.getType());
    rewriter.replaceOp(op, turned);
    rewriter.eraseOp(attention);
    return success();
  }
};
} // namespace

void AttentionOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<AbsorbTransposedOperand, AbsorbTransposedResult>(context);
}

} // namespace tenon
