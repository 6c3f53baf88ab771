// Transposes sink below the ops that do not care in which order dimensions
// stand, until they meet their inverse and vanish. Afterwards a chain of image
// ops has one layout from end to end. Only transposes of computed values sink,
// and each only towards its users, so that the pass comes to an end.
#include "passes/graph/Passes.h"

#include "dialects/tenon/TenonDialect.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_PROPAGATETRANSPOSES
#include "passes/graph/Passes.h.inc"

namespace {
using Permutation = SmallVector<int64_t>;

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// `list` of a transposed value, in the order before the transpose.
template <typename List>
auto beforeTranspose(const List &list, ArrayRef<int64_t> permutation) {
  SmallVector<std::decay_t<decltype(list[0])>> before(list.begin(), list.end());
  for (auto [i, dim] : llvm::enumerate(permutation))
    before[dim] = list[i];
  return before;
}

RankedTensorType typeBefore(Value value, ArrayRef<int64_t> permutation) {
  RankedTensorType type = typeOf(value);
  return type.clone(beforeTranspose(type.getShape(), permutation));
}

/// Whether only extents of one change places.
bool movesOnlyOnes(RankedTensorType type, ArrayRef<int64_t> permutation) {
  int64_t last = -1;
  for (int64_t dim : permutation) {
    if (type.getDimSize(dim) == 1)
      continue;
    if (dim < last)
      return false;
    last = dim;
  }
  return true;
}

bool isConstant(Value value) {
  return isa_and_nonnull<GetWeightOp, ConstantOp>(value.getDefiningOp());
}

/// A broadcast under another order of the result's dimensions.
struct Redimensioned {
  Value source;
  Permutation order; ///< of the source's dimensions
  SmallVector<int64_t> dims;

  Redimensioned(BroadcastInDimOp op, ArrayRef<int64_t> permutation)
      : source(op.getOperand()) {
    for (int64_t dim : op.getDims())
      dims.push_back(permutation[dim]);
    for (size_t i = 0; i < dims.size(); ++i)
      order.push_back(i);
    llvm::sort(order, [&](int64_t a, int64_t b) { return dims[a] < dims[b]; });
    llvm::sort(dims);
    if (auto transpose = source.getDefiningOp<TransposeOp>()) {
      source = transpose.getOperand();
      order = applyPermutation(transpose.getPermutation(), order);
    }
  }

  /// No element of the source has to move, or it moves at compile time.
  bool isCheap() const {
    return isConstant(source) || movesOnlyOnes(typeOf(source), order);
  }
};

/// Whether `value` is, at no cost in the run, a transpose by `permutation`.
bool canStripTranspose(Value value, ArrayRef<int64_t> permutation) {
  if (auto transpose = value.getDefiningOp<TransposeOp>())
    return transpose.getPermutation() == permutation;
  if (auto broadcast = value.getDefiningOp<BroadcastInDimOp>())
    return Redimensioned(broadcast, permutation).isCheap();
  return isConstant(value);
}

/// The value whose transpose by `permutation` is `value`.
Value stripTranspose(OpBuilder &builder, Value value,
                     ArrayRef<int64_t> permutation) {
  Location loc = value.getLoc();
  Operation *op = value.getDefiningOp();
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return transpose.getOperand();
  if (auto broadcast = dyn_cast<BroadcastInDimOp>(op)) {
    Redimensioned changed(broadcast, permutation);
    Value source =
        builder.createOrFold<TransposeOp>(loc, changed.source, changed.order);
    SmallVector<Value> dynamic;
    SmallVector<int64_t> sizes;
    dispatchIndexOpFoldResults(
        beforeTranspose(getMixedValues(broadcast.getStaticSizes(),
                                       broadcast.getSizes(), builder),
                        permutation),
        dynamic, sizes);
    return BroadcastInDimOp::create(builder, loc,
                                    typeBefore(value, permutation), source,
                                    changed.dims, dynamic, sizes);
  }
  if (auto constant = dyn_cast<ConstantOp>(op))
    if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
      return ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(typeBefore(value, permutation),
                                 splat.getSplatValue<Attribute>()));
  return TransposeOp::create(builder, loc, value,
                             invertPermutationVector(permutation));
}

/// What an op looks like below the transpose of its operands.
struct Sunk {
  int64_t operands = 0; ///< as many operands are transposed, the rest stays
  /// Adapts the attributes of the copy, which has the new operands already.
  std::function<void(Operation *)> adapt = [](Operation *) {};
  /// Set where the result has other dimensions than the operand.
  std::optional<Permutation> resultPermutation;
};

bool isLast(Value value, int64_t dim) {
  return dim == typeOf(value).getRank() - 1;
}

/// Rows that lie in memory as such stay so: a kernel along another dimension
/// costs more than the transpose.
bool staysInRows(Value operand, int64_t dim, ArrayRef<int64_t> permutation) {
  return !isLast(operand, dim) || isLast(operand, permutation[dim]);
}

template <typename Op>
std::optional<Sunk> sinkAlongDim(Op op, ArrayRef<int64_t> permutation) {
  if (!staysInRows(op.getOperand(), op.getDim(), permutation))
    return std::nullopt;
  int64_t dim = permutation[op.getDim()];
  return Sunk{1, [dim](Operation *copy) { cast<Op>(copy).setDim(dim); }, {}};
}

std::optional<Sunk> sinkReduce(ReduceOp op, ArrayRef<int64_t> permutation) {
  if (op.getDims().size() == 1 &&
      !staysInRows(op.getOperand(), op.getDims()[0], permutation))
    return std::nullopt;
  Permutation dims, kept, sorted;
  for (int64_t dim = 0; dim < int64_t(permutation.size()); ++dim)
    (llvm::is_contained(op.getDims(), dim) ? dims : kept)
        .push_back(permutation[dim]);
  sorted = kept;
  llvm::sort(sorted);
  llvm::sort(dims);
  for (int64_t &dim : kept)
    dim = llvm::find(sorted, dim) - sorted.begin();
  return Sunk{
      1, [dims](Operation *copy) { cast<ReduceOp>(copy).setDims(dims); }, kept};
}

std::optional<Sunk> sinkWindow(ReduceWindowOp op,
                               ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> padding(op.getPadding());
  for (auto [i, dim] : llvm::enumerate(permutation))
    for (int64_t side : {0, 1})
      padding[2 * dim + side] = op.getPadding()[2 * i + side];
  auto window = beforeTranspose(op.getWindow(), permutation);
  auto strides = beforeTranspose(op.getStrides(), permutation);
  auto dilations = beforeTranspose(op.getDilations(), permutation);
  return Sunk{1,
              [=](Operation *copy) {
                auto changed = cast<ReduceWindowOp>(copy);
                changed.setWindow(window);
                changed.setStrides(strides);
                changed.setDilations(dilations);
                changed.setPadding(padding);
              },
              {}};
}

std::optional<Sunk> sinkReverse(ReverseOp op, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> dims;
  for (int64_t dim : op.getDims())
    dims.push_back(permutation[dim]);
  return Sunk{
      1, [dims](Operation *copy) { cast<ReverseOp>(copy).setDims(dims); }, {}};
}

/// Whether all that follows `value` takes up a transpose: other transposes and
/// attention, behind ops that let one pass.
bool takesUpTranspose(Value value) {
  return !value.use_empty() &&
         llvm::all_of(value.getUsers(), [&](Operation *user) {
           if (isa<TransposeOp, AttentionOp, tensor::DimOp>(user))
             return true;
           if (auto product = dyn_cast<DotGeneralOp>(user))
             return product.getLhs() == value &&
                    product.getLhsBatch().empty() &&
                    isConstant(product.getRhs()) &&
                    takesUpTranspose(user->getResult(0));
           if (user->hasTrait<Elementwise>())
             return llvm::all_of(
                        user->getOperands(),
                        [&](Value operand) {
                          return operand == value || isConstant(operand) ||
                                 operand.getDefiningOp<BroadcastInDimOp>();
                        }) &&
                    takesUpTranspose(user->getResult(0));
           return isa<ReshapeOp, SliceOp>(user) &&
                  takesUpTranspose(user->getResult(0));
         });
}

/// Products are large: a transpose of the result may cost more than that of
/// the operand, unless it is taken up.
std::optional<Sunk> sinkProduct(DotGeneralOp op,
                                ArrayRef<int64_t> permutation) {
  if (!op.getLhsBatch().empty() || !isConstant(op.getRhs()) ||
      !takesUpTranspose(op.getResult()))
    return std::nullopt;
  SmallVector<int64_t> contract;
  for (int64_t dim : op.getLhsContract())
    contract.push_back(permutation[dim]);
  Permutation order;
  for (int64_t dim : op.getLhsFree())
    order.push_back(permutation[dim]);
  Permutation sorted = order;
  llvm::sort(sorted);
  for (int64_t &dim : order)
    dim = llvm::find(sorted, dim) - sorted.begin();
  for (size_t i = 0; i < op.getRhsFree().size(); ++i)
    order.push_back(order.size());
  return Sunk{1,
              [contract](Operation *copy) {
                cast<DotGeneralOp>(copy).setLhsContract(contract);
              },
              order};
}

/// The dynamic values of a mixed list among `op`'s operands, and its numbers.
struct SizeList {
  SizeList(OpBuilder &builder, ArrayRef<int64_t> numbers, ValueRange values,
           ArrayRef<int64_t> permutation) {
    dispatchIndexOpFoldResults(
        beforeTranspose(getMixedValues(numbers, values, builder), permutation),
        dynamic, fixed);
  }
  SmallVector<Value> dynamic;
  SmallVector<int64_t> fixed;
};

std::optional<Sunk> sinkSlice(SliceOp op, ArrayRef<int64_t> permutation) {
  OpBuilder builder(op);
  SizeList offsets(builder, op.getStaticOffsets(), op.getOffsets(),
                   permutation);
  SizeList sizes(builder, op.getStaticSizes(), op.getSizes(), permutation);
  SizeList strides(builder, op.getStaticStrides(), op.getStrides(),
                   permutation);
  return Sunk{1,
              [=](Operation *copy) {
                auto changed = cast<SliceOp>(copy);
                changed.setStaticOffsets(offsets.fixed);
                changed.setStaticSizes(sizes.fixed);
                changed.setStaticStrides(strides.fixed);
                changed.getOffsetsMutable().assign(offsets.dynamic);
                changed.getSizesMutable().assign(sizes.dynamic);
                changed.getStridesMutable().assign(strides.dynamic);
              },
              {}};
}

std::optional<Sunk> sinkPad(PadOp op, ArrayRef<int64_t> permutation) {
  OpBuilder builder(op);
  SizeList low(builder, op.getStaticLow(), op.getLow(), permutation);
  SizeList high(builder, op.getStaticHigh(), op.getHigh(), permutation);
  auto interior = beforeTranspose(op.getInterior(), permutation);
  return Sunk{1,
              [=](Operation *copy) {
                auto changed = cast<PadOp>(copy);
                changed.setStaticLow(low.fixed);
                changed.setStaticHigh(high.fixed);
                changed.setInterior(interior);
                changed.getLowMutable().assign(low.dynamic);
                changed.getHighMutable().assign(high.dynamic);
              },
              {}};
}

/// How `op` looks on operands before their transpose; nothing where it depends
/// on the order of dimensions.
std::optional<Sunk> sinkInto(Operation *op, ArrayRef<int64_t> permutation) {
  if (op->hasTrait<Elementwise>() || isa<GeluOp>(op))
    return Sunk{int64_t(op->getNumOperands()), [](Operation *) {}, {}};
  if (auto softmax = dyn_cast<SoftmaxOp>(op))
    return sinkAlongDim(softmax, permutation);
  if (auto softmax = dyn_cast<LogSoftmaxOp>(op))
    return sinkAlongDim(softmax, permutation);
  if (auto cumulative = dyn_cast<CumulativeOp>(op))
    return sinkAlongDim(cumulative, permutation);
  if (auto norm = dyn_cast<BatchNormOp>(op)) {
    int64_t dim = permutation[norm.getDim()];
    return Sunk{
        1, [dim](Operation *copy) { cast<BatchNormOp>(copy).setDim(dim); }, {}};
  }
  if (auto join = dyn_cast<ConcatenateOp>(op)) {
    int64_t dim = permutation[join.getDim()];
    return Sunk{
        int64_t(op->getNumOperands()),
        [dim](Operation *copy) { cast<ConcatenateOp>(copy).setDim(dim); },
        {}};
  }
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return sinkReduce(reduce, permutation);
  if (auto product = dyn_cast<DotGeneralOp>(op))
    return sinkProduct(product, permutation);
  if (auto window = dyn_cast<ReduceWindowOp>(op))
    return sinkWindow(window, permutation);
  if (auto reverse = dyn_cast<ReverseOp>(op))
    return sinkReverse(reverse, permutation);
  if (auto slice = dyn_cast<SliceOp>(op))
    return sinkSlice(slice, permutation);
  if (auto pad = dyn_cast<PadOp>(op))
    return sinkPad(pad, permutation);
  return std::nullopt;
}

struct SinkTranspose : RewritePattern {
  explicit SinkTranspose(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1 || isa<TransposeOp>(op))
      return rewriter.notifyMatchFailure(op, "no op to sink into");
    TransposeOp model;
    for (Value operand : op->getOperands())
      if (auto transpose = operand.getDefiningOp<TransposeOp>();
          transpose && !isConstant(transpose.getOperand()))
        model = model ? model : transpose;
    if (!model)
      return rewriter.notifyMatchFailure(op, "no operand is a transpose");
    Permutation permutation(model.getPermutation());
    std::optional<Sunk> sunk = sinkInto(op, permutation);
    if (!sunk)
      return rewriter.notifyMatchFailure(op, "the order of dimensions matters");
    auto moved = op->getOperands().take_front(sunk->operands);
    if (!llvm::all_of(moved,
                      [&](Value operand) {
                        return canStripTranspose(operand, permutation);
                      }) ||
        !llvm::is_contained(moved, model.getResult()))
      return rewriter.notifyMatchFailure(op, "an operand is not transposed so");
    SmallVector<Value> operands(op->getOperands());
    for (Value &operand : MutableArrayRef(operands).take_front(sunk->operands))
      operand = stripTranspose(rewriter, operand, permutation);
    Value result = op->getResult(0);
    if (!sunk->resultPermutation)
      sunk->resultPermutation = permutation;
    OperationState state(op->getLoc(), op->getName(), operands,
                         typeBefore(result, *sunk->resultPermutation),
                         op->getAttrs());
    Operation *copy = rewriter.create(state);
    rewriter.modifyOpInPlace(copy, [&] { sunk->adapt(copy); });
    rewriter.replaceOp(
        op, rewriter.createOrFold<TransposeOp>(op->getLoc(), copy->getResult(0),
                                               *sunk->resultPermutation));
    return success();
  }
};

/// Reshapes that merge or split dimensions a transpose leaves side by side.
struct SinkBelowReshape : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto transpose = op.getOperand().getDefiningOp<TransposeOp>();
    if (!transpose || isConstant(transpose.getOperand()))
      return rewriter.notifyMatchFailure(op, "operand is no transpose");
    std::optional<Permutation> order =
        resultOrder(transpose.getType().getShape(), op.getType().getShape(),
                    transpose.getPermutation());
    if (!order)
      return rewriter.notifyMatchFailure(op, "regroups what was apart");
    Permutation after = invertPermutationVector(*order);
    SmallVector<Value> dynamic;
    SmallVector<int64_t> sizes;
    dispatchIndexOpFoldResults(
        beforeTranspose(
            getMixedValues(op.getStaticSizes(), op.getSizes(), rewriter),
            after),
        dynamic, sizes);
    Value reshaped = ReshapeOp::create(rewriter, op.getLoc(),
                                       typeBefore(op.getResult(), after),
                                       transpose.getOperand(), dynamic, sizes);
    rewriter.replaceOp(
        op, rewriter.createOrFold<TransposeOp>(op.getLoc(), reshaped, after));
    return success();
  }

  /// The result's dimensions in the order they have before the transpose.
  static std::optional<Permutation> resultOrder(ArrayRef<int64_t> from,
                                                ArrayRef<int64_t> to,
                                                ArrayRef<int64_t> permutation) {
    // Two unknown extents may have traded factors, and nothing is known of the
    // groups of an empty tensor.
    if (from.size() == to.size() || llvm::is_contained(from, 0) ||
        llvm::is_contained(to, 0) ||
        llvm::count(from, ShapedType::kDynamic) > 1)
      return std::nullopt;
    bool merges = from.size() > to.size();
    auto groups = getReassociationIndicesForCollapse(merges ? from : to,
                                                     merges ? to : from);
    if (!groups)
      return std::nullopt;
    if (merges)
      for (const ReassociationIndices &group : *groups)
        for (size_t i = 1; i < group.size(); ++i)
          if (permutation[group[i]] != permutation[group[i - 1]] + 1)
            return std::nullopt;
    // Group i lies where its first dimension lies.
    auto place = [&](int64_t i) {
      return permutation[merges ? (*groups)[i].front() : i];
    };
    Permutation byPlace =
        llvm::to_vector(llvm::seq<int64_t>(0, groups->size()));
    llvm::sort(byPlace,
               [&](int64_t a, int64_t b) { return place(a) < place(b); });
    if (merges)
      return byPlace;
    Permutation order;
    for (int64_t i : byPlace)
      llvm::append_range(order, (*groups)[i]);
    return order;
  }
};

/// A transpose that moves extents of one alone moves no element.
struct TransposeToReshape : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    if (!movesOnlyOnes(typeOf(op.getOperand()), op.getPermutation()))
      return rewriter.notifyMatchFailure(op, "moves elements");
    SmallVector<OpFoldResult> sizes;
    for (int64_t dim : op.getPermutation())
      sizes.push_back(mixedSize(rewriter, op.getLoc(), op.getOperand(), dim));
    SmallVector<Value> dynamic;
    SmallVector<int64_t> fixed;
    dispatchIndexOpFoldResults(sizes, dynamic, fixed);
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getOperand(),
                                           dynamic, fixed);
    return success();
  }
};

/// Attention whose rows stand before its batch writes batch by batch, and a
/// transpose goes on from there.
struct ReleaseFromAttention : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    Permutation order(op.getResultOrder());
    int64_t rank = order.size(), rows = rank - 2, heads = rank - 3;
    if (rank < 4 || order[rows] > order[0])
      return rewriter.notifyMatchFailure(op, "rows do not stand first");
    Permutation natural = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    std::swap(natural[rows], natural[heads]);
    Permutation back(rank);
    for (int64_t i = 0; i < rank; ++i)
      back[order[i]] = natural[i];
    auto batchFirst = cast<AttentionOp>(rewriter.clone(*op));
    batchFirst.setResultOrder(natural);
    batchFirst.getResult().setType(typeBefore(op.getResult(), back));
    rewriter.replaceOpWithNewOp<TransposeOp>(op, batchFirst, back);
    return success();
  }
};

/// The transpose of a broadcast is another broadcast.
struct TransposeOfBroadcast : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    Permutation inverse = invertPermutationVector(op.getPermutation());
    auto broadcast = op.getOperand().getDefiningOp<BroadcastInDimOp>();
    if (!broadcast || !Redimensioned(broadcast, inverse).isCheap())
      return rewriter.notifyMatchFailure(op, "no broadcast that turns freely");
    rewriter.replaceOp(op, stripTranspose(rewriter, broadcast, inverse));
    return success();
  }
};

/// Extents are asked of what is transposed, so that nothing holds the
/// transpose itself.
struct DimOfTranspose : OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::DimOp op,
                                PatternRewriter &rewriter) const override {
    auto transpose = op.getSource().getDefiningOp<TransposeOp>();
    std::optional<int64_t> dim = op.getConstantIndex();
    if (!transpose || !dim)
      return rewriter.notifyMatchFailure(op, "no known extent of a transpose");
    rewriter.replaceOpWithNewOp<tensor::DimOp>(
        op, transpose.getOperand(), transpose.getPermutation()[*dim]);
    return success();
  }
};

struct PropagateTransposes
    : impl::PropagateTransposesBase<PropagateTransposes> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<SinkTranspose, SinkBelowReshape, TransposeToReshape,
                 TransposeOfBroadcast, ReleaseFromAttention, DimOfTranspose>(
        context);
    TransposeOp::getCanonicalizationPatterns(patterns, context);
    ReshapeOp::getCanonicalizationPatterns(patterns, context);
    // Every step moves a transpose closer to the results: no count is needed.
    GreedyRewriteConfig config;
    config.setMaxIterations(GreedyRewriteConfig::kNoLimit);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
} // namespace tenon
