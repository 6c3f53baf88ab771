// Implements upstream's one-shot bufferization for tenon ops: fusions write to
// their destinations, reshapes are views, weights and constants are existing
// memory.
#include "passes/buffer/Bufferize.h"
#include "passes/buffer/Passes.h"
#include "passes/buffer/SizeCloner.h"

#include "dialects/tenon/PartialUpdate.h"
#include "dialects/tenon/State.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferUtils.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::bufferization;

namespace tenon {
#define GEN_PASS_DEF_BUFFERIZE
#include "passes/buffer/Passes.h.inc"

namespace {

MemRefType identityMemRef(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  return MemRefType::get(type.getShape(), type.getElementType());
}

struct FusionModel
    : BufferizableOpInterface::ExternalModel<FusionModel, FusionOp> {
  static bool isOutput(FusionOp op, OpOperand &operand) {
    return operand.getOperandNumber() >= op.getInputs().size();
  }
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !isOutput(cast<FusionOp>(op), operand);
  }
  bool bufferizesToMemoryWrite(Operation *op, OpOperand &operand,
                               const AnalysisState &) const {
    return isOutput(cast<FusionOp>(op), operand);
  }
  /// No conflict if a kernel updates elements of its input in place: it reads
  /// no element that it has written.
  bool isNotConflicting(Operation *op, OpOperand *read, OpOperand *write,
                        const AnalysisState &) const {
    if (read->getOwner() != op || write->getOwner() != op)
      return false;
    std::optional<PartialUpdate> update = PartialUpdate::of(cast<FusionOp>(op));
    return update && update->operand == read->getOperandNumber();
  }
  AliasingValueList getAliasingValues(Operation *op, OpOperand &operand,
                                      const AnalysisState &) const {
    auto fusion = cast<FusionOp>(op);
    if (!isOutput(fusion, operand))
      return {};
    return {{fusion.getResult(operand.getOperandNumber() -
                              fusion.getInputs().size()),
             BufferRelation::Equivalent}};
  }
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto fusion = cast<FusionOp>(op);
    auto buffersOf = [&](ValueRange values) -> FailureOr<SmallVector<Value>> {
      SmallVector<Value> buffers;
      for (Value value : values) {
        if (!isa<TensorType>(value.getType())) {
          buffers.push_back(value);
          continue;
        }
        FailureOr<Value> buffer = getBuffer(rewriter, value, options, state);
        if (failed(buffer))
          return failure();
        buffers.push_back(*buffer);
      }
      return buffers;
    };
    FailureOr<SmallVector<Value>> inputs = buffersOf(fusion.getInputs()),
                                  outputs = buffersOf(fusion.getOutputs());
    if (failed(inputs) || failed(outputs))
      return failure();
    auto placed =
        FusionOp::create(rewriter, op->getLoc(), TypeRange(), fusion.getKind(),
                         *inputs, *outputs, fusion.getStreamed());
    rewriter.inlineRegionBefore(fusion.getBody(), placed.getBody(),
                                placed.getBody().begin());
    replaceOpWithBufferizedValues(rewriter, op, *outputs);
    return success();
  }
};

/// A reshape between fusions is a view of the operand's memory, because every
/// layout is the identity.
struct ReshapeModel
    : BufferizableOpInterface::ExternalModel<ReshapeModel, ReshapeOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return false;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return false;
  }
  AliasingValueList getAliasingValues(Operation *op, OpOperand &operand,
                                      const AnalysisState &) const {
    if (operand.getOperandNumber() != 0)
      return {};
    return {{op->getResult(0), BufferRelation::Equivalent}};
  }
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto reshape = cast<ReshapeOp>(op);
    FailureOr<Value> buffer =
        getBuffer(rewriter, reshape.getOperand(), options, state);
    if (failed(buffer))
      return failure();
    MemRefType type = identityMemRef(reshape.getType());
    SmallVector<OpFoldResult> sizes =
        getMixedValues(reshape.getStaticSizes(), reshape.getSizes(), rewriter);
    SmallVector<OpFoldResult> strides(sizes.size());
    OpFoldResult stride = rewriter.getIndexAttr(1);
    SmallVector<int64_t> known;
    for (int64_t i = int64_t(sizes.size()) - 1; i >= 0; --i) {
      strides[i] = stride;
      auto a = getConstantIntValue(stride), b = getConstantIntValue(sizes[i]);
      int64_t product = 0;
      // An overflow means that the tensor has no elements: any stride is
      // correct.
      if (a && b)
        stride = rewriter.getIndexAttr(
            llvm::MulOverflow(*a, *b, product) ? 1 : product);
      else
        stride = rewriter.createOrFold<arith::MulIOp>(
            op->getLoc(),
            getValueOrCreateConstantIndexOp(rewriter, op->getLoc(), stride),
            getValueOrCreateConstantIndexOp(rewriter, op->getLoc(), sizes[i]));
    }
    auto [typeStrides, offset] = type.getStridesAndOffset();
    for (auto [i, s] : llvm::enumerate(typeStrides))
      strides[i] = ShapedType::isDynamic(s)
                       ? OpFoldResult(getValueOrCreateConstantIndexOp(
                             rewriter, op->getLoc(), strides[i]))
                       : OpFoldResult(rewriter.getIndexAttr(s));
    // The type must be strided here. The cast below restores the identity
    // layout.
    auto strided = MemRefType::get(
        type.getShape(), type.getElementType(),
        StridedLayoutAttr::get(op->getContext(), 0, typeStrides));
    Value view = memref::ReinterpretCastOp::create(
        rewriter, op->getLoc(), strided, *buffer, rewriter.getIndexAttr(0),
        sizes, strides);
    replaceOpWithBufferizedValues(
        rewriter, op,
        memref::CastOp::create(rewriter, op->getLoc(), type, view).getResult());
    return success();
  }
};

struct WeightModel
    : BufferizableOpInterface::ExternalModel<WeightModel, GetWeightOp> {
  bool isWritable(Operation *, Value, const AnalysisState &) const {
    return false;
  }
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &,
                          BufferizationState &) const {
    auto weight = cast<GetWeightOp>(op);
    replaceOpWithNewBufferizedOp<GetWeightOp>(
        rewriter, op, identityMemRef(weight.getType()), weight.getWeightAttr());
    return success();
  }
};

/// A state that nothing overwrites while its value is used is read in place.
/// Otherwise the value is copied when it is read.
struct StateReadModel
    : BufferizableOpInterface::ExternalModel<StateReadModel, StateReadOp> {
  bool bufferizesToAllocation(Operation *op, Value) const {
    return !cast<StateReadOp>(op).getInPlace();
  }
  bool isWritable(Operation *op, Value, const AnalysisState &) const {
    return !cast<StateReadOp>(op).getInPlace();
  }
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &) const {
    auto read = cast<StateReadOp>(op);
    MemRefType type = identityMemRef(read.getType());
    Value memory = StateMemoryOp::create(rewriter, op->getLoc(), type,
                                         read.getStateAttr());
    if (read.getInPlace()) {
      replaceOpWithBufferizedValues(rewriter, op, memory);
      return success();
    }
    SmallVector<Value> sizes;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.isDynamicDim(d))
        sizes.push_back(
            cast<Value>(stateExtent(rewriter, op, read.getStateAttr(), d)));
    FailureOr<Value> copy =
        options.createAlloc(rewriter, op->getLoc(), type, sizes);
    if (failed(copy))
      return failure();
    memref::CopyOp::create(rewriter, op->getLoc(), memory, *copy);
    replaceOpWithBufferizedValues(rewriter, op, *copy);
    return success();
  }
};

struct StateMemoryModel
    : BufferizableOpInterface::ExternalModel<StateMemoryModel, StateMemoryOp> {
  bool bufferizesToAllocation(Operation *, Value) const { return false; }
  bool resultBufferizesToMemoryWrite(Operation *, OpResult,
                                     const AnalysisState &) const {
    return false; // as for tensor.empty: the old elements are not read
  }
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &,
                          BufferizationState &) const {
    auto memory = cast<StateMemoryOp>(op);
    replaceOpWithNewBufferizedOp<StateMemoryOp>(
        rewriter, op, identityMemRef(memory.getType()), memory.getStateAttr());
    return success();
  }
};

struct StateWriteModel
    : BufferizableOpInterface::ExternalModel<StateWriteModel, StateWriteOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return true;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return false; // does not read the operand
  }
  AliasingValueList getAliasingValues(Operation *, OpOperand &,
                                      const AnalysisState &) const {
    return {};
  }
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto write = cast<StateWriteOp>(op);
    FailureOr<Value> value =
        getBuffer(rewriter, write.getValue(), options, state);
    if (failed(value))
      return failure();
    auto from = value->getDefiningOp<StateMemoryOp>();
    if (!from || from.getStateAttr() != write.getStateAttr()) {
      Value memory = StateMemoryOp::create(
          rewriter, op->getLoc(), identityMemRef(write.getValue().getType()),
          write.getStateAttr());
      memref::CopyOp::create(rewriter, op->getLoc(), *value, memory);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct ConstantModel
    : BufferizableOpInterface::ExternalModel<ConstantModel, ConstantOp> {
  bool isWritable(Operation *, Value, const AnalysisState &) const {
    return false;
  }
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &,
                          BufferizationState &) const {
    auto constant = cast<ConstantOp>(op);
    auto module = op->getParentOfType<ModuleOp>();
    // Equal constants share one global.
    MemRefType type = identityMemRef(constant.getType());
    memref::GlobalOp global;
    for (auto candidate : module.getOps<memref::GlobalOp>())
      if (candidate.getInitialValueAttr() == constant.getValue())
        global = candidate;
    if (!global) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(module.getBody());
      int64_t number = llvm::range_size(module.getOps<memref::GlobalOp>());
      global = memref::GlobalOp::create(
          rewriter, op->getLoc(), "constant." + std::to_string(number),
          rewriter.getStringAttr("private"), type, constant.getValue(), true,
          rewriter.getI64IntegerAttr(bufferAlignment));
    }
    replaceOpWithNewBufferizedOp<memref::GetGlobalOp>(rewriter, op, type,
                                                      global.getName());
    return success();
  }
};

} // namespace

void registerBufferizableOps(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TenonDialect *) {
    FusionOp::attachInterface<FusionModel>(*context);
    ReshapeOp::attachInterface<ReshapeModel>(*context);
    GetWeightOp::attachInterface<WeightModel>(*context);
    ConstantOp::attachInterface<ConstantModel>(*context);
    StateReadOp::attachInterface<StateReadModel>(*context);
    StateMemoryOp::attachInterface<StateMemoryModel>(*context);
    StateWriteOp::attachInterface<StateWriteModel>(*context);
  });
}

namespace {
struct Bufferize : impl::BufferizeBase<Bufferize> {
  void runOnOperation() override {
    OneShotBufferizationOptions options;
    options.bufferizeFunctionBoundaries = true;
    options.setFunctionBoundaryTypeConversion(
        LayoutMapOption::IdentityLayoutMap);
    options.unknownTypeConverterFn =
        [](TensorType type, Attribute,
           const BufferizationOptions &) -> BaseMemRefType {
      return identityMemRef(type);
    };
    options.bufferAlignment = bufferAlignment;
    keepInputs();
    // Recipes and the regions of fusions stay on tensors. A fusion on memrefs
    // is already bufferized, although bufferization may visit it again when a
    // loop is rewritten.
    options.opFilter.denyOperation([](Operation *op) {
      bool done = isa<FusionOp>(op) && llvm::none_of(op->getOperandTypes(),
                                                     llvm::IsaPred<TensorType>);
      return done || isa<WeightOp>(op) || op->getParentOfType<WeightOp>() ||
             op->getParentOfType<FusionOp>();
    });
    BufferizationState state;
    // Without loops no write conflicts with a read, so the analysis is skipped.
    // It is quadratic in the uses of a tensor and cubic in the values that
    // branches yield.
    LogicalResult done =
        writesFreshTensorsOnly()
            ? bufferizeModuleOp(getOperation(), options, state)
            : runOneShotModuleBufferize(getOperation(), options, state);
    if (failed(done))
      signalPassFailure();
    removeBufferizationAttributesInModule(getOperation());
  }

  /// True if every write is a fusion's write to a tensor.empty or a state's
  /// memory that nothing else writes. A module with both branches and states is
  /// analysed, because an op in another branch may read a state's old value.
  bool writesFreshTensorsOnly() {
    bool branches = false, states = false;
    WalkResult result = getOperation().walk<WalkOrder::PreOrder>(
        [&](Operation *op) -> WalkResult {
          if (isa<WeightOp>(op))
            return WalkResult::skip();
          branches |= isa<scf::IfOp>(op);
          states |= isa<StateMemoryOp, StateReadOp, StateWriteOp>(op);
          if (auto fusion = dyn_cast<FusionOp>(op))
            return llvm::all_of(fusion.getOutputs(), isWrittenOnce)
                       ? WalkResult::skip()
                       : WalkResult::interrupt();
          return op->getNumRegions() == 0 ||
                         isa<ModuleOp, func::FuncOp, scf::IfOp>(op)
                     ? WalkResult::advance()
                     : WalkResult::interrupt();
        });
    return !result.wasInterrupted() && !(branches && states);
  }

  static bool isWrittenOnce(Value output) {
    return isa_and_nonnull<tensor::EmptyOp, StateMemoryOp>(
               output.getDefiningOp()) &&
           llvm::count_if(output.getUsers(), [](Operation *user) {
             return !isa<tensor::DimOp>(user);
           }) == 1;
  }

  /// Inputs belong to the caller: a loop that starts with an input carries a
  /// copy.
  void keepInputs() {
    auto no = BoolAttr::get(&getContext(), false);
    for (auto func : getOperation().getOps<func::FuncOp>())
      for (BlockArgument argument : func.getArguments())
        if (isa<TensorType>(argument.getType()))
          func.setArgAttr(argument.getArgNumber(),
                          BufferizationDialect::kWritableAttrName, no);
  }
};
} // namespace

} // namespace tenon
