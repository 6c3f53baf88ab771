// Follows `tenon.group`: moves each group into one tenon.fusion. Its outputs
// are the root's results and other results that are used outside. They are
// written to destinations of known sizes.
#include "passes/fuse/Passes.h"

#include "dialects/tenon/Annotations.h"
#include "dialects/tenon/Remarks.h"
#include "dialects/tenon/TraceSizes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "passes/fuse/RowReduction.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_FORMFUSIONS
#include "passes/fuse/Passes.h.inc"

namespace {
FusionKind kindOf(ArrayRef<Operation *> ops) {
  FusionKind kind = FusionKind::Map;
  for (Operation *op : ops) {
    if (isa<AttentionOp>(op))
      return FusionKind::Attention;
    if (isa<DotGeneralOp, ConvolutionOp>(op))
      return FusionKind::Contraction;
    if (reducesRows(op)) {
      kind = FusionKind::Rows;
    } else if (isa<CumulativeOp>(op)) {
      return FusionKind::Scan;
    } else if (isa<SortOp, TopKOp>(op)) {
      return FusionKind::Sort;
    } else if (isa<ScatterOp, DynamicUpdateSliceOp>(op)) {
      return FusionKind::Scatter;
    } else if (isa<ReduceWindowOp, ArgReduceWindowOp>(op)) {
      return FusionKind::Window;
    } else if (isa<NonzeroOp, NonMaxSuppressionOp>(op)) {
      return FusionKind::Opaque;
    }
  }
  return kind;
}

struct FormFusions : impl::FormFusionsBase<FormFusions> {
  void runOnOperation() override {
    llvm::MapVector<int64_t, SmallVector<Operation *>> groups;
    getOperation()->walk([&](Operation *op) {
      if (CountAttr group = annotation::group.of(op)) {
        groups[group.getInt()].push_back(op);
        annotation::group.removeFrom(op);
      }
    });
    for (auto &[number, ops] : groups)
      if (failed(checkGroup(ops)))
        return signalPassFailure();
    llvm::MapVector<Operation *, SmallVector<Value>> destinations;
    for (auto &[number, ops] : groups)
      for (Operation *op : yieldedOf(ops))
        if (failed(makeDestinations(op, destinations[ops.back()])))
          return signalPassFailure();
    if (failed(traceSizes(getOperation())))
      return signalPassFailure();
    for (auto &[number, ops] : groups)
      form(ops, destinations[ops.back()]);
  }

  /// A group stands in one block, and its last op needs all others.
  static LogicalResult checkGroup(ArrayRef<Operation *> group) {
    Operation *root = group.back();
    llvm::SmallPtrSet<Operation *, 8> members(group.begin(), group.end());
    llvm::SmallSetVector<Operation *, 8> needed;
    addBehindOperands(root, members, needed);
    for (Operation *op : group)
      if (op->getBlock() != root->getBlock() || !needed.contains(op)) {
        InFlightDiagnostic error =
            op->emitError("expected the last op of a group to need all its "
                          "others, in one block");
        error.attachNote(root->getLoc()) << "the last op is here";
        return error;
      }
    return success();
  }

  /// The ops of a group whose results are used outside it, the root first.
  static SmallVector<Operation *> yieldedOf(ArrayRef<Operation *> group) {
    SmallVector<Operation *> yielded = {group.back()};
    for (Operation *op : group.drop_back())
      if (llvm::any_of(op->getUsers(), [&](Operation *user) {
            return !isa<tensor::DimOp>(user) &&
                   !llvm::is_contained(group, user);
          }))
        yielded.push_back(op);
    return yielded;
  }

  /// Makes a tensor.empty of the result's sizes for each result of `op`.
  LogicalResult makeDestinations(Operation *op,
                                 SmallVector<Value> &destinations) {
    OpBuilder builder(op);
    ReifiedRankedShapedTypeDims shapes;
    bool dynamic = llvm::any_of(op->getResultTypes(), [](Type type) {
      return !cast<RankedTensorType>(type).hasStaticShape();
    });
    if (dynamic &&
        failed(cast<ReifyRankedShapedTypeOpInterface>(op).reifyResultShapes(
            builder, shapes)))
      return op->emitError(
          "unsupported: the sizes of the result cannot be expressed");
    for (auto [i, type] : llvm::enumerate(op->getResultTypes())) {
      auto tensor = cast<RankedTensorType>(type);
      SmallVector<Value> sizes;
      for (int64_t d = 0; d < tensor.getRank(); ++d)
        if (tensor.isDynamicDim(d))
          sizes.push_back(getValueOrCreateConstantIndexOp(builder, op->getLoc(),
                                                          shapes[i][d]));
      destinations.push_back(
          tensor::EmptyOp::create(builder, op->getLoc(), tensor, sizes));
    }
    return success();
  }

  /// Appends `op` after the members it uses, in the order of its operands.
  static void
  addBehindOperands(Operation *op,
                    const llvm::SmallPtrSetImpl<Operation *> &members,
                    llvm::SmallSetVector<Operation *, 8> &ordered) {
    for (Value operand : op->getOperands())
      if (Operation *def = operand.getDefiningOp();
          def && members.contains(def) && !ordered.contains(def))
        addBehindOperands(def, members, ordered);
    ordered.insert(op);
  }

  void form(ArrayRef<Operation *> group, ArrayRef<Value> destinations) {
    Operation *root = group.back();
    llvm::SmallSetVector<Value, 8> inputs;
    llvm::SmallPtrSet<Operation *, 8> members(group.begin(), group.end());
    // The order depends only on the computation, so that equal groups share one
    // kernel even if their ops stand in different orders in the graph.
    llvm::SmallSetVector<Operation *, 8> ordered;
    addBehindOperands(root, members, ordered);
    ArrayRef<Operation *> ops = ordered.getArrayRef();
    for (Operation *op : ops)
      for (Value operand : op->getOperands())
        if (!operand.getDefiningOp() ||
            !members.contains(operand.getDefiningOp()))
          inputs.insert(operand);
    OpBuilder builder(root);
    SmallVector<Location> locations;
    for (Operation *op : ops)
      locations.push_back(op->getLoc());
    auto loc = FusedLoc::get(&getContext(), locations);
    SmallVector<Value> results;
    for (Operation *op : yieldedOf(group))
      llvm::append_range(results, op->getResults());
    auto fusion =
        FusionOp::create(builder, loc, TypeRange(ValueRange(results)),
                         kindOf(ops), inputs.getArrayRef(), destinations);
    Block *body = builder.createBlock(&fusion.getBody());
    IRMapping mapping;
    for (Value input : inputs)
      mapping.map(input, body->addArgument(input.getType(), input.getLoc()));
    for (Operation *op : ops)
      builder.clone(*op, mapping);
    SmallVector<Value> yielded;
    for (Value result : results)
      yielded.push_back(mapping.lookup(result));
    YieldOp::create(builder, loc, yielded);
    for (auto [result, place] : llvm::zip_equal(results, fusion.getResults()))
      result.replaceAllUsesWith(place);
    if (auto remark = remarkDone(fusion, RemarkCategory::Fusion, "kernel"))
      remark << describe(fusion) << amount("ops", ops.size());
    for (Operation *op : llvm::reverse(ops))
      op->erase();
  }

  /// The kind of a fusion and the nodes whose ops it has.
  static std::string describe(FusionOp fusion) {
    constexpr size_t mostNodes = 8;
    llvm::SmallSetVector<StringRef, 8> nodes;
    for (Operation &op : fusion.getBlock().without_terminator())
      if (StringRef node = nodeName(op.getLoc()); !node.empty())
        nodes.insert(node);
    std::string text = stringifyFusionKind(fusion.getKind()).str() + " kernel";
    for (auto [i, node] :
         llvm::enumerate(nodes.getArrayRef().take_front(mostNodes)))
      text += ((i ? ", \"" : " of \"") + node + "\"").str();
    if (nodes.size() > mostNodes)
      text += " and " + std::to_string(nodes.size() - mostNodes) + " more";
    return text;
  }
};
} // namespace
} // namespace tenon
