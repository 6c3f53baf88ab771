// One walk in program order: an op's operand types are refined before the op.
// Index arithmetic is folded on the way, because it gives the sizes of later
// ops.
#include "passes/shape/TypeRefiner.h"

#include "dialects/tenon/TenonDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tenon {
namespace {

/// `type` with its dynamic extents taken from `known`; null if they contradict.
RankedTensorType merge(RankedTensorType type, ArrayRef<int64_t> known) {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [mine, other] : llvm::zip(shape, known)) {
    if (ShapedType::isDynamic(other))
      continue;
    if (!ShapedType::isDynamic(mine) && mine != other)
      return {};
    mine = other;
  }
  return RankedTensorType::get(shape, type.getElementType());
}

/// The extents on which both types agree; others are dynamic.
RankedTensorType commonExtents(RankedTensorType a, RankedTensorType b) {
  SmallVector<int64_t> shape(a.getShape());
  for (auto [mine, other] : llvm::zip(shape, b.getShape()))
    if (mine != other)
      mine = ShapedType::kDynamic;
  return RankedTensorType::get(shape, a.getElementType());
}

class Refiner {
public:
  LogicalResult refine(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block))
      if (failed(refine(&op)))
        return failure();
    return success();
  }

private:
  LogicalResult refine(Operation *op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](scf::IfOp branch) { return refineIf(branch); })
        .Case([&](scf::ForOp loop) { return refineFor(loop); })
        .Case([&](scf::WhileOp loop) { return refineWhile(loop); })
        .Case([&](CheckSizeOp check) { return refineCheck(check); })
        .Default([&](Operation *) {
          if (fold(op))
            return success();
          foldLists(op);
          return refineResults(op);
        });
  }

  static LogicalResult contradiction(Operation *op) {
    return op->emitError("its extents contradict those of its operands");
  }

  //===-- Scalars and lists -----------------------------------------------===//

  /// Replaces a scalar op by its constant result; true if the op is erased.
  static bool fold(Operation *op) {
    bool isScalar = op->getNumResults() == 1 &&
                    op->getResult(0).getType().isIntOrIndexOrFloat();
    if (!isScalar || op->hasTrait<OpTrait::ConstantLike>())
      return false;
    SmallVector<Attribute> operands;
    for (Value operand : op->getOperands()) {
      Attribute &value = operands.emplace_back();
      matchPattern(operand, m_Constant(&value));
    }
    SmallVector<OpFoldResult> results;
    if (failed(op->fold(operands, results)) || results.empty())
      return false;
    Value result = dyn_cast<Value>(results[0]);
    if (!result) {
      OpBuilder builder(op);
      auto constant = arith::ConstantOp::materialize(
          builder, cast<Attribute>(results[0]), op->getResult(0).getType(),
          op->getLoc());
      if (!constant)
        return false;
      result = constant;
    }
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
    return true;
  }

  /// Moves constants from a list's operands into its attribute. Negative
  /// extents stay operands: the run refuses them.
  template <typename Set>
  static void foldList(MutableOperandRange values, ArrayRef<int64_t> statics,
                       Set set, bool areExtents) {
    SmallVector<int64_t> list(statics);
    SmallVector<Value> rest;
    size_t next = 0;
    for (int64_t &entry : list) {
      if (!ShapedType::isDynamic(entry))
        continue;
      Value value = values[next++].get();
      std::optional<int64_t> number = getConstantIntValue(value);
      if (number && !ShapedType::isDynamic(*number) &&
          (!areExtents || *number >= 0))
        entry = *number;
      else
        rest.push_back(value);
    }
    if (rest.size() == values.size())
      return;
    values.assign(rest);
    set(list);
  }

  static void foldLists(Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<IotaOp, BroadcastInDimOp, ReshapeOp>([](auto op) {
          foldList(
              op.getSizesMutable(), op.getStaticSizes(),
              [&](ArrayRef<int64_t> list) { op.setStaticSizes(list); }, true);
        })
        .Case([](SliceOp op) {
          foldList(
              op.getOffsetsMutable(), op.getStaticOffsets(),
              [&](ArrayRef<int64_t> list) { op.setStaticOffsets(list); },
              false);
          foldList(
              op.getSizesMutable(), op.getStaticSizes(),
              [&](ArrayRef<int64_t> list) { op.setStaticSizes(list); }, true);
          foldList(
              op.getStridesMutable(), op.getStaticStrides(),
              [&](ArrayRef<int64_t> list) { op.setStaticStrides(list); },
              false);
        })
        .Case([](PadOp op) {
          foldList(
              op.getLowMutable(), op.getStaticLow(),
              [&](ArrayRef<int64_t> list) { op.setStaticLow(list); }, false);
          foldList(
              op.getHighMutable(), op.getStaticHigh(),
              [&](ArrayRef<int64_t> list) { op.setStaticHigh(list); }, false);
        })
        .Case([](DynamicUpdateSliceOp op) {
          foldList(
              op.getOffsetsMutable(), op.getStaticOffsets(),
              [&](ArrayRef<int64_t> list) { op.setStaticOffsets(list); },
              false);
        });
  }

  /// Reports a check that fails for all inputs.
  static LogicalResult refineCheck(CheckSizeOp check) {
    auto found = getConstantIntValue(check.getFound()),
         low = getConstantIntValue(check.getLow()),
         high = getConstantIntValue(check.getHigh());
    bool isTop = isa<func::FuncOp>(check->getParentOp());
    if (!isTop || !found ||
        ((!low || *found >= *low) && (!high || *found <= *high)))
      return success();
    InFlightDiagnostic error = check.emitError();
    error << check.getSite() << ": got " << *found;
    if (!high || !low)
      return error << (low ? ", expected at least " : ", expected at most ")
                   << (low ? *low : *high);
    error << ", expected " << *low;
    return low == high ? error : error << " to " << *high;
  }

  //===-- Results ---------------------------------------------------------===//

  static LogicalResult refineResults(Operation *op) {
    if (llvm::none_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
      return success();
    makeOperandsEqual(op);
    if (auto lists =
            llvm::TypeSwitch<Operation *, std::optional<ArrayRef<int64_t>>>(op)
                .Case<IotaOp, BroadcastInDimOp, ReshapeOp, SliceOp>(
                    [](auto op) { return op.getStaticSizes(); })
                .Default([](Operation *) { return std::nullopt; }))
      return refineResult(op, op->getResult(0), *lists);
    if (auto view = dyn_cast<tensor::CastOp>(op)) {
      auto source = dyn_cast<RankedTensorType>(view.getSource().getType());
      return source ? refineResult(op, view.getResult(), source.getShape())
                    : success();
    }
    if (auto infer = dyn_cast<InferTypeOpInterface>(op)) {
      SmallVector<Type> types;
      if (failed(infer.inferReturnTypes(
              op->getContext(), op->getLoc(), op->getOperands(),
              op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
              op->getRegions(), types)))
        return contradiction(op);
      for (auto [result, type] : llvm::zip(op->getResults(), types))
        if (auto tensor = dyn_cast<RankedTensorType>(type))
          if (failed(refineResult(op, result, tensor.getShape())))
            return failure();
      return success();
    }
    return refineReified(op);
  }

  static LogicalResult refineReified(Operation *op) {
    auto reify = dyn_cast<ReifyRankedShapedTypeOpInterface>(op);
    if (!reify)
      return success();
    OpBuilder builder(op);
    ReifiedRankedShapedTypeDims shapes;
    if (failed(reify.reifyResultShapes(builder, shapes)))
      return success();
    for (auto [result, sizes] : llvm::zip(op->getResults(), shapes)) {
      SmallVector<int64_t> known;
      for (OpFoldResult size : sizes) {
        std::optional<int64_t> number = getConstantIntValue(size);
        known.push_back(number && *number >= 0 ? *number
                                               : ShapedType::kDynamic);
      }
      if (failed(refineResult(op, result, known)))
        return failure();
    }
    return success();
  }

  static LogicalResult refineResult(Operation *op, Value result,
                                    ArrayRef<int64_t> known) {
    RankedTensorType type =
        merge(cast<RankedTensorType>(result.getType()), known);
    if (!type)
      return contradiction(op);
    result.setType(type);
    return success();
  }

  /// Gives both operands of an op one type. For a comparison a size check
  /// ensures that their extents agree. For a select the type keeps what holds
  /// for both.
  static void makeOperandsEqual(Operation *op) {
    unsigned first = isa<arith::SelectOp>(op) ? 1 : 0;
    if (!isa<arith::SelectOp, CompareOp>(op) ||
        op->getOperand(first).getType() == op->getOperand(first + 1).getType())
      return;
    auto a = cast<RankedTensorType>(op->getOperand(first).getType()),
         b = cast<RankedTensorType>(op->getOperand(first + 1).getType());
    RankedTensorType both =
        first ? commonExtents(a, b) : merge(a, b.getShape());
    for (unsigned i : {first, first + 1})
      if (both)
        castOperand(op->getOpOperand(i), both);
    if (first && both)
      op->getResult(0).setType(both);
  }

  /// Casts the operand to `type`; false if the types contradict.
  static bool castOperand(OpOperand &operand, Type type) {
    if (operand.get().getType() == type)
      return true;
    if (!tensor::CastOp::areCastCompatible(operand.get().getType(), type))
      return false;
    OpBuilder builder(operand.getOwner());
    operand.set(tensor::CastOp::create(builder, operand.getOwner()->getLoc(),
                                       type, operand.get()));
    return true;
  }

  //===-- Control flow ----------------------------------------------------===//

  /// Replaces an if with a constant condition by the chosen region.
  LogicalResult refineIf(scf::IfOp branch) {
    Attribute condition;
    if (matchPattern(branch.getCondition(), m_Constant(&condition))) {
      bool isTrue = cast<IntegerAttr>(condition).getValue().getBoolValue();
      Region &region = isTrue ? branch.getThenRegion() : branch.getElseRegion();
      if (region.empty()) {
        branch.erase();
        return success();
      }
      Block &block = region.front();
      if (failed(refine(block)))
        return failure();
      auto yield = cast<scf::YieldOp>(block.getTerminator());
      branch.replaceAllUsesWith(yield.getOperands());
      yield.erase();
      branch->getBlock()->getOperations().splice(branch->getIterator(),
                                                 block.getOperations());
      branch.erase();
      return success();
    }
    for (Region *region : branch.getRegions())
      if (!region->empty() && failed(refine(region->front())))
        return failure();
    if (branch->getNumResults() == 0)
      return success();
    scf::YieldOp yes = branch.thenYield(), no = branch.elseYield();
    for (OpResult result : branch->getResults()) {
      OpOperand &a = yes->getOpOperand(result.getResultNumber()),
                &b = no->getOpOperand(result.getResultNumber());
      auto left = dyn_cast<RankedTensorType>(a.get().getType()),
           right = dyn_cast<RankedTensorType>(b.get().getType());
      if (left && right) {
        RankedTensorType both = commonExtents(left, right);
        castOperand(a, both);
        castOperand(b, both);
        result.setType(both);
      } else if (auto number = getConstantIntValue(a.get());
                 number && number == getConstantIntValue(b.get()) &&
                 result.getType().isIndex()) {
        OpBuilder builder(branch);
        result.replaceAllUsesWith(
            arith::ConstantIndexOp::create(builder, branch.getLoc(), *number));
      }
    }
    return success();
  }

  LogicalResult refineFor(scf::ForOp loop) {
    for (auto [argument, start] :
         llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
      argument.setType(start.getType());
    if (failed(refine(*loop.getBody())) ||
        failed(carry(loop.getBody()->getTerminator(), loop.getInitArgs())))
      return failure();
    for (auto [result, start] :
         llvm::zip(loop.getResults(), loop.getInitArgs()))
      result.setType(start.getType());
    return success();
  }

  LogicalResult refineWhile(scf::WhileOp loop) {
    for (auto [argument, start] :
         llvm::zip(loop.getBeforeArguments(), loop.getInits()))
      argument.setType(start.getType());
    if (failed(refine(*loop.getBeforeBody())))
      return failure();
    ValueRange passed = loop.getConditionOp().getArgs();
    for (auto [argument, value] : llvm::zip(loop.getAfterArguments(), passed))
      argument.setType(value.getType());
    if (failed(refine(*loop.getAfterBody())) ||
        failed(carry(loop.getYieldOp(), loop.getInits())))
      return failure();
    for (auto [result, value] : llvm::zip(loop.getResults(), passed))
      result.setType(value.getType());
    return success();
  }

  /// Casts the carried values to the types they had at the start of the loop.
  static LogicalResult carry(Operation *yield, ValueRange starts) {
    for (auto [i, start] : llvm::enumerate(starts))
      if (!castOperand(yield->getOpOperand(i), start.getType()))
        return contradiction(yield);
    return success();
  }
};
} // namespace

LogicalResult refineTypes(func::FuncOp func) {
  Block &entry = func.getBody().front();
  if (failed(Refiner().refine(entry)))
    return failure();
  func.setType(FunctionType::get(func.getContext(), entry.getArgumentTypes(),
                                 entry.getTerminator()->getOperandTypes()));
  return success();
}

} // namespace tenon
