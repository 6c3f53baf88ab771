// Counts the operations of the fusion, not of the code emitted for it. Work
// that a kernel repeats counts once, so that a profile shows the kernel as
// slow.
#include "passes/kernel/KernelWork.h"

#include "dialects/tenon/Machine.h"
#include "dialects/tenon/Packing.h"
#include "dialects/tenon/PartialUpdate.h"
#include "passes/kernel/ExtentSource.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tenon {
namespace {
class WorkCounter {
public:
  WorkCounter(FusionOp fusion, OpBuilder &builder, bool readsMemory)
      : fusion(fusion), readsMemory(readsMemory), at{builder, fusion.getLoc()} {
    if (updatesInPlace(fusion))
      update = PartialUpdate::of(fusion);
    findStoredExtents();
  }

  KernelWork count() {
    KernelWork work{at.constant(0), at.constant(0)};
    for (Operation &op : fusion.getBlock().without_terminator())
      work.flops = at.add(work.flops, flopsOf(op));
    for (BlockArgument argument : fusion.getBlock().getArguments())
      if (isa<RankedTensorType>(argument.getType()))
        work.bytes = at.add(work.bytes, bytesRead(argument));
    if (update)
      work.bytes = at.add(work.bytes, bytes(update->update()));
    else
      for (Value output : fusion.getOutputs())
        work.bytes = at.add(work.bytes, bytes(output));
    return work;
  }

private:
  /// A dimension of an output.
  using StoredExtent = std::pair<Value, int64_t>;

  /// Goes backwards from the outputs through ops that keep extents: those of a
  /// convolution's result are found only there.
  void findStoredExtents() {
    for (auto [value, output] :
         llvm::zip(fusion.getYield().getValues(), fusion.getOutputs()))
      for (int64_t d = 0, rank = cast<ShapedType>(value.getType()).getRank();
           d < rank; ++d)
        stored[value].emplace_back(output, d);
    for (Operation &op :
         llvm::reverse(fusion.getBlock().without_terminator())) {
      auto found =
          op.getNumResults() == 1 ? stored.find(op.getResult(0)) : stored.end();
      if (found == stored.end())
        continue;
      SmallVector<StoredExtent> extents = found->second;
      if (auto transpose = dyn_cast<TransposeOp>(op)) {
        SmallVector<StoredExtent> before(extents.size());
        for (auto [d, from] : llvm::enumerate(transpose.getPermutation()))
          before[from] = extents[d];
        stored.try_emplace(transpose.getOperand(), before);
      } else if (op.hasTrait<Elementwise>()) {
        for (Value operand : op.getOperands())
          if (isa<RankedTensorType>(operand.getType()))
            stored.try_emplace(operand, extents);
      }
    }
  }

  Value outside(BlockArgument argument) {
    return fusion.getInputs()[argument.getArgNumber()];
  }

  /// An extent of a value of the region or of a memref; null if it is known
  /// only inside the kernel.
  Value extent(Value tensor, int64_t dim) {
    auto type = cast<ShapedType>(tensor.getType());
    if (!type.isDynamicDim(dim))
      return at.constant(type.getDimSize(dim));
    if (isa<MemRefType>(type))
      return memref::DimOp::create(at.builder, at.loc, tensor, dim);
    if (auto argument = dyn_cast<BlockArgument>(tensor))
      return extent(outside(argument), dim);
    if (auto found = stored.find(tensor); found != stored.end()) {
      auto [output, outputDim] = found->second[dim];
      return extent(output, outputDim);
    }
    return llvm::TypeSwitch<Operation *, Value>(tensor.getDefiningOp())
        .Case<BroadcastInDimOp, ReshapeOp, SliceOp, IotaOp>([&](auto sized) {
          auto size = dyn_cast<Value>(getMixedValues(
              sized.getStaticSizes(), sized.getSizes(), at.builder)[dim]);
          auto argument = dyn_cast_if_present<BlockArgument>(size);
          return argument ? outside(argument) : Value();
        })
        .Default([&](Operation *op) {
          if (auto source = extentSource(op, dim))
            return extent(source->first, source->second);
          Value found;
          if (op->hasTrait<Elementwise>())
            for (Value operand : op->getOperands())
              if (!found && isa<RankedTensorType>(operand.getType()))
                found = extent(operand, dim);
          return found;
        });
  }

  Value elements(Value tensor) {
    Value count = at.constant(1);
    for (int64_t d = 0; d < cast<ShapedType>(tensor.getType()).getRank(); ++d)
      count = timesExtent(count, tensor, d);
    return count;
  }
  Value timesExtent(Value count, Value tensor, int64_t dim) {
    Value known = extent(tensor, dim);
    return known ? at.mul(count, known) : count;
  }
  Value bytes(Value tensor) {
    return at.mul(elements(tensor), at.constant(bytesOfElement(tensor)));
  }
  int64_t bytesOfElement(Value tensor) {
    Type element = cast<ShapedType>(tensor.getType()).getElementType();
    return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  }
  Value times(Value count, int64_t each) {
    return at.mul(count, at.constant(each));
  }

  /// The bytes read of an argument. A kernel that updates its operand in place
  /// reads at most the elements that it writes.
  Value bytesRead(BlockArgument argument) {
    if (update && argument.getArgNumber() == update->operand)
      return at.constant(0);
    Value part = elementsRead(argument);
    return part ? at.mul(part, at.constant(bytesOfElement(argument)))
                : bytes(argument);
  }

  /// The number of elements that are read of a tensor, null for all: slices and
  /// gathers read only the elements of their results, such as a few rows of a
  /// table, and at most all elements.
  Value elementsRead(Value tensor) {
    auto [known, isNew] = read.try_emplace(tensor);
    if (!isNew)
      return known->second;
    Value parts = at.constant(0);
    llvm::SmallSetVector<Operation *, 4> users(tensor.user_begin(),
                                               tensor.user_end());
    for (Operation *user : users) {
      bool inPlaces = isa<SliceOp, GatherOp>(user) &&
                      user->getOperand(0) == tensor &&
                      llvm::count(user->getOperands(), tensor) == 1;
      bool keeps = user->hasTrait<Elementwise>() ||
                   isa<TransposeOp, ReshapeOp, UnpackOp>(user);
      Value part =
          inPlaces || keeps ? elementsRead(user->getResult(0)) : Value();
      if (inPlaces && !part)
        part = elements(user->getResult(0));
      if (auto attention = dyn_cast<AttentionOp>(user))
        part = elementsRead(attention, tensor);
      if (!part)
        return {};
      parts = at.add(parts, part);
    }
    return read[tensor] = at.min(parts, elements(tensor));
  }

  /// The products of f32 that take the machine as long as `count` products.
  Value asSingles(Value count, Products products) {
    bool four =
        products == Products::Quads && MachineAttr::of(fusion).getQuads();
    return four ? at.floorDiv(count, at.constant(quadCount)) : count;
  }

  /// The number of keys that exist, in all entries of the first batch extent
  /// together: a key that a table gives to several entries counts for each.
  /// Null if all exist, or if their numbers cannot be read here.
  Value existingKeys(AttentionOp op) {
    auto lengths = dyn_cast_if_present<BlockArgument>(op.getLengths());
    if (!lengths || !readsMemory)
      return {};
    auto [known, isNew] = keys.try_emplace(op);
    if (!isNew)
      return known->second;
    Value memory = outside(lengths),
          most = extent(op.getKey(), op.getKeyOrder().drop_back().back());
    auto loop = scf::ForOp::create(at.builder, at.loc, at.constant(0),
                                   extent(memory, 0), at.constant(1),
                                   ValueRange{at.constant(0)});
    OpBuilder inside = OpBuilder::atBlockEnd(loop.getBody());
    IndexBuilder body{inside, at.loc};
    Value length = arith::IndexCastOp::create(
        inside, at.loc, inside.getIndexType(),
        memref::LoadOp::create(inside, at.loc, memory, loop.getInductionVar()));
    if (most)
      length = body.min(length, most);
    scf::YieldOp::create(inside, at.loc,
                         body.add(loop.getRegionIterArg(0), length));
    return keys[op] = loop.getResult(0);
  }

  /// The elements that attention reads of keys or values, null for all.
  Value elementsRead(AttentionOp op, Value tensor) {
    bool areKeys = tensor == op.getKey();
    Value existing = existingKeys(op);
    if (!existing || (!areKeys && tensor != op.getValue()))
      return {};
    ArrayRef<int64_t> order = areKeys ? op.getKeyOrder() : op.getValueOrder();
    for (int64_t dim : order.drop_front())
      if (dim != order.drop_back().back())
        existing = timesExtent(existing, tensor, dim);
    return existing;
  }

  /// Counts two products and one exponential for each score.
  Value flopsOf(AttentionOp op) {
    size_t rank = op.getQueryOrder().size();
    Value existing = existingKeys(op),
          scores = existing ? existing : at.constant(1);
    for (size_t i = existing ? 1 : 0; i + 1 < rank; ++i)
      scores = timesExtent(scores, op.getQuery(), op.getQueryOrder()[i]);
    if (!existing)
      scores = timesExtent(scores, op.getKey(), op.getKeyOrder()[rank - 2]);
    Value depths = times(at.add(timesExtent(at.constant(1), op.getQuery(),
                                            op.getQueryOrder()[rank - 1]),
                                timesExtent(at.constant(1), op.getValue(),
                                            op.getValueOrder()[rank - 1])),
                         2);
    return at.mul(scores, at.add(depths, at.constant(transcendentalFlops)));
  }

  Value flopsOf(Operation &op) {
    return llvm::TypeSwitch<Operation *, Value>(&op)
        .Case([&](DotGeneralOp dot) {
          Value count = times(elements(dot.getResult()), 2);
          for (int64_t dim : dot.getLhsContract())
            count = timesExtent(count, dot.getLhs(), dim);
          return asSingles(count, dot.getProducts());
        })
        .Case([&](ConvolutionOp convolution) {
          // Each result element sums over the kernel's positions and the input
          // channels of its group. Positions on the zeros between elements of a
          // transposed convolution are no work.
          Value count = times(elements(convolution.getResult()), 2);
          for (size_t d = 0; d <= convolution.getStrides().size(); ++d)
            count = timesExtent(count, convolution.getRhs(), d);
          int64_t between = 1;
          for (int64_t dilation : convolution.getLhsDilation())
            between *= dilation;
          count = at.floorDiv(count, at.constant(between));
          return asSingles(count, convolution.getProducts());
        })
        .Case([&](AttentionOp attention) { return flopsOf(attention); })
        .Case<ReduceWindowOp, ArgReduceWindowOp>([&](auto window) {
          Value count = elements(window->getResult(0));
          for (int64_t extent : window.getWindow())
            count = times(count, extent);
          return count;
        })
        .Case<ReduceOp, ArgReduceOp, CumulativeOp, SortOp, TopKOp, NonzeroOp>(
            [&](auto all) { return elements(all->getOperand(0)); })
        .Case<ExpOp, ExpFlushedOp, Expm1Op, LogOp, Log1pOp, SineOp, CosineOp,
              TanOp, AsinOp, AcosOp, AtanOp, SinhOp, CoshOp, TanhOp, AsinhOp,
              AcoshOp, AtanhOp, LogisticOp, ErfOp, CbrtOp, PowerOp, Atan2Op>(
            [&](auto dear) {
              return times(elements(dear->getResult(0)), transcendentalFlops);
            })
        .Default([&](Operation *op) {
          return op->hasTrait<Elementwise>() ? elements(op->getResult(0))
                                             : at.constant(0);
        });
  }

  FusionOp fusion;
  bool readsMemory;
  std::optional<PartialUpdate> update; ///< if only it is written
  DenseMap<Value, SmallVector<StoredExtent>> stored;
  DenseMap<Value, Value> read;       ///< elements that are read, null for all
  DenseMap<AttentionOp, Value> keys; ///< that exist
  IndexBuilder at;
};
} // namespace

KernelWork countWork(FusionOp fusion, OpBuilder builder, bool readsMemory) {
  return WorkCounter(fusion, builder, readsMemory).count();
}

} // namespace tenon
