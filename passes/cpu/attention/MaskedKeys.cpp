// Finds masked keys block by block, from the positions of rows and keys and
// from the row maxima so far.
#include "passes/cpu/attention/MaskedKeys.h"

#include "passes/kernel/numerics/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon {

/// The exponential of a score so far below the row maximum is zero: e^-105
/// rounds to zero in f32.
constexpr double vanishing = 105;

MaskedKeys::MaskedKeys(Kernel &kernel, AttentionOp op,
                       const AttentionSizes &sizes,
                       const AttentionScratch &scratch, const TaskKeys &task)
    : AttentionTile(kernel, sizes, scratch), op(op), task(task) {}

Value MaskedKeys::visible(ArrayRef<Value> lastKeys, const KeyBlock &block) {
  Value last = lastKeys.front();
  for (Value key : lastKeys.drop_front())
    last = at().max(last, key);
  Value seen = at().sub(at().add(last, at().constant(1)), block.first);
  return at().max(at().min(seen, block.count), at().constant(0));
}

Value MaskedKeys::finiteValues(const KeyBlock &block) {
  Value zero = number(0);
  auto loop = scf::ForOp::create(b, loc, at().constant(0), block.count,
                                 at().constant(1), zero);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value line = at().add(block.values.base, at().mul(loop.getInductionVar(),
                                                      block.values.stride));
    Value sum = loop.getRegionIterArg(0);
    for (Value column : places(sizes.valueWidth / sizes.lanes))
      sum = math::FmaOp::create(
          b, loc, loadLanes(block.values, at().add(line, column)), zero, sum);
    scf::YieldOp::create(b, loc, sum);
  }
  Value sum = foldLanes(b, loc, {loop.getResult(0)}, [&](Value x, Value y) {
    return arith::AddFOp::create(b, loc, x, y);
  });
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, sum, sum);
}

Value MaskedKeys::finiteWhereMasked(const KeyBlock &block, Value firstRow) {
  Value seen = at().add(at().add(firstRow, task.causal), at().constant(1)),
        hides = at().less(seen, at().add(block.first, block.count));
  return choose(
             hides, hides, [&] { return Values{finiteValues(block)}; },
             [&] { return Values{truth()}; })
      .front();
}

Value MaskedKeys::canMatter(const KeyBlock &block, Value lastRow, Value rows) {
  Value lastKey = at().add(lastRow, task.causal);
  Value seen = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle,
                                     block.first, lastKey);
  return choose(
             seen, seen, [&] { return Values{truth()}; },
             [&] { return Values{matter(block, rows, false)}; })
      .front();
}

Value MaskedKeys::matter(const KeyBlock &block, Value rows, bool inBlock) {
  // A mask that is added can turn the score of a masked key into any number.
  if (op.getMask() && !op.getMask().getType().getElementType().isInteger(1))
    return truth();
  Value silent =
      arith::AndIOp::create(b, loc, block.finite, fillsVanish(rows, inBlock));
  return arith::XOrIOp::create(b, loc, silent, truth());
}

/// True if the exponentials of masked keys are zero in all of the task's rows.
/// If `inBlock`, the row maxima include the current block.
Value MaskedKeys::fillsVanish(Value rows, bool inBlock) {
  auto loop = scf::ForOp::create(b, loc, at().constant(0), rows,
                                 at().constant(1), truth());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar(),
        greatest = loadOne(scratch.earlierMaxima, row);
  if (inBlock)
    greatest = greater(b, loc, greatest, loadOne(scratch.blockMaxima, row));
  Lanes g(b, loc, greatest);
  Lanes vanish =
      g - g.number(op.getFill()->convertToDouble()) > g.number(vanishing);
  scf::YieldOp::create(
      b, loc, (Lanes(b, loc, loop.getRegionIterArg(0)) & vanish).get());
  return loop.getResult(0);
}

Value MaskedKeys::truth() {
  return arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
}

} // namespace tenon
