// A thread sums the products of its element in the order of the numerics
// contract: taps one after another, without those outside the input, and the
// products of a tap in blocks.
#include "passes/gpu/NestKernel.h"

#include "dialects/tenon/Packing.h"
#include "passes/gpu/ContractionEpilogue.h"
#include "passes/kernel/KernelLoops.h"
#include "passes/kernel/nest/NestTask.h"
#include "passes/kernel/nest/NestTurns.h"
#include "passes/kernel/numerics/Conversions.h"
#include "passes/kernel/numerics/ElementwiseEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon {

namespace {
class NestKernel : KernelLoops {
public:
  NestKernel(Kernel &kernel, Value dot, const ContractionNest &nest)
      : KernelLoops(kernel), dot(dot), nest(nest),
        task(kernel, nest, TaskBlock{1, 1}) {}

  void emit(Value begin, Value end) {
    forRange(begin, end, 1, [&](Value number) {
      task.enter(number);
      column = task.firstColumn;
      position = at().delinearize(task.firstRow, task.rowExtents);
      Value lhs = task.lhsBase;
      for (auto [dim, index] : llvm::zip_equal(nest.rows, position))
        lhs = at().add(lhs, at().mul(index, dim.lhsStride));
      Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(nest.sum));
      finish(sumFrom(0, lhs, columnBase(), zero));
    });
  }

private:
  Value columnBase() {
    if (!nest.panels)
      return at().add(task.rhsBase, at().mul(column, nest.column.rhsStride));
    return at().add(at().add(task.rhsBase, columnInPanel()),
                    at().mul(panelNumber(), nest.panels->stride));
  }
  Value panelNumber() {
    return at().floorDiv(column, at().constant(nest.panels->width));
  }
  Value columnInPanel() {
    return at().remainder(column, at().constant(nest.panels->width));
  }

  Value carry(Value low, Value high, int64_t step, Value initial,
              llvm::function_ref<Value(Value, Value)> body) {
    auto loop =
        scf::ForOp::create(b, loc, low, high, at().constant(step), initial);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(
        b, loc, body(loop.getInductionVar(), loop.getRegionIterArg(0)));
    return loop.getResult(0);
  }

  /// Adds the products of the sums from `level` on to `former`.
  Value sumFrom(size_t level, Value lhs, Value rhs, Value former) {
    const SumDim &dim = nest.sums[level];
    if (level + 1 == nest.sums.size() && !dim.guard)
      return sumInBlocks(dim, lhs, rhs, former);
    return carry(
        at().constant(0), dim.extent, 1, former, [&](Value tap, Value sum) {
          auto inner = [&] {
            Value left = at().add(lhs, at().mul(tap, dim.lhsStride)),
                  right = at().add(rhs, at().mul(tap, dim.rhsStride));
            return level + 1 == nest.sums.size()
                       ? multiplyAdd(left, right, at().constant(0), sum)
                       : sumFrom(level + 1, left, right, sum);
          };
          if (!dim.guard)
            return inner();
          return choose(
                     isInside(*dim.guard, tap), sum,
                     [&] { return Values{inner()}; },
                     [&] { return Values{sum}; })
              .front();
        });
  }

  Value isInside(const WindowGuard &guard, Value tap) {
    Value place = at().add(
        at().sub(at().mul(position[guard.row], at().constant(guard.stride)),
                 at().constant(guard.low)),
        at().mul(tap, at().constant(guard.dilation)));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, place,
                                 guard.input);
  }

  Value sumInBlocks(const SumDim &dim, Value lhs, Value rhs, Value former) {
    Value zero = at().constant(0);
    if (nest.block == 0)
      return chain(dim, lhs, rhs, zero, dim.extent, former);
    return carry(
        zero, dim.extent, nest.block, former, [&](Value first, Value before) {
          Value end =
              at().min(at().add(first, at().constant(nest.block)), dim.extent);
          Value none =
              arith::ConstantOp::create(b, loc, b.getZeroAttr(nest.sum));
          Value start = ifBlocked(none, before);
          Value sum = chain(dim, lhs, rhs, first, end, start);
          if (nest.scales)
            return emitMultiplyAdd(b, loc, sum, scaleOf(first), before);
          return ifBlocked(arith::AddFOp::create(b, loc, before, sum), sum);
        });
  }

  Value ifBlocked(Value yes, Value no) {
    if (!nest.isBlocked)
      return yes;
    return arith::SelectOp::create(b, loc, nest.isBlocked, yes, no);
  }

  Value scaleOf(Value first) {
    Value group = at().floorDiv(first, at().constant(nest.block));
    Value place =
        at().add(at().add(columnInPanel(),
                          at().mul(panelNumber(), nest.scales->panelStride)),
                 at().mul(group, at().constant(nest.scales->width)));
    return emitConvert(
        b, loc, memref::LoadOp::create(b, loc, nest.scales->memory, place),
        nest.scales->element, b.getF32Type());
  }

  /// One chain of the products [low, high) of the innermost sum.
  Value chain(const SumDim &dim, Value lhs, Value rhs, Value low, Value high,
              Value former) {
    return carry(low, high, 1, former, [&](Value k, Value sum) {
      Value within = at().constant(0), first = k;
      if (nest.sumsPerElement > 1) {
        within = at().remainder(k, at().constant(nest.sumsPerElement));
        first = at().sub(k, within);
      }
      return multiplyAdd(at().add(lhs, at().mul(k, dim.lhsStride)),
                         at().add(rhs, at().mul(first, dim.rhsStride)), within,
                         sum);
    });
  }

  /// `sum` plus the products of four neighbours of lhs and the bytes of a word.
  Value addQuad(Value lhs, Value rhs, Value sum) {
    Value word = memref::LoadOp::create(b, loc, nest.rhs, rhs);
    auto bits = [&](int64_t count) -> Value {
      return arith::ConstantIntOp::create(b, loc, count, 32);
    };
    for (int64_t part = 0; part < quadCount; ++part) {
      Value place = at().add(lhs, at().constant(part));
      Value left =
          emitConvert(b, loc, memref::LoadOp::create(b, loc, nest.lhs, place),
                      nest.lhsElement, nest.sum);
      Value right = arith::ShLIOp::create(b, loc, word, bits(24 - 8 * part));
      right = arith::ShRSIOp::create(b, loc, right, bits(24));
      sum = emitMultiplyAdd(b, loc, left, right, sum);
    }
    return sum;
  }

  /// `within` is the number of the product among those of one element of rhs.
  Value multiplyAdd(Value lhs, Value rhs, Value within, Value sum) {
    if (nest.products == Products::Quads)
      return addQuad(lhs, rhs, sum);
    Value left =
        emitConvert(b, loc, memref::LoadOp::create(b, loc, nest.lhs, lhs),
                    nest.lhsElement, nest.sum);
    Value right = memref::LoadOp::create(b, loc, nest.rhs, rhs);
    right = nest.sumsPerElement > 1
                ? emitNibble(b, loc, right, within)
                : emitConvert(b, loc, right, nest.rhsElement, nest.sum);
    return emitMultiplyAdd(b, loc, left, right, sum);
  }

  /// Computes the epilogue and stores the element.
  void finish(Value sum) {
    storeContractionElement(kernel, dot, nest, task.placeOf(position, column),
                            sum);
  }

  Value dot;
  const ContractionNest &nest;
  NestTask task;
  Values position;
  Value column;
};
} // namespace

TaskCounter emitNests(Kernel &kernel, Value dot,
                      ArrayRef<ContractionNest> nests) {
  NestTurns turns(kernel, nests.size());
  for (const ContractionNest &nest : nests) {
    NestKernel emitter(kernel, dot, nest);
    turns.add(countTasks(nest, TaskBlock{1, 1}),
              [&](Value begin, Value end) { emitter.emit(begin, end); });
  }
  return turns.counter();
}

} // namespace tenon
