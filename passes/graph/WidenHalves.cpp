// Computes f16 values in f32 and keeps them so between ops: no kernel then
// rounds a value that another one widens again. Values are rounded to f16
// where they leave the graph, where memory already has the type (inputs,
// states, loops), and where an op decides by them.
#include "passes/graph/Passes.h"

#include "dialects/tenon/TenonDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_WIDENHALVES
#include "passes/graph/Passes.h.inc"

namespace {
bool isHalf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isF16();
}

/// True if a small change of an operand may change the result by much. Such an
/// op reads rounded values, so that it agrees with what the user sees.
bool decides(Operation *op) {
  return isa<CeilOp, CompareOp, FloorOp, IsNanOp, RemainderOp,
             RoundNearestAfzOp, RoundNearestEvenOp, SignOp>(op);
}

bool computes(Operation *op) {
  if (isa<BitcastConvertOp, CheckRangeOp, ConvertOp>(op) || decides(op))
    return false;
  return op->hasTrait<Elementwise>() ||
         isa<BatchNormOp, ConvolutionOp, CumulativeOp, DotGeneralOp, GeluOp,
             LayerNormOp, LogSoftmaxOp, ReduceOp, ReduceWindowOp, SoftmaxOp>(
             op);
}

bool moves(Operation *op) {
  return isa<BroadcastInDimOp, ConcatenateOp, DynamicUpdateSliceOp, GatherOp,
             PadOp, ReshapeOp, ReverseOp, SliceOp, TransposeOp>(op);
}

class Widener {
public:
  /// May replace and erase `op`.
  void widen(Operation *op) {
    if (auto convert = dyn_cast<ConvertOp>(op))
      widenConvert(convert);
    else if (auto attention = dyn_cast<AttentionOp>(op))
      widenAttention(attention);
    else if (computes(op) || (moves(op) && movesWide(op)))
      replace(op, [](Value) { return true; });
  }

private:
  /// True if all f16 operands have wide values: to widen an operand only to
  /// move it would cost twice its memory.
  bool movesWide(Operation *op) {
    bool hasWide = false;
    for (Value operand : op->getOperands()) {
      if (!isHalf(operand) || operand.getDefiningOp<ConstantOp>())
        continue;
      if (!wide.contains(operand))
        return false;
      hasWide = true;
    }
    return hasWide;
  }

  /// The value in f32.
  Value widened(OpBuilder &b, Value value) {
    if (Value known = wide.lookup(value))
      return known;
    auto type = cast<RankedTensorType>(value.getType()).clone(b.getF32Type());
    if (auto constant = value.getDefiningOp<ConstantOp>())
      if (auto held = dyn_cast<DenseFPElementsAttr>(constant.getValue())) {
        auto elements = held.mapValues(b.getF32Type(), [](APFloat x) {
          bool isInexact;
          x.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                    &isInexact);
          return x.bitcastToAPInt();
        });
        return ConstantOp::create(b, constant.getLoc(), type, elements);
      }
    return ConvertOp::create(b, value.getLoc(), value, b.getF32Type());
  }

  /// Computes `op` in f32 from those of its f16 operands that `isWide` names,
  /// and rounds the results.
  void replace(Operation *op, llvm::function_ref<bool(Value)> isWide) {
    if (llvm::none_of(op->getOperands(), isHalf))
      return;
    OpBuilder b(op);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(
          isHalf(operand) && isWide(operand) ? widened(b, operand) : operand);
    Operation *copy = b.clone(*op);
    copy->setOperands(operands);
    for (auto [before, after] :
         llvm::zip(op->getResults(), copy->getResults())) {
      if (!isHalf(before)) {
        before.replaceAllUsesWith(after);
        continue;
      }
      after.setType(
          cast<RankedTensorType>(after.getType()).clone(b.getF32Type()));
      Value rounded = ConvertOp::create(b, op->getLoc(), after, b.getF16Type());
      wide[rounded] = after;
      before.replaceAllUsesWith(rounded);
    }
    op->erase();
  }

  /// A float made of a value that was rounded only in name is made of the value
  /// itself; an integer is made of the rounded one.
  void widenConvert(ConvertOp op) {
    Value known = wide.lookup(op.getOperand());
    Type target = op.getType().getElementType();
    if (!known || !isa<FloatType>(target))
      return;
    OpBuilder b(op);
    if (!target.isF32())
      known = ConvertOp::create(b, op.getLoc(), known, target);
    op.replaceAllUsesWith(known);
    op.erase();
  }

  /// Keys and values stay narrow if one of them is in memory: the kernel reads
  /// them there.
  void widenAttention(AttentionOp op) {
    bool areWide = wide.contains(op.getKey()) && wide.contains(op.getValue());
    replace(op, [&](Value operand) {
      return areWide || (operand != op.getKey() && operand != op.getValue());
    });
  }

  llvm::DenseMap<Value, Value> wide; ///< f32, of rounded values
};

struct WidenHalves : impl::WidenHalvesBase<WidenHalves> {
  void runOnOperation() override {
    Widener widener;
    // Operands come before their users, also those in other blocks.
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op->getNumRegions() > 0)
        return WalkResult::advance();
      widener.widen(op);
      return WalkResult::skip();
    });
  }
};
} // namespace
} // namespace tenon
