// Assigns memory to every buffer. Results become arguments; allocations become
// views of one arena at planned offsets; weights become views of one blob,
// states of another. Input: a bufferized module with identity layouts.
// Afterwards nothing allocates, and `@NAME.plan` computes every size before a
// run.
//
//   @NAME(%call, inputs..., outputs..., %arena, %weights, %state, %shapes)
//   %shapes: extents of bounded outputs, written at the end
//   @NAME.plan(%call, inputs..., %shapes) -> index                    all
//   output extents, the arena's bytes
#include "passes/buffer/Passes.h"

#include "dialects/tenon/Annotations.h"
#include "dialects/tenon/SizeForms.h"
#include "passes/buffer/ArenaPlanner.h"
#include "passes/buffer/BlobLayout.h"
#include "passes/buffer/BlobViews.h"
#include "passes/buffer/BufferExtents.h"
#include "passes/buffer/BufferLifetimes.h"
#include "passes/buffer/ByteCounts.h"
#include "passes/buffer/SizeBounds.h"
#include "passes/buffer/SlotOffsets.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_PLACEBUFFERS
#include "passes/buffer/Passes.h.inc"

namespace {
/// The extent assumed for a dynamic extent when slots are chosen; it affects
/// only the memory used.
constexpr int64_t typicalExtent = 64;

struct Buffer {
  memref::AllocOp alloc;
  BufferLifetime lifetime;
  int64_t knownBytes; ///< the product of all known extents
};

class FunctionPlacer {
public:
  explicit FunctionPlacer(func::FuncOp func)
      : func(func), entry(func.getBody().front()),
        numInputs(func.getNumArguments()) {}

  LogicalResult run() {
    resolveExtents(func);
    if (failed(collectResults()))
      return failure();
    if (failed(makePlanBeforeArena()))
      return failure();
    claimOutputs();
    collectBuffers();
    if (failed(placeBuffers()))
      return failure();
    Value weights = entry.addArgument(arena.getType(), func.getLoc());
    viewWeights(func, weights);
    Value states = entry.addArgument(arena.getType(), func.getLoc());
    if (viewStates(func, states))
      annotation::usesState.set(func, UnitAttr::get(func.getContext()));
    finishSignature();
    return success();
  }

private:
  LogicalResult collectResults() {
    auto ret = cast<func::ReturnOp>(entry.getTerminator());
    for (Value result : ret.getOperands()) {
      results.push_back(result);
      SmallVector<OpFoldResult> sizes;
      for (int64_t d = 0, rank = cast<MemRefType>(result.getType()).getRank();
           d < rank; ++d)
        sizes.push_back(extentOf(result, d));
      resultSizes.push_back(sizes);
    }
    return success();
  }

  /// Builds the plan function up to the arena's size: it computes the output
  /// extents from input extents and values.
  LogicalResult makePlanBeforeArena() {
    OpBuilder builder(func);
    Location loc = func.getLoc();
    SmallVector<Type> types = {LLVM::LLVMPointerType::get(func.getContext())};
    llvm::append_range(types, func.getArgumentTypes());
    auto shapesType =
        MemRefType::get({ShapedType::kDynamic}, builder.getI64Type());
    types.push_back(shapesType);
    plan = func::FuncOp::create(
        builder, loc, (func.getName() + ".plan").str(),
        builder.getFunctionType(types, builder.getIndexType()));
    plan.setPrivate();
    Block *block = plan.addEntryBlock();
    builder.setInsertionPointToStart(block);
    for (auto [from, to] :
         llvm::zip(entry.getArguments(), block->getArguments().drop_front()))
      planMapping.map(from, to);
    moveChecks(builder);
    SizeBounds bounds(builder, planMapping);
    int64_t slot = 0;
    for (auto &sizes : resultSizes)
      for (OpFoldResult size : sizes) {
        Value extent;
        auto value = dyn_cast<Value>(size);
        if (value)
          extent = bounds.upperBound(value);
        else
          extent = arith::ConstantIndexOp::create(builder, loc,
                                                  *getConstantIntValue(size));
        if (!extent)
          return explainUnbounded(bounds);
        isBounded.push_back(value && !bounds.isKnown(value));
        Value number = arith::IndexCastOp::create(builder, loc,
                                                  builder.getI64Type(), extent);
        memref::StoreOp::create(
            builder, loc, number, block->getArguments().back(),
            Value(arith::ConstantIndexOp::create(builder, loc, slot++)));
      }
    return success();
  }

  /// Emits an error at every op whose result is an unbounded size.
  LogicalResult explainUnbounded(SizeBounds &bounds) {
    // One error for each node: several ops may have its name.
    llvm::MapVector<Attribute, Location> obstacles;
    auto find = [&](Value size) {
      if (bounds.upperBound(size))
        return;
      Location place = bounds.obstacleTo(size);
      auto name = place->findInstanceOf<NameLoc>();
      obstacles.insert({name ? Attribute(name.getName()) : place, place});
    };
    for (auto &sizes : resultSizes)
      for (OpFoldResult size : sizes)
        if (auto value = dyn_cast<Value>(size))
          find(value);
    func.walk([&](memref::AllocOp alloc) {
      for (Value extent : alloc.getDynamicSizes())
        find(extent);
    });
    for (auto &[name, place] : obstacles)
      emitError(place, "unsupported: the size of a result depends on values "
                       "computed during the run");
    return failure();
  }

  /// True if the plan is needed: a function with static sizes may be run
  /// without calling it.
  bool hasUnknownSizes() {
    auto isUnknown = [](Type type) {
      auto memref = dyn_cast<MemRefType>(type);
      return memref && !memref.hasStaticShape();
    };
    if (llvm::any_of(func.getArgumentTypes(), isUnknown) ||
        llvm::any_of(func.getResultTypes(), isUnknown))
      return true;
    return func
        .walk([&](memref::AllocOp alloc) {
          return isUnknown(alloc.getType()) ? WalkResult::interrupt()
                                            : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Moves the checks that can be computed before the run to the start of the
  /// plan, so that it computes nothing from invalid sizes.
  void moveChecks(OpBuilder &builder) {
    if (!hasUnknownSizes())
      return;
    SizeCloner cloner(builder, planMapping);
    for (auto check : llvm::make_early_inc_range(entry.getOps<CheckSizeOp>())) {
      if (!llvm::all_of(check->getOperands(), [&](Value operand) {
            return cloner.canClone(operand);
          }))
        continue;
      for (Value operand : check->getOperands())
        cloner.clone(operand);
      builder.clone(*check, planMapping);
      check.erase();
    }
  }

  /// The allocation behind a result, through reshapes; null if the result is an
  /// input, a weight or a buffer of a loop.
  static memref::AllocOp allocBehind(Value value) {
    while (Operation *op = value.getDefiningOp()) {
      if (auto alloc = dyn_cast<memref::AllocOp>(op))
        return alloc;
      if (!isa<memref::CastOp, memref::ReinterpretCastOp>(op))
        break;
      value = op->getOperand(0);
    }
    return {};
  }

  /// Turns results into arguments. An allocation that becomes exactly one
  /// result is replaced by that argument.
  void claimOutputs() {
    auto ret = cast<func::ReturnOp>(entry.getTerminator());
    llvm::SmallDenseMap<Operation *, int> claims;
    for (Value result : results)
      if (auto alloc = allocBehind(result))
        ++claims[alloc];
    for (auto [i, result] : llvm::enumerate(results)) {
      auto type = cast<MemRefType>(result.getType());
      BlockArgument output = entry.addArgument(type, result.getLoc());
      outputs.push_back(output);
      memref::AllocOp alloc = allocBehind(result);
      if (alloc && claims[alloc] == 1 && alloc->getBlock() == &entry) {
        OpBuilder builder(alloc);
        Value view = viewOf(builder, alloc.getLoc(), output, alloc);
        alloc.replaceAllUsesWith(view);
        alloc.erase();
        continue;
      }
      OpBuilder builder(ret);
      Value target = output;
      if (!type.hasStaticShape())
        target =
            reinterpret(builder, ret.getLoc(), output, type, resultSizes[i]);
      memref::CopyOp::create(builder, ret.getLoc(), result, target);
    }
  }

  /// A view of `output` with the shape of `alloc`.
  Value viewOf(OpBuilder &builder, Location loc, Value output,
               memref::AllocOp alloc) {
    if (alloc.getType() == output.getType() && alloc.getType().hasStaticShape())
      return output;
    SmallVector<OpFoldResult> sizes = getMixedValues(
        alloc.getType().getShape(), alloc.getDynamicSizes(), builder);
    return reinterpret(builder, loc, output, alloc.getType(), sizes);
  }

  static Value reinterpret(OpBuilder &builder, Location loc, Value source,
                           MemRefType type, ArrayRef<OpFoldResult> sizes) {
    SmallVector<OpFoldResult> strides(sizes.size());
    auto [typeStrides, offset] = type.getStridesAndOffset();
    OpFoldResult stride = builder.getIndexAttr(1);
    for (int64_t i = int64_t(sizes.size()) - 1; i >= 0; --i) {
      strides[i] = ShapedType::isDynamic(typeStrides[i])
                       ? OpFoldResult(getValueOrCreateConstantIndexOp(
                             builder, loc, stride))
                       : OpFoldResult(builder.getIndexAttr(typeStrides[i]));
      if (i > 0)
        stride = builder.createOrFold<arith::MulIOp>(
            loc, getValueOrCreateConstantIndexOp(builder, loc, strides[i]),
            getValueOrCreateConstantIndexOp(builder, loc, sizes[i]));
    }
    auto strided = MemRefType::get(
        type.getShape(), type.getElementType(),
        StridedLayoutAttr::get(type.getContext(), 0, typeStrides));
    Value view = memref::ReinterpretCastOp::create(
        builder, loc, strided, source, builder.getIndexAttr(0), sizes, strides);
    return memref::CastOp::create(builder, loc, type, view);
  }

  void collectBuffers() {
    BufferLifetimes lifetimes(func);
    func.walk([&](memref::AllocOp alloc) {
      StepRange steps = lifetimes.of(alloc);
      int64_t known = elementBytes(alloc.getType()), estimate = known;
      for (int64_t extent : alloc.getType().getShape()) {
        bool isKnown = !ShapedType::isDynamic(extent);
        known = multiplyBytes(known, isKnown ? extent : 1);
        estimate = multiplyBytes(estimate, isKnown ? extent : typicalExtent);
      }
      dynamic |= !alloc.getType().hasStaticShape();
      buffers.push_back({alloc, {estimate, steps.first, steps.last}, known});
    });
  }

  LogicalResult placeBuffers() {
    Location loc = func.getLoc();
    auto bytesType = MemRefType::get({ShapedType::kDynamic},
                                     IntegerType::get(func.getContext(), 8));
    arena = entry.addArgument(bytesType, loc);
    OpBuilder planBuilder = OpBuilder::atBlockEnd(&plan.getBody().front());
    if (!dynamic) {
      std::vector<BufferLifetime> lifetimes;
      for (const Buffer &buffer : buffers)
        lifetimes.push_back(buffer.lifetime);
      ArenaPlan layout = planOffsets(lifetimes, bufferAlignment);
      for (auto [buffer, offset] : llvm::zip(buffers, layout.offsets)) {
        OpBuilder builder(buffer.alloc);
        replace(builder, buffer.alloc,
                arith::ConstantIndexOp::create(builder, loc, offset));
      }
      Value total =
          arith::ConstantIndexOp::create(planBuilder, loc, layout.bytes);
      func::ReturnOp::create(planBuilder, loc, total);
      annotation::arenaBytes.setCount(func, layout.bytes);
      return success();
    }
    ScaledPlan layout = planScaled(scaledBuffers(), bufferAlignment);
    OpBuilder builder = OpBuilder::atBlockBegin(&entry);
    IRMapping mapping;
    for (BlockArgument argument : entry.getArguments().take_front(numInputs))
      mapping.map(argument, argument);
    FailureOr<SlotOffsets> here = planInSlots(builder, mapping, layout),
                           planned =
                               planInSlots(planBuilder, planMapping, layout);
    if (failed(here) || failed(planned))
      return failure();
    for (auto [buffer, offset] : llvm::zip(buffers, here->offsets)) {
      OpBuilder at(buffer.alloc);
      replace(at, buffer.alloc, offset);
    }
    func::ReturnOp::create(planBuilder, loc, planned->bytes);
    return success();
  }

  /// The buffers, with a number for each product of dynamic extents.
  std::vector<ScaledBuffer> scaledBuffers() {
    SizeForms forms(func);
    std::map<SizeForm, int64_t> numbers;
    std::vector<ScaledBuffer> scaled;
    for (Buffer &buffer : buffers) {
      SizeForm factor = SizeForms::number(1);
      for (Value extent : buffer.alloc.getDynamicSizes())
        factor = factor * forms.of(extent);
      auto found = numbers.try_emplace(factor, numbers.size()).first;
      scaled.push_back({buffer.lifetime, buffer.knownBytes, found->second});
    }
    return scaled;
  }

  /// The product of each buffer's dynamic extents, at most; null if there are
  /// none.
  FailureOr<SmallVector<Value>> factors(OpBuilder &builder,
                                        IRMapping &mapping) {
    SizeBounds bounds(builder, mapping);
    // Buffers of a layer have the same extents as those of another.
    std::map<std::vector<void *>, Value> known;
    SmallVector<Value> result;
    for (Buffer &buffer : buffers) {
      std::vector<void *> key;
      for (Value extent : buffer.alloc.getDynamicSizes())
        key.push_back(extent.getAsOpaquePointer());
      auto [found, isNew] = known.try_emplace(key);
      if (isNew)
        for (Value extent : buffer.alloc.getDynamicSizes()) {
          Value most = bounds.upperBound(extent);
          if (!most)
            return explainUnbounded(bounds);
          found->second = found->second ? multiplyBytes(builder, func.getLoc(),
                                                        found->second, most)
                                        : most;
        }
      result.push_back(found->second);
    }
    return result;
  }

  /// Emits the plan's offsets and the arena's bytes.
  FailureOr<SlotOffsets> planInSlots(OpBuilder &builder, IRMapping &mapping,
                                     const ScaledPlan &layout) {
    FailureOr<SmallVector<Value>> found = factors(builder, mapping);
    if (failed(found))
      return failure();
    return emitSlotOffsets(builder, func.getLoc(), layout, *found);
  }

  void replace(OpBuilder &builder, memref::AllocOp alloc, Value offset) {
    Value view =
        memref::ViewOp::create(builder, alloc.getLoc(), alloc.getType(), arena,
                               offset, alloc.getDynamicSizes());
    alloc.replaceAllUsesWith(view);
    alloc.erase();
  }

  /// Adds the call pointer as first argument and the bounded outputs' extents
  /// as last, and removes the results.
  void finishSignature() {
    Location loc = func.getLoc();
    MLIRContext *context = func.getContext();
    OpBuilder builder(entry.getTerminator());
    auto shapesType =
        MemRefType::get({ShapedType::kDynamic}, builder.getI64Type());
    Value shapes = entry.addArgument(shapesType, loc);
    int64_t slot = 0;
    SmallVector<bool> bounded;
    for (auto &sizes : resultSizes) {
      bounded.push_back(false);
      for (OpFoldResult size : sizes) {
        int64_t at = slot++;
        if (!isBounded[at])
          continue;
        bounded.back() = true;
        Value number = arith::IndexCastOp::create(
            builder, loc, builder.getI64Type(), cast<Value>(size));
        memref::StoreOp::create(
            builder, loc, number, shapes,
            Value(arith::ConstantIndexOp::create(builder, loc, at)));
      }
    }
    entry.insertArgument(0u, LLVM::LLVMPointerType::get(context), loc);
    SmallVector<DictionaryAttr> attrs = {DictionaryAttr::get(context)};
    for (int64_t i = 0; i < numInputs; ++i)
      attrs.push_back(func.getArgAttrDict(i) ? func.getArgAttrDict(i)
                                             : DictionaryAttr::get(context));
    for (auto [i, flag] : llvm::enumerate(bounded)) {
      NamedAttrList list(func.getResultAttrDict(i)
                             ? func.getResultAttrDict(i)
                             : DictionaryAttr::get(context));
      list.set(annotation::output.key, builder.getUnitAttr());
      if (flag)
        list.set(annotation::bounded.key, builder.getUnitAttr());
      attrs.push_back(list.getDictionary(context));
    }
    attrs.resize(entry.getNumArguments(), DictionaryAttr::get(context));
    entry.getTerminator()->setOperands({});
    func.setType(builder.getFunctionType(entry.getArgumentTypes(), {}));
    func.setResAttrsAttr(nullptr);
    func.setAllArgAttrs(attrs);
    annotation::numInputs.setCount(func, numInputs);
    annotation::numOutputs.setCount(func, outputs.size());
  }

  func::FuncOp func, plan;
  Block &entry;
  int64_t numInputs;
  IRMapping planMapping;
  SmallVector<Value> results, outputs;
  SmallVector<SmallVector<OpFoldResult>> resultSizes;
  SmallVector<bool> isBounded; ///< one entry for each extent of all results
  std::vector<Buffer> buffers;
  Value arena;
  bool dynamic = false;
};

struct PlaceBuffers : impl::PlaceBuffersBase<PlaceBuffers> {
  void runOnOperation() override {
    layOutBlobs(getOperation());
    SmallVector<func::FuncOp> graphs;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func.isPrivate() && !func.isExternal())
        graphs.push_back(func);
    for (func::FuncOp func : graphs)
      if (failed(FunctionPlacer(func).run()))
        return signalPassFailure();
  }
};
} // namespace
} // namespace tenon
