// Map kernels: every output element is computed independently. Tasks are groups
// of rows (all extents except the last). Along the last dimension `lanes`
// elements are computed at a time if the index maps allow it, else one at a
// time. The bits of an element do not depend on this grouping.
#include "passes/cpu/map/MapKernels.h"

#include "passes/kernel/element/ColumnLoop.h"
#include "passes/kernel/element/FlatMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

/// The least number of elements in a task, so that the cost of starting it is
/// small.
constexpr int64_t cheapGrain = 16384;
/// The least number if each element takes a loop.
constexpr int64_t expensiveGrain = 512;

static bool isLoop(Operation &op) {
  return isa<DotGeneralOp, ConvolutionOp, ReduceOp, ArgReduceOp, ReduceWindowOp,
             ArgReduceWindowOp>(op);
}

/// The greatest number of independent chains of additions; more do not use the
/// adders better.
constexpr int64_t maxChains = 8;

/// True if neighbouring results sum elements that are neighbours in memory.
static bool sumsNeighbours(ReduceOp reduce) {
  int64_t rank = cast<ShapedType>(reduce.getOperand().getType()).getRank();
  return isa<BlockArgument>(reduce.getOperand()) &&
         !llvm::is_contained(reduce.getDims(), rank - 1);
}

/// The number of vectors of columns that are computed at once. It is more than
/// one for sums over memory, because the additions of a single chain wait for
/// one another.
static int64_t vectorsAtOnce(Kernel &kernel, int64_t width) {
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
  // A power of two, because LLVM splits other vector sizes badly.
  return std::min<int64_t>(maxChains, llvm::PowerOf2Ceil(vectors));
}

/// True if there are only elementwise ops, splats and scalars. Then the tensors
/// can be treated as vectors of all their elements.
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

/// A concatenation along the last dimension, all of whose columns are those of
/// the result. Null if there is none.
static ConcatenateOp joinOfColumns(FusionOp fusion) {
  for (Operation &op : fusion.getBlock())
    if (auto join = dyn_cast<ConcatenateOp>(op);
        join && int64_t(join.getDim()) + 1 == join.getType().getRank() &&
        isReadElementwise(join))
      return join;
  return {};
}

namespace {
struct MapWriter {
  Kernel &kernel;
  Value output;
  Type element;
  int64_t vectorsAtOnce; ///< vectors of columns computed at once
  ConcatenateOp joined;  ///< along the columns; null if there is none
  IndexBuilder at() { return {kernel.builder, kernel.loc()}; }

  /// Emits the columns [low, high) of one row.
  void columns(ArrayRef<Value> row, Value low, Value high, bool narrow) {
    OpBuilder &b = kernel.builder;
    int64_t lanes = narrow ? 1 : kernel.lanes() * vectorsAtOnce;
    auto writeRow = [&](ElementEmitter &emitter, Value column) {
      return write(emitter, row, column);
    };
    if (lanes > 1 &&
        (joined ? joinedColumns(row, low, high, lanes)
                : emitVectorColumns(kernel, low, high, lanes, writeRow)))
      return;
    auto loop =
        scf::ForOp::create(b, kernel.loc(), low, high, at().constant(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    ElementEmitter emitter(kernel, 1);
    write(emitter, row, loop.getInductionVar());
  }

  /// Emits the columns of each operand of the concatenation by themselves.
  /// Returns false, with nothing emitted, if some cannot be computed in
  /// vectors.
  bool joinedColumns(ArrayRef<Value> row, Value low, Value high,
                     int64_t lanes) {
    EmittedOps emitted(kernel.builder);
    SmallVector<Value> ends =
        ElementEmitter(kernel, 1).startsOfOperands(joined);
    ends.push_back(high);
    for (size_t i = 0; i < joined.getNumOperands(); ++i) {
      Value first = at().max(low, ends[i]),
            last = at().max(first, at().min(high, ends[i + 1]));
      if (emitVectorColumns(kernel, first, last, lanes,
                            [&](ElementEmitter &emitter, Value column) {
                              emitter.choose(joined, i);
                              return write(emitter, row, column);
                            }))
        continue;
      emitted.erase();
      return false;
    }
    return true;
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

/// Emits a loop over the rows [low, high). Their indices are counted up if they
/// would be divided by extents that only the run knows: short rows take less
/// time than divisions.
static void forEachRow(Kernel &kernel, Value low, Value high,
                       ArrayRef<Value> extents,
                       llvm::function_ref<void(ArrayRef<Value>)> body) {
  OpBuilder &b = kernel.builder;
  Location loc = kernel.loc();
  IndexBuilder at{b, loc};
  bool counts = llvm::any_of(extents.drop_front(), [](Value extent) {
    return !getConstantIntValue(extent);
  });
  SmallVector<Value> first;
  if (counts) {
    SmallVector<Value> divisors;
    for (Value extent : extents)
      divisors.push_back(at.max(extent, at.constant(1)));
    first = at.delinearize(low, divisors);
  }
  auto loop = scf::ForOp::create(b, loc, low, high, at.constant(1), first);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  if (!counts)
    return body(at.delinearize(loop.getInductionVar(), extents));
  SmallVector<Value> row(loop.getRegionIterArgs());
  body(row);
  scf::YieldOp::create(b, loc, at.successor(row, extents));
}

TaskCounter emitMap(Kernel &kernel) {
  OpBuilder &b = kernel.builder;
  Location loc = kernel.loc();
  IndexBuilder at{b, loc};
  Value root = kernel.fusion.getYield().getOperand(0);
  Type element = cast<RankedTensorType>(root.getType()).getElementType();
  bool isExpensive = llvm::any_of(kernel.fusion.getBlock(), isLoop);
  int64_t grain = isExpensive ? expensiveGrain : cheapGrain;
  Value output = kernel.outputs[0];
  if (cast<MemRefType>(output.getType()).getRank() == 0) {
    ElementEmitter emitter(kernel, 1);
    emitter.store(emitter.emit(root, {}), element, output, {});
    return oneTask();
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
  MapWriter writer{kernel, output, element, vectorsAtOnce(kernel, knownWidth),
                   joinOfColumns(kernel.fusion)};
  SmallVector<Value> rowExtents(ArrayRef(extents).drop_back());
  bool isOneRow = llvm::all_of(rowExtents, [](Value extent) {
    return getConstantIntValue(extent) == 1;
  });
  // A short row of known extents is one task, whose loops have known bounds.
  bool isShort = knownWidth != ShapedType::kDynamic && knownWidth <= grain;
  if (rank == 1 || (isOneRow && !isShort)) {
    // Tasks are parts of the row.
    Value low = at.mul(kernel.begin, at.constant(grain)),
          high = at.min(at.mul(kernel.end, at.constant(grain)), width);
    SmallVector<Value> row(rank - 1, at.constant(0));
    writer.columns(row, low, high,
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
  Value rows = at.constant(1);
  for (Value extent : rowExtents)
    rows = at.mul(rows, extent);
  forEachRow(kernel, at.mul(kernel.begin, at.constant(perTask)),
             at.min(at.mul(kernel.end, at.constant(perTask)), rows), rowExtents,
             [&](ArrayRef<Value> row) {
               writer.columns(row, at.constant(0), width,
                              knownWidth != ShapedType::kDynamic &&
                                  knownWidth < kernel.lanes());
             });
  return [perTask](OpBuilder &b, Location loc,
                   ArrayRef<OpFoldResult> sizes) -> Value {
    IndexBuilder at{b, loc};
    return at.ceilDiv(at.product(sizes.drop_back()), perTask);
  };
}

} // namespace tenon
