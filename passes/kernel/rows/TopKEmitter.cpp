// Top-k kernels. The fast path goes over a contiguous row twice, in vectors:
// the first pass finds the maxima of groups of elements, whose k-th greatest is
// a lower bound of the row's; the second passes the elements that reach the
// bound to the core. Other rows and many elements go to the core at once, which
// keeps a heap. The result is the same.
#include "passes/kernel/rows/RowKernels.h"

#include "passes/kernel/CoreCalls.h"
#include "passes/kernel/element/ElementEmitter.h"
#include "passes/kernel/numerics/Conversions.h"
#include "passes/kernel/numerics/ElementRanks.h"
#include "passes/kernel/numerics/ElementwiseEmitter.h"
#include "passes/kernel/rows/RowTasks.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

/// The most elements that are selected in vectors. More take too much stack.
constexpr int64_t mostSelected = 1024;
/// Elements that the core can collect, and the words before them
/// (runtime/core/core.h).
constexpr int64_t room = 4 * mostSelected + 128, roomWords = 4 + 2 * room;
/// Elements that are compared with the bound at once: the bits of a mask.
constexpr int64_t blockLanes = 64;
/// Groups of elements whose maxima fit into registers: 16 vectors of AVX-512.
constexpr int64_t groupBlocks = 4, groups = groupBlocks * blockLanes;
/// A segment of the row has `groups` groups. There are at least so many times
/// more groups than elements are wanted, so that the bound is close.
constexpr int64_t groupsPerWanted = 2;
constexpr int64_t mostSegments = mostSelected * groupsPerWanted / groups;

namespace {
/// Emits the fast path for one row.
class TopSelector {
public:
  TopSelector(Kernel &kernel, TopKOp op, ArrayRef<Value> row)
      : kernel(kernel), op(op), b(kernel.builder), loc(kernel.loc()),
        row(row.drop_back()),
        element(
            cast<RankedTensorType>(op.getOperand().getType()).getElementType()),
        ranks(element, op.getAscending()) {}

  /// Writes the first `wanted` of `width` elements in order.
  void select(Value width, Value wanted) {
    Value samples = scratch(mostSegments * groups), memory = scratch(roomWords),
          block = scratch(blockLanes);
    Value segments =
        at().ceilDiv(at().mul(wanted, at().constant(groupsPerWanted)), groups);
    sample(samples, width, segments);
    Value limit = callCore(
        kernel, "tenon_core_top_begin",
        {addressOf(kernel, memory, at().constant(0)),
         asInteger(kernel, at().constant(room)), asInteger(kernel, wanted),
         addressOf(kernel, samples, at().constant(0)),
         asInteger(kernel, at().mul(segments, at().constant(groups)))},
        b.getI32Type());
    collect(memory, block, width, limit);
    callCore(kernel, "tenon_core_top_end",
             {addressOf(kernel, memory, at().constant(0)),
              addressOf(kernel, kernel.outputs[1], place(at().constant(0)))});
    copyElements(wanted);
  }

private:
  IndexBuilder at() { return {b, loc}; }

  SmallVector<Value> place(Value column) {
    SmallVector<Value> indices(row);
    indices.push_back(column);
    return indices;
  }

  Value scratch(int64_t words) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&kernel.func.getBody().front());
    return memref::AllocaOp::create(
        b, loc, MemRefType::get({words}, b.getI32Type()),
        b.getI64IntegerAttr(kernel.machine.getLine()));
  }

  /// The elements from `column` on, in the type that they are compared in. With
  /// `valid` only so many are loaded.
  Value load(Value column, Value valid = {}) {
    ElementEmitter emitter(kernel, blockLanes);
    if (valid)
      emitter.setValid(valid);
    SmallVector<LaneIndex> indices;
    for (Value index : row)
      indices.push_back({index, 0});
    indices.push_back({column, 1});
    return emitConvert(b, loc, emitter.emit(op.getOperand(), indices), element,
                       ranks.compared());
  }

  scf::ForOp forEach(Value low, Value high, Value step, ValueRange carried) {
    auto loop = scf::ForOp::create(b, loc, low, high, step, carried);
    b.setInsertionPointToStart(loop.getBody());
    return loop;
  }

  /// Writes the rank of each group's first element in order. Element i of a
  /// segment is in group i mod `groups`; groups without elements get the lowest
  /// rank. The last elements of the row are in no group.
  void sample(Value samples, Value width, Value segments) {
    OpBuilder::InsertionGuard guard(b);
    Value step = at().constant(groups);
    Value steps = at().floorDiv(width, step);
    auto each = forEach(at().constant(0), segments, at().constant(1), {});
    auto bound = [&](Value segment) {
      return at().mul(at().floorDiv(at().mul(steps, segment), segments), step);
    };
    Value segment = each.getInductionVar();
    Type type =
        VectorType::get({blockLanes}, kernelElementType(ranks.compared()));
    Value last = ranks.emitLast(b, loc, type);
    auto loop = scf::ForOp::create(b, loc, bound(segment),
                                   bound(at().add(segment, at().constant(1))),
                                   step, SmallVector<Value>(groupBlocks, last));
    {
      OpBuilder::InsertionGuard inner(b);
      b.setInsertionPointToStart(loop.getBody());
      SmallVector<Value> firsts;
      for (auto [i, first] : llvm::enumerate(loop.getRegionIterArgs())) {
        Value column = at().add(loop.getInductionVar(),
                                at().constant(int64_t(i) * blockLanes));
        firsts.push_back(ranks.emitFirst(b, loc, load(column), first));
      }
      scf::YieldOp::create(b, loc, firsts);
    }
    Value base = at().mul(segment, step);
    for (auto [i, first] : llvm::enumerate(loop.getResults()))
      vector::StoreOp::create(
          b, loc, ranks.emitRank(b, loc, first), samples,
          at().add(base, at().constant(int64_t(i) * blockLanes)));
  }

  /// Passes the elements that reach the limit to the core, from the first to
  /// the last.
  void collect(Value memory, Value block, Value width, Value limit) {
    OpBuilder::InsertionGuard guard(b);
    Value step = at().constant(blockLanes);
    Value whole = at().mul(at().floorDiv(width, step), step);
    Value value = ranks.emitValue(b, loc, limit);
    auto loop = forEach(at().constant(0), whole, step, value);
    Value next = takeBlock(memory, block, loop.getInductionVar(),
                           loop.getRegionIterArg(0), {});
    scf::YieldOp::create(b, loc, next);
    b.setInsertionPointAfter(loop);
    takeBlock(memory, block, whole, loop.getResult(0), at().sub(width, whole));
  }

  /// Takes one block and returns the next limit.
  Value takeBlock(Value memory, Value block, Value column, Value limit,
                  Value valid) {
    Value elements = load(column, valid);
    Value reach = ranks.emitReaches(
        b, loc, elements,
        vector::BroadcastOp::create(b, loc, elements.getType(), limit));
    if (valid)
      reach = arith::AndIOp::create(b, loc, reach,
                                    firstLanes(b, loc, blockLanes, valid));
    Value bits = vector::BitCastOp::create(
        b, loc, VectorType::get({1}, b.getI64Type()), reach);
    Value mask = vector::ExtractOp::create(b, loc, bits, ArrayRef<int64_t>{0});
    Value any =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, mask,
                              arith::ConstantIntOp::create(b, loc, 0, 64));
    auto branch = scf::IfOp::create(b, loc, limit.getType(), any, true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getElseRegion().front());
    scf::YieldOp::create(b, loc, limit);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    vector::StoreOp::create(b, loc, ranks.emitRank(b, loc, elements), block,
                            at().constant(0));
    Value rank = callCore(kernel, "tenon_core_top_take",
                          {addressOf(kernel, memory, at().constant(0)),
                           addressOf(kernel, block, at().constant(0)), mask,
                           asInteger(kernel, column)},
                          b.getI32Type());
    scf::YieldOp::create(b, loc, ranks.emitValue(b, loc, rank));
    return branch.getResult(0);
  }

  /// Copies the elements at the positions that were found.
  void copyElements(Value wanted) {
    OpBuilder::InsertionGuard guard(b);
    auto loop = forEach(at().constant(0), wanted, at().constant(1), {});
    SmallVector<Value> to = place(loop.getInductionVar());
    Value from = arith::IndexCastOp::create(
        b, loc, b.getIndexType(),
        memref::LoadOp::create(b, loc, kernel.outputs[1], to));
    ElementEmitter emitter(kernel, 1);
    SmallVector<LaneIndex> indices;
    for (Value index : place(from))
      indices.push_back({index, 0});
    emitter.store(emitter.emit(op.getOperand(), indices), element,
                  kernel.outputs[0], to);
  }

  Kernel &kernel;
  TopKOp op;
  OpBuilder &b;
  Location loc;
  ArrayRef<Value> row;
  Type element;
  ElementRanks ranks;
};
} // namespace

/// Selects with a heap in the outputs.
static void emitHeap(Kernel &kernel, TopKOp op, ArrayRef<Value> line,
                     Value width, Value wanted) {
  OpBuilder &b = kernel.builder;
  IndexBuilder at{b, kernel.loc()};
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  Value stride = at.constant(1);
  for (int64_t d = op.getDim() + 1; d < type.getRank(); ++d)
    stride =
        at.mul(stride, ElementEmitter(kernel, 1).extent(kernel.outputs[0], d));
  Value descending =
      arith::ConstantIntOp::create(b, kernel.loc(), !op.getAscending(), 32);
  Value memory = kernel.arguments.lookup(op.getOperand());
  callCore(kernel, coreRowFunction("top", type.getElementType()),
           {addressOf(kernel, memory, line), asInteger(kernel, width),
            addressOf(kernel, kernel.outputs[0], line),
            addressOf(kernel, kernel.outputs[1], line),
            asInteger(kernel, wanted), asInteger(kernel, stride), descending});
}

TaskCounter emitTopK(Kernel &kernel) {
  auto op = opOf<TopKOp>(kernel);
  OpBuilder &b = kernel.builder;
  Location loc = kernel.loc();
  IndexBuilder at{b, loc};
  int64_t dim = op.getDim();
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  forEachRow(kernel, kernel.outputs[0], dim, 1, [&](ArrayRef<Value> line) {
    ElementEmitter sizes(kernel, 1);
    Value width = sizes.extent(op.getOperand(), dim);
    Value wanted = at.min(sizes.extent(kernel.outputs[0], dim), width);
    // Each thread of a device would have memory for the elements of its own.
    if (kernel.hasFineTasks || dim + 1 != type.getRank() ||
        !ElementRanks::covers(type.getElementType()))
      return emitHeap(kernel, op, line, width, wanted);
    // Places are numbers of 32 bits.
    Value isShort = arith::AndIOp::create(
        b, loc, at.less(at.constant(0), wanted),
        arith::AndIOp::create(b, loc,
                              at.less(wanted, at.constant(mostSelected + 1)),
                              at.less(width, at.constant(INT32_MAX))));
    auto branch = scf::IfOp::create(b, loc, isShort, true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    TopSelector(kernel, op, line).select(width, wanted);
    b.setInsertionPointToStart(&branch.getElseRegion().front());
    emitHeap(kernel, op, line, width, wanted);
  });
  return rowTasks(dim, 1);
}

} // namespace tenon
