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
#include "passes/buffer/ArenaPlanner.h"
#include "passes/buffer/BlobLayout.h"
#include "passes/buffer/BlobViews.h"
#include "passes/buffer/BufferExtents.h"
#include "passes/buffer/BufferLifetimes.h"
#include "passes/buffer/ByteCounts.h"
#include "passes/buffer/SizeBounds.h"

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
      BufferLifetime lifetime{elementBytes(alloc.getType()), steps.first,
                              steps.last};
      for (int64_t extent : alloc.getType().getShape())
        lifetime.bytes = multiplyBytes(
            lifetime.bytes,
            ShapedType::isDynamic(extent) ? typicalExtent : extent);
      dynamic |= !alloc.getType().hasStaticShape();
      buffers.push_back({alloc, lifetime});
    });
  }

  LogicalResult placeBuffers() {
    Location loc = func.getLoc();
    auto bytesType = MemRefType::get({ShapedType::kDynamic},
                                     IntegerType::get(func.getContext(), 8));
    arena = entry.addArgument(bytesType, loc);
    std::vector<BufferLifetime> lifetimes;
    for (const Buffer &buffer : buffers)
      lifetimes.push_back(buffer.lifetime);
    OpBuilder planBuilder = OpBuilder::atBlockEnd(&plan.getBody().front());
    if (!dynamic) {
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
    std::vector<int64_t> slots = planSlots(lifetimes);
    OpBuilder builder = OpBuilder::atBlockBegin(&entry);
    IRMapping mapping;
    for (BlockArgument argument : entry.getArguments().take_front(numInputs))
      mapping.map(argument, argument);
    FailureOr<SlotPlan> here = planInSlots(builder, mapping, slots),
                        planned = planInSlots(planBuilder, planMapping, slots);
    if (failed(here) || failed(planned))
      return failure();
    for (auto [buffer, offset] : llvm::zip(buffers, here->offsets)) {
      OpBuilder at(buffer.alloc);
      replace(at, buffer.alloc, offset);
    }
    func::ReturnOp::create(planBuilder, loc, planned->bytes);
    return success();
  }

  struct SlotPlan {
    SmallVector<Value> offsets; ///< of the buffers in the arena
    Value bytes;
  };

  /// Lays the slots out one after another and puts each buffer in the middle of
  /// its slot. Then the halves of successive buffers in a slot overlap even if
  /// their sizes differ. Each half is used by its own threads, so its cache
  /// lines need not move between cores.
  FailureOr<SlotPlan> planInSlots(OpBuilder &builder, IRMapping &mapping,
                                  const std::vector<int64_t> &slots) {
    Location loc = func.getLoc();
    int64_t count =
        slots.empty() ? 0 : *std::max_element(slots.begin(), slots.end()) + 1;
    SmallVector<Value> bytes(count), sizes;
    SizeBounds bounds(builder, mapping);
    for (auto [buffer, slot] : llvm::zip(buffers, slots)) {
      MemRefType type = buffer.alloc.getType();
      int64_t known = elementBytes(type);
      for (int64_t extent : type.getShape())
        known =
            multiplyBytes(known, ShapedType::isDynamic(extent) ? 1 : extent);
      Value size = arith::ConstantIndexOp::create(builder, loc, known);
      for (Value extent : buffer.alloc.getDynamicSizes()) {
        Value most = bounds.upperBound(extent);
        if (!most)
          return explainUnbounded(bounds);
        size = multiplyBytes(builder, loc, size, most);
      }
      sizes.push_back(size);
      bytes[slot] =
          bytes[slot]
              ? builder.createOrFold<arith::MaxSIOp>(loc, bytes[slot], size)
              : size;
    }
    SmallVector<Value> starts;
    Value start = arith::ConstantIndexOp::create(builder, loc, 0);
    Value most = arith::ConstantIndexOp::create(builder, loc, maxBytes);
    Value mask = arith::ConstantIndexOp::create(builder, loc, -bufferAlignment);
    Value roundUp =
        arith::ConstantIndexOp::create(builder, loc, bufferAlignment - 1);
    for (Value size : bytes) {
      starts.push_back(start);
      Value end = builder.createOrFold<arith::AddIOp>(
          loc, start, builder.createOrFold<arith::AddIOp>(loc, size, roundUp));
      start = builder.createOrFold<arith::MinSIOp>(
          loc, builder.createOrFold<arith::AndIOp>(loc, end, mask), most);
    }
    SlotPlan result{{}, start};
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    for (auto [size, slot] : llvm::zip(sizes, slots)) {
      Value rest = builder.createOrFold<arith::SubIOp>(loc, bytes[slot], size);
      Value half = builder.createOrFold<arith::ShRUIOp>(loc, rest, one);
      result.offsets.push_back(builder.createOrFold<arith::AddIOp>(
          loc, starts[slot],
          builder.createOrFold<arith::AndIOp>(loc, half, mask)));
    }
    return result;
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
