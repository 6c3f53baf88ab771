// Merges products of one operand with several weights into one product with the
// weights side by side; each former result is a slice of it. This applies only
// if the results are moved or used by attention: kernels read slices in place,
// and no product loses an epilogue.
#include "passes/graph/Passes.h"

#include "passes/graph/Attention.h"

#include "dialects/tenon/Remarks.h"
#include "dialects/tenon/TenonDialect.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_MERGECONTRACTIONS
#include "passes/graph/Passes.h.inc"

namespace {
RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

bool isWeight(Value value) {
  if (auto convert = value.getDefiningOp<ConvertOp>())
    value = convert.getOperand();
  if (auto transpose = value.getDefiningOp<TransposeOp>())
    value = transpose.getOperand();
  return isa_and_nonnull<GetWeightOp>(value.getDefiningOp());
}

/// A product with a matrix of weights, and the bias that is added to it.
struct Projection {
  DotGeneralOp product;
  AddOp add;              ///< null if there is no bias
  BroadcastInDimOp bias;  ///< broadcasts a vector of weights
  bool biasFirst = false; ///< the bias is the add's first operand

  Operation *root() {
    return add ? add.getOperation() : product.getOperation();
  }
  /// 0: no bias, 1: the bias is the second operand, 2: the first.
  int form() { return !add ? 0 : biasFirst ? 2 : 1; }
  int64_t width() { return typeOf(root()->getResult(0)).getShape().back(); }
};

std::optional<Projection> projectionOf(DotGeneralOp op) {
  if (!op.getLhsBatch().empty() || typeOf(op.getRhs()).getRank() != 2 ||
      op.getRhsContract().size() != 1 || !isWeight(op.getRhs()))
    return std::nullopt;
  Projection found{op, {}, {}};
  auto add = op->hasOneUse() ? dyn_cast<AddOp>(*op->user_begin()) : AddOp();
  if (!add)
    return found;
  bool first = add.getRhs() == op.getResult();
  Value other = first ? add.getLhs() : add.getRhs();
  auto bias = other.getDefiningOp<BroadcastInDimOp>();
  if (!bias || !isWeight(bias.getOperand()) ||
      bias.getDims() != ArrayRef<int64_t>{op.getType().getRank() - 1})
    return found;
  found.add = add;
  found.bias = bias;
  found.biasFirst = first;
  return found;
}

/// True if `value` is only read by attention or moved.
bool isOnlyMoved(Value value) {
  return !value.use_empty() &&
         llvm::all_of(value.getUsers(), [](Operation *user) {
           if (isa<AttentionOp, TransposeOp, ConcatenateOp>(user))
             return true;
           return isa<ReshapeOp, SliceOp>(user) &&
                  isOnlyMoved(user->getResult(0));
         });
}

struct MergeContractions : impl::MergeContractionsBase<MergeContractions> {
  void runOnOperation() override {
    getOperation()->walk([&](Block *block) { mergeIn(*block); });
    RewritePatternSet patterns(&getContext());
    populateHeadPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }

  void mergeIn(Block &block) {
    // Merged products must agree in operand, dimensions and position of the
    // bias.
    using Key = std::tuple<Value, Attribute, Attribute, Type, int>;
    llvm::MapVector<Key, SmallVector<Projection>> groups;
    for (Operation &op : block)
      if (auto product = dyn_cast<DotGeneralOp>(op))
        if (std::optional<Projection> found = projectionOf(product);
            found && isOnlyMoved(found->root()->getResult(0)))
          groups[{product.getLhs(), product.getLhsContractAttr(),
                  product.getRhsContractAttr(),
                  typeOf(product.getResult()).getElementType(), found->form()}]
              .push_back(*found);
    for (auto &[key, group] : groups)
      if (group.size() > 1)
        merge(group);
  }

  /// Concatenates the weights along `dim`.
  static Value joined(OpBuilder &builder, Location loc, ValueRange weights,
                      int64_t dim) {
    return ConcatenateOp::create(builder, loc, weights, dim);
  }

  void merge(MutableArrayRef<Projection> group) {
    Projection &model = group.front();
    SmallVector<Value> weights, biases;
    SmallVector<Location> locations;
    int64_t width = 0;
    for (Projection &projection : group) {
      weights.push_back(projection.product.getRhs());
      if (projection.bias)
        biases.push_back(projection.bias.getOperand());
      locations.push_back(projection.product.getLoc());
      width += projection.width();
    }
    // The merged product goes after all weights and before the first use.
    Operation *last = model.product;
    for (Projection &projection : group)
      for (Value operand :
           {Value(projection.product.getRhs()),
            projection.bias ? projection.bias.getOperand()
                            : Value(projection.product.getRhs())})
        if (Operation *def = operand.getDefiningOp();
            def->getBlock() == last->getBlock() && last->isBeforeInBlock(def))
          last = def;
    for (Projection &projection : group)
      for (Operation *user : projection.root()->getUsers())
        if (user->getBlock() == last->getBlock() &&
            user->isBeforeInBlock(last)) {
          if (auto remark = remarkMissed(model.product, RemarkCategory::Fusion,
                                         "unmerged-products"))
            remark << "products of one operand are not merged"
                   << because("a result is used before the last weight is "
                              "defined");
          return;
        }
    OpBuilder builder(last->getContext());
    builder.setInsertionPointAfter(last);
    Location loc = FusedLoc::get(&getContext(), locations);
    int64_t contract = model.product.getRhsContract().front();
    RankedTensorType type = model.product.getType();
    int64_t column = type.getRank() - 1;
    SmallVector<int64_t> shape(type.getShape());
    shape.back() = width;
    Value all = DotGeneralOp::create(
        builder, loc, type.clone(shape), model.product.getLhs(),
        joined(builder, loc, weights, 1 - contract), ArrayRef<int64_t>(),
        ArrayRef<int64_t>(), model.product.getLhsContract(),
        model.product.getRhsContract());
    // Use the model's own size values, so that equal sizes are recognized.
    SmallVector<OpFoldResult> sizes =
        model.bias ? getMixedValues(model.bias.getStaticSizes(),
                                    model.bias.getSizes(), builder)
                   : mixedSizes(builder, loc, all);
    if (model.add) {
      sizes.back() = builder.getIndexAttr(width);
      SmallVector<Value> dynamic;
      SmallVector<int64_t> fixed;
      dispatchIndexOpFoldResults(sizes, dynamic, fixed);
      Value bias = BroadcastInDimOp::create(
          builder, loc, type.clone(fixed), joined(builder, loc, biases, 0),
          ArrayRef<int64_t>{column}, dynamic, fixed);
      all = model.biasFirst
                ? AddOp::create(builder, loc, bias, all).getResult()
                : AddOp::create(builder, loc, all, bias).getResult();
    }
    int64_t offset = 0;
    for (Projection &projection : group) {
      SmallVector<int64_t> offsets(column + 1, 0), strides(column + 1, 1);
      offsets.back() = offset;
      offset += projection.width();
      sizes.back() = builder.getIndexAttr(projection.width());
      SmallVector<Value> dynamic;
      SmallVector<int64_t> fixed;
      dispatchIndexOpFoldResults(sizes, dynamic, fixed);
      Value result = projection.root()->getResult(0);
      result.replaceAllUsesWith(
          SliceOp::create(builder, loc, result.getType(), all, ValueRange(),
                          dynamic, ValueRange(), offsets, fixed, strides));
      if (projection.add)
        projection.add.erase();
      projection.product.erase();
    }
    if (auto remark = remarkDone(all.getDefiningOp(), RemarkCategory::Fusion,
                                 "merged-products"))
      remark << llvm::formatv("{0} products of one operand are one product",
                              group.size())
                    .str();
  }
};
} // namespace
} // namespace tenon
