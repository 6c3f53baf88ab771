// One rule per op: which attributes name dimensions, and when a moved transpose
// would cost more than it saves.
#include "passes/graph/SinkRules.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace tenon {
namespace {
bool isLast(Value value, int64_t dim) {
  return dim == cast<RankedTensorType>(value.getType()).getRank() - 1;
}

/// True unless the reduced dimension is contiguous now and would not be then: a
/// kernel along a strided dimension costs more than the transpose.
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

/// The least neighbouring results of a maximum that are computed at once, and
/// how many of them are enough work for several threads.
constexpr int64_t vectorOfResults = 16, tasksOfResults = 512;
/// A reduced extent that one thread can go along.
constexpr int64_t shortReduction = 128;

/// True if the maximum may go along a strided dimension: the transpose has no
/// other reader, and neighbouring results are computed at once. The results
/// alone are divided among threads, so there must be many, or each must be
/// short. Sums are excluded, because their order would change.
bool reducesNeighbours(ReduceOp op, ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  int64_t last =
      llvm::find(permutation, type.getRank() - 1) - permutation.begin();
  int64_t results = type.getDimSize(last),
          reduced = type.getDimSize(op.getDims()[0]);
  bool isShort = !ShapedType::isDynamic(reduced) && reduced <= shortReduction;
  return (op.getKind() == ReduceKind::Maximum ||
          op.getKind() == ReduceKind::Minimum) &&
         op.getOperand().hasOneUse() && !ShapedType::isDynamic(results) &&
         results >= (isShort ? vectorOfResults : tasksOfResults);
}

std::optional<Sunk> sinkReduce(ReduceOp op, ArrayRef<int64_t> permutation) {
  if (op.getDims().size() == 1 &&
      !staysInRows(op.getOperand(), op.getDims()[0], permutation) &&
      !reducesNeighbours(op, permutation))
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

/// True if the gather only chooses places along one dimension: the result has
/// the operand's dimensions.
bool rearranges(GatherOp op) {
  ArrayRef<int64_t> along = op.getStartIndexMap();
  return along.size() == 1 && op.getCollapsedDims() == along &&
         op.getIndices().getType().getRank() == 1 &&
         op.getIndexVectorDim() == 1 && op.getOperandBatchingDims().empty() &&
         !llvm::is_contained(op.getOffsetDims(), along.front());
}

/// True if every user of `value` absorbs a transpose, directly or below ops
/// that let it pass: another transpose or attention.
bool takesUpTranspose(Value value) {
  return !value.use_empty() &&
         llvm::all_of(value.getUsers(), [&](Operation *user) {
           if (isa<TransposeOp, AttentionOp, tensor::DimOp>(user))
             return true;
           if (auto product = dyn_cast<DotGeneralOp>(user))
             return product.getLhs() == value &&
                    product.getLhsBatch().empty() &&
                    isKnownTensor(product.getRhs()) &&
                    takesUpTranspose(user->getResult(0));
           if (user->hasTrait<Elementwise>())
             return llvm::all_of(
                        user->getOperands(),
                        [&](Value operand) {
                          return operand == value || isKnownTensor(operand) ||
                                 operand.getDefiningOp<BroadcastInDimOp>();
                        }) &&
                    takesUpTranspose(user->getResult(0));
           if (auto gather = dyn_cast<GatherOp>(user))
             return gather.getOperand() == value && rearranges(gather) &&
                    takesUpTranspose(user->getResult(0));
           return isa<ReshapeOp, SliceOp>(user) &&
                  takesUpTranspose(user->getResult(0));
         });
}

/// Sinks below a product only if the transpose is absorbed: the result may be
/// larger than the operand, so transposing it may cost more.
std::optional<Sunk> sinkProduct(DotGeneralOp op,
                                ArrayRef<int64_t> permutation) {
  if (!op.getLhsBatch().empty() || !isKnownTensor(op.getRhs()) ||
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

/// Sinks below a gather only if the transpose is absorbed: the result may have
/// many more elements than the operand.
std::optional<Sunk> sinkGather(GatherOp op, ArrayRef<int64_t> permutation) {
  if (!rearranges(op) || !takesUpTranspose(op.getResult()))
    return std::nullopt;
  int64_t along = permutation[op.getStartIndexMap().front()];
  SmallVector<int64_t> others,
      sizes = beforeTranspose(op.getSliceSizes(), permutation);
  for (int64_t dim = 0; dim < int64_t(permutation.size()); ++dim)
    if (dim != along)
      others.push_back(dim);
  return Sunk{1,
              [=](Operation *copy) {
                auto changed = cast<GatherOp>(copy);
                changed.setOffsetDims(others);
                changed.setCollapsedDims({along});
                changed.setStartIndexMap({along});
                changed.setSliceSizes(sizes);
              },
              {}};
}

/// A list of sizes of `op` in the order before the transpose, split into
/// dynamic values and constants.
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

} // namespace

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
  if (auto gather = dyn_cast<GatherOp>(op))
    return sinkGather(gather, permutation);
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

} // namespace tenon
