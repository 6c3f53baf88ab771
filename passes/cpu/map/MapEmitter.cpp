// Map kernels: every output element by itself. Rows (all extents but the last)
// are split into tasks; along the last extent elements are computed `lanes` at
// a time where their index maps allow, one at a time where not. Elements never
// depend on how they are grouped.
#include "passes/cpu/map/MapKernels.h"

#include "passes/kernel/element/ElementEmitter.h"
#include "passes/kernel/element/FlatMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

/// Elements a task should have at least, so that handing it out costs little.
constexpr int64_t cheapGrain = 16384;
/// The same for elements that take a loop each.
constexpr int64_t dearGrain = 512;

static bool isLoop(Operation &op) {
  return isa<DotGeneralOp, ConvolutionOp, ReduceOp, ArgReduceOp, ReduceWindowOp,
             ArgReduceWindowOp>(op);
}

/// Chains of additions side by side that keep the adders busy.
constexpr int64_t mostChains = 8;

/// Whether neighbouring sums are of neighbours in memory.
static bool sumsNeighbours(ReduceOp reduce) {
  int64_t rank = cast<ShapedType>(reduce.getOperand().getType()).getRank();
  return isa<BlockArgument>(reduce.getOperand()) &&
         !llvm::is_contained(reduce.getDims(), rank - 1);
}

/// Vectors of columns that are computed together: of sums of what lies in
/// memory several, for a single chain waits for each of its additions.
static int64_t vectorsTogether(Kernel &kernel, int64_t width) {
  bool sums = false;
  for (Operation &op : kernel.fusion.getBlock())
    if (isLoop(op)) {
      auto reduce = dyn_cast<ReduceOp>(op);
      if (!reduce || !sumsNeighbours(reduce))
        return 1;
      sums = true;
    }
  if (!sums || ShapedType::isDynamic(width))
    return 1;
  uint64_t vectors =
      std::max<int64_t>(1, llvm::divideCeilSigned(width, kernel.lanes()));
  // Other numbers of vectors would be split badly.
  return std::min<int64_t>(mostChains, llvm::PowerOf2Ceil(vectors));
}

/// Only elementwise ops, splats and scalars: the tensors can be seen as vectors
/// of all their elements.
static bool isFlat(FusionOp fusion) {
  auto outer = cast<ShapedType>(fusion.getYield().getOperand(0).getType());
  for (BlockArgument argument : fusion.getBlock().getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (type && type.getRank() != 0 && type.getRank() != outer.getRank())
      return false;
  }
  for (Operation &op : fusion.getBlock().without_terminator()) {
    if (op.hasTrait<Elementwise>()) {
      if (llvm::any_of(op.getOperandTypes(),
                       [](Type type) {
                         return cast<ShapedType>(type).getRank() == 0;
                       }) &&
          outer.getRank() != 0)
        return false;
      continue;
    }
    auto broadcast = dyn_cast<BroadcastInDimOp>(op);
    auto constant = dyn_cast<ConstantOp>(op);
    if (!(broadcast &&
          cast<ShapedType>(broadcast.getOperand().getType()).getRank() == 0) &&
        !(constant && constant.getValue().isSplat()))
      return false;
  }
  return true;
}

namespace {
struct MapWriter {
  Kernel &kernel;
  Value output;
  Type element;
  int64_t together; ///< vectors of columns
  IndexBuilder at() { return {kernel.builder, kernel.loc()}; }

  /// Columns [low, high) of one row.
  void columns(ArrayRef<Value> row, Value low, Value high, bool narrow) {
    OpBuilder &b = kernel.builder;
    int64_t lanes = narrow ? 1 : kernel.lanes() * together;
    Value from = low;
    if (lanes > 1 && (from = vectorColumns(row, low, high, lanes)))
      return;
    auto loop =
        scf::ForOp::create(b, kernel.loc(), low, high, at().constant(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    ElementEmitter emitter(kernel, 1);
    write(emitter, row, loop.getInductionVar());
  }

  /// Null, and nothing emitted, where the elements cannot be computed side by
  /// side.
  Value vectorColumns(ArrayRef<Value> row, Value low, Value high,
                      int64_t lanes) {
    OpBuilder &b = kernel.builder;
    Location loc = kernel.loc();
    Value step = at().constant(lanes);
    Value whole = at().mul(at().floorDiv(at().sub(high, low), step), step);
    Value end = at().add(low, whole);
    auto loop = scf::ForOp::create(b, loc, low, end, step);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      ElementEmitter emitter(kernel, lanes);
      if (!write(emitter, row, loop.getInductionVar())) {
        loop.erase();
        return {};
      }
    }
    Value rest = at().sub(high, end);
    std::optional<int64_t> known = getConstantIntValue(rest);
    if (known == 0)
      return end;
    // Loads of the next row would wait for a store through a mask, where the
    // kernel writes what it reads.
    if (known && llvm::isPowerOf2_64(*known)) {
      ElementEmitter emitter(kernel, *known);
      write(emitter, row, end);
      return end;
    }
    auto branch = scf::IfOp::create(b, loc, at().less(end, high), false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    ElementEmitter emitter(kernel, lanes);
    emitter.setValid(rest);
    write(emitter, row, end);
    return end;
  }

  bool write(ElementEmitter &emitter, ArrayRef<Value> row, Value column) {
    SmallVector<LaneIndex> indices;
    for (Value index : row)
      indices.push_back({index, 0});
    indices.push_back({column, 1});
    Value value = emitter.emit(kernel.fusion.getYield().getOperand(0), indices);
    if (emitter.failed())
      return false;
    SmallVector<Value> place(row);
    place.push_back(column);
    emitter.store(value, element, output, place);
    return true;
  }
};
} // namespace

TaskCounter emitMap(Kernel &kernel) {
  OpBuilder &b = kernel.builder;
  Location loc = kernel.loc();
  IndexBuilder at{b, loc};
  Value root = kernel.fusion.getYield().getOperand(0);
  Type element = cast<RankedTensorType>(root.getType()).getElementType();
  bool dear = llvm::any_of(kernel.fusion.getBlock(), isLoop);
  int64_t grain = dear ? dearGrain : cheapGrain;
  Value output = kernel.outputs[0];
  if (cast<MemRefType>(output.getType()).getRank() == 0) {
    ElementEmitter emitter(kernel, 1);
    emitter.store(emitter.emit(root, {}), element, output, {});
    return [](OpBuilder &b, Location loc, ArrayRef<OpFoldResult>) -> Value {
      return IndexBuilder{b, loc}.constant(1);
    };
  }
  if (isFlat(kernel.fusion)) {
    for (BlockArgument argument : kernel.fusion.getBlock().getArguments())
      if (auto type = dyn_cast<RankedTensorType>(argument.getType());
          type && type.getRank() != 0)
        kernel.arguments[argument] =
            flattened(kernel, kernel.arguments[argument]);
    output = flattened(kernel, output);
  }
  ElementEmitter sizes(kernel, 1);
  int64_t rank = cast<MemRefType>(output.getType()).getRank();
  SmallVector<Value> extents;
  for (int64_t d = 0; d < rank; ++d)
    extents.push_back(sizes.extent(output, d));
  Value width = extents.back();
  int64_t knownWidth =
      getConstantIntValue(width).value_or(ShapedType::kDynamic);
  MapWriter writer{kernel, output, element,
                   vectorsTogether(kernel, knownWidth)};
  if (rank == 1) {
    // One row: tasks are pieces of it.
    Value low = at.mul(kernel.begin, at.constant(grain)),
          high = at.min(at.mul(kernel.end, at.constant(grain)), width);
    writer.columns({}, low, high,
                   knownWidth != ShapedType::kDynamic &&
                       knownWidth < kernel.lanes());
    return [grain](OpBuilder &b, Location loc,
                   ArrayRef<OpFoldResult> sizes) -> Value {
      IndexBuilder at{b, loc};
      return at.ceilDiv(at.product(sizes), grain);
    };
  }
  int64_t perTask =
      knownWidth == ShapedType::kDynamic
          ? std::max<int64_t>(1, grain / 256)
          : std::max<int64_t>(1, grain / std::max<int64_t>(1, knownWidth));
  SmallVector<Value> rowExtents(ArrayRef(extents).drop_back());
  Value rows = at.constant(1);
  for (Value extent : rowExtents)
    rows = at.mul(rows, extent);
  auto loop = scf::ForOp::create(
      b, loc, at.mul(kernel.begin, at.constant(perTask)),
      at.min(at.mul(kernel.end, at.constant(perTask)), rows), at.constant(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> row = at.delinearize(loop.getInductionVar(), rowExtents);
  writer.columns(row, at.constant(0), width,
                 knownWidth != ShapedType::kDynamic &&
                     knownWidth < kernel.lanes());
  return [perTask](OpBuilder &b, Location loc,
                   ArrayRef<OpFoldResult> sizes) -> Value {
    IndexBuilder at{b, loc};
    return at.ceilDiv(at.product(sizes.drop_back()), perTask);
  };
}

} // namespace tenon
