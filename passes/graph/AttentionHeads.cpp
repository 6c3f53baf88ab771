// Rewrites attention operands whose heads were cut from a joined projection,
// merged with the batch or repeated. Reshapes move until the op reads each head
// in its memory order.
#include "passes/graph/Attention.h"

#include "dialects/tenon/TenonDialect.h"

using namespace mlir;

namespace tenon {
namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Value reshaped(PatternRewriter &rewriter, Location loc, Value value,
               ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> dynamic;
  SmallVector<int64_t> fixed;
  dispatchIndexOpFoldResults(sizes, dynamic, fixed);
  return ReshapeOp::create(
      rewriter, loc,
      RankedTensorType::get(fixed, typeOf(value).getElementType()), value,
      dynamic, fixed);
}

/// Replaces heads split from a slice by a slice of the split tensor: reshapes
/// are free, and the op reads a slice of heads in place.
struct SliceHeads : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    for (unsigned i = 0; i < 3; ++i)
      if (Value sliced = sliceOfHeads(op.getOperand(i), rewriter)) {
        rewriter.modifyOpInPlace(op, [&] { op->setOperand(i, sliced); });
        return success();
      }
    return rewriter.notifyMatchFailure(op, "no heads of a slice");
  }

  static Value sliceOfHeads(Value value, PatternRewriter &rewriter) {
    auto split = value.getDefiningOp<ReshapeOp>();
    auto slice = split ? split.getOperand().getDefiningOp<SliceOp>() : nullptr;
    if (!slice)
      return {};
    RankedTensorType from = slice.getType(), to = split.getType(),
                     whole = typeOf(slice.getOperand());
    int64_t last = from.getRank() - 1;
    if (to.getRank() != from.getRank() + 1)
      return {};
    SmallVector<OpFoldResult> sizes =
        getMixedValues(slice.getStaticSizes(), slice.getSizes(), rewriter);
    SmallVector<OpFoldResult> splitSizes =
        getMixedValues(split.getStaticSizes(), split.getSizes(), rewriter);
    for (int64_t d = 0; d < last; ++d)
      if (!isEqualConstantIntOrValue(sizes[d], splitSizes[d]))
        return {};
    int64_t depth = to.getDimSize(last + 1), heads = to.getDimSize(last),
            width = whole.getDimSize(last),
            offset = slice.getStaticOffsets()[last];
    if (ShapedType::isDynamic(depth) || ShapedType::isDynamic(heads) ||
        ShapedType::isDynamic(width) || ShapedType::isDynamic(offset) ||
        slice.getStaticStrides()[last] != 1 || depth == 0 ||
        width % depth != 0 || offset % depth != 0)
      return {};
    Location loc = slice.getLoc();
    SmallVector<OpFoldResult> wholeSizes =
        mixedSizes(rewriter, loc, slice.getOperand());
    wholeSizes.back() = rewriter.getIndexAttr(width / depth);
    wholeSizes.push_back(rewriter.getIndexAttr(depth));
    Value all = reshaped(rewriter, loc, slice.getOperand(), wholeSizes);
    SmallVector<int64_t> offsets(slice.getStaticOffsets()),
        strides(slice.getStaticStrides());
    offsets.back() = offset / depth;
    offsets.push_back(0);
    strides.push_back(1);
    SmallVector<Value> dynamic;
    SmallVector<int64_t> fixed;
    dispatchIndexOpFoldResults(splitSizes, dynamic, fixed);
    return SliceOp::create(rewriter, loc, to, all, slice.getOffsets(), dynamic,
                           slice.getStrides(), offsets, fixed, strides);
  }
};

/// Gives heads that a reshape merged with the preceding batch, [batch, heads *
/// depth] to [batch * heads, depth], a dimension of their own.
struct SplitHeads : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    int64_t rank = op.getType().getRank();
    if (rank < 3 || op.getMask())
      return rewriter.notifyMatchFailure(op, "no batch, or a mask along it");
    ArrayRef<int64_t> orders[] = {op.getQueryOrder(), op.getKeyOrder(),
                                  op.getValueOrder()};
    int64_t heads = headsOf(op.getQuery(), orders[0]);
    for (unsigned i = 0; i < 3; ++i)
      if (heads < 2 || headsOf(op.getOperand(i), orders[i]) != heads)
        return rewriter.notifyMatchFailure(op, "heads were not merged alike");
    Location loc = op.getLoc();
    SmallVector<Value> operands(op.getOperands());
    SmallVector<SmallVector<int64_t>> split;
    for (unsigned i = 0; i < 3; ++i) {
      auto merge = operands[i].getDefiningOp<ReshapeOp>();
      SmallVector<OpFoldResult> sizes = sizesOf(rewriter, merge.getOperand());
      int64_t depth = merge.getType().getDimSize(rank - 1);
      sizes.back() = rewriter.getIndexAttr(heads);
      sizes.push_back(rewriter.getIndexAttr(depth));
      operands[i] = reshaped(rewriter, loc, merge.getOperand(), sizes);
      split.push_back(splitOrder(orders[i]));
    }
    int64_t place = op.getResultOrder()[rank - 3];
    SmallVector<int64_t> resultOrder = splitOrder(op.getResultOrder());
    SmallVector<int64_t> shape(op.getType().getShape());
    if (!ShapedType::isDynamic(shape[place]))
      shape[place] /= heads;
    shape.insert(shape.begin() + place + 1, heads);
    auto order = [&](ArrayRef<int64_t> list) {
      return rewriter.getDenseI64ArrayAttr(list);
    };
    auto apart = AttentionOp::create(
        rewriter, loc, op.getType().clone(shape), operands[0], operands[1],
        operands[2], Value(), op.getCausal(), op.getLengths(), op.getTable(),
        order(split[0]), order(split[1]), order(split[2]), order(resultOrder),
        op.getScaleAttr(), op.getFillAttr());
    SmallVector<OpFoldResult> sizes = mixedSizes(rewriter, loc, apart);
    if (ShapedType::isDynamic(shape[place])) {
      // Use the model's own value of this extent, so that it is recognized.
      sizes[place] =
          mixedSize(rewriter, loc, op.getQuery(), op.getQueryOrder()[rank - 3]);
    } else {
      sizes[place] = rewriter.getIndexAttr(shape[place] * heads);
    }
    sizes.erase(sizes.begin() + place + 1);
    rewriter.replaceOp(op, reshaped(rewriter, loc, apart, sizes));
    return success();
  }

  /// The size values that a slice, reshape or broadcast names, so that equal
  /// sizes are recognized as equal.
  static SmallVector<OpFoldResult> sizesOf(PatternRewriter &rewriter,
                                           Value value) {
    if (auto slice = value.getDefiningOp<SliceOp>())
      return getMixedValues(slice.getStaticSizes(), slice.getSizes(), rewriter);
    return mixedSizes(rewriter, value.getLoc(), value);
  }

  /// The number of heads that `value` merges with the batch; 0 if it does
  /// something else.
  static int64_t headsOf(Value value, ArrayRef<int64_t> order) {
    auto merge = value.getDefiningOp<ReshapeOp>();
    if (!merge)
      return 0;
    RankedTensorType from = typeOf(merge.getOperand()), to = merge.getType();
    int64_t rank = to.getRank();
    if (from.getRank() != rank || order.back() != rank - 1 ||
        order[rank - 3] != rank - 2)
      return 0;
    // All but one of the leading extents are static and unchanged.
    for (int64_t d = 0; d < rank - 2; ++d)
      if (from.isDynamicDim(d) || from.getDimSize(d) != to.getDimSize(d) ||
          from.getDimSize(d) == 0)
        return 0;
    int64_t width = from.getDimSize(rank - 1), depth = to.getDimSize(rank - 1);
    if (ShapedType::isDynamic(width) || ShapedType::isDynamic(depth) ||
        depth == 0 || width % depth != 0)
      return 0;
    return width / depth;
  }

  /// The order after the split: the heads come right after the last batch
  /// dimension.
  static SmallVector<int64_t> splitOrder(ArrayRef<int64_t> order) {
    int64_t batch = order[order.size() - 3];
    SmallVector<int64_t> result;
    for (auto [i, dim] : llvm::enumerate(order)) {
      result.push_back(dim + (dim > batch));
      if (i == order.size() - 3)
        result.push_back(batch + 1);
    }
    return result;
  }
};
/// Lets attention read keys and values before their heads are repeated for the
/// query heads. Consecutive query heads then share a head of the keys.
struct ShareHeads : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getType().getRank() < 3)
      return rewriter.notifyMatchFailure(op, "no heads");
    auto key = op.getKey().getDefiningOp<ReshapeOp>(),
         value = op.getValue().getDefiningOp<ReshapeOp>();
    int64_t keyCount = repeats(key, op.getKeyOrder()),
            valueCount = repeats(value, op.getValueOrder());
    if (keyCount < 2 || keyCount != valueCount)
      return rewriter.notifyMatchFailure(op, "heads are not repeated alike");
    Value keys = beforeRepeating(rewriter, key, op.getKeyOrder()),
          values = beforeRepeating(rewriter, value, op.getValueOrder());
    rewriter.modifyOpInPlace(op, [&] {
      op.getKeyMutable().assign(keys);
      op.getValueMutable().assign(values);
    });
    return success();
  }

  static SmallVector<OpFoldResult> sizesOf(Value value) {
    Builder builder(value.getContext());
    if (auto reshape = value.getDefiningOp<ReshapeOp>())
      return getMixedValues(reshape.getStaticSizes(), reshape.getSizes(),
                            builder);
    if (auto spread = value.getDefiningOp<BroadcastInDimOp>())
      return getMixedValues(spread.getStaticSizes(), spread.getSizes(),
                            builder);
    return {};
  }

  /// The number of times that `merge`, a reshape of [heads, repeats], repeats
  /// each head; 0 if it does something else.
  static int64_t repeats(ReshapeOp merge, ArrayRef<int64_t> order) {
    auto spread =
        merge ? merge.getOperand().getDefiningOp<BroadcastInDimOp>() : nullptr;
    if (!spread || spread.getType().getRank() != merge.getType().getRank() + 1)
      return 0;
    int64_t heads = order[order.size() - 3];
    SmallVector<OpFoldResult> merged = sizesOf(merge), split = sizesOf(spread);
    for (int64_t d = 0; d < int64_t(merged.size()); ++d)
      if (d != heads &&
          !isEqualConstantIntOrValue(merged[d], split[d + (d > heads)]))
        return 0;
    // No other dimension may be repeated: a dynamic extent must be the source's
    // own.
    Value source = spread.getOperand();
    SmallVector<OpFoldResult> own = sizesOf(source);
    int64_t kept = 0;
    for (auto [i, dim] : llvm::enumerate(spread.getDims())) {
      int64_t extent = typeOf(source).getDimSize(i);
      if (dim == heads + 1) {
        if (extent != 1)
          return 0;
        continue;
      }
      ++kept;
      bool same =
          ShapedType::isDynamic(extent)
              ? !own.empty() && isEqualConstantIntOrValue(own[i], split[dim])
              : extent == spread.getType().getDimSize(dim);
      if (!same)
        return 0;
    }
    int64_t count = spread.getType().getDimSize(heads + 1);
    bool known = !ShapedType::isDynamic(spread.getType().getDimSize(heads)) &&
                 !ShapedType::isDynamic(count);
    return known && kept == merge.getType().getRank() ? count : 0;
  }

  static Value beforeRepeating(PatternRewriter &rewriter, ReshapeOp merge,
                               ArrayRef<int64_t> order) {
    auto spread = merge.getOperand().getDefiningOp<BroadcastInDimOp>();
    if (typeOf(spread.getOperand()).getRank() == merge.getType().getRank())
      return spread.getOperand();
    SmallVector<OpFoldResult> sizes =
        mixedSizes(rewriter, merge.getLoc(), spread.getOperand());
    sizes.erase(sizes.begin() + order[order.size() - 3] + 1);
    return reshaped(rewriter, merge.getLoc(), spread.getOperand(), sizes);
  }
};
} // namespace

void populateHeadPatterns(RewritePatternSet &patterns) {
  patterns.add<SliceHeads, SplitHeads, ShareHeads>(patterns.getContext());
}

} // namespace tenon
