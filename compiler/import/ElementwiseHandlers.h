// Handlers of elementwise nodes with the same meaning in several formats.
// `Context` is the NodeContext of a format; `registry.add("Abs", 1,
// numberUnary<AbsOp>)` deduces it.
#ifndef TENON_COMPILER_IMPORT_ELEMENTWISEHANDLERS_H
#define TENON_COMPILER_IMPORT_ELEMENTWISEHANDLERS_H

#include "compiler/import/NodeChecks.h"

namespace tenon {

template <typename Op, typename Context>
llvm::LogicalResult floatUnary(Context &c) {
  if (failed(c.expectFloat(0)))
    return llvm::failure();
  c.set(0, c.g.template make<Op>(c.input(0)));
  return llvm::success();
}

template <typename Op, typename Context>
llvm::LogicalResult numberUnary(Context &c) {
  if (failed(c.expectNumber(0)))
    return llvm::failure();
  c.set(0, c.g.template make<Op>(c.input(0)));
  return llvm::success();
}

template <typename Context> llvm::LogicalResult logicalNot(Context &c) {
  if (failed(c.expectBool(0)))
    return llvm::failure();
  c.set(0, c.g.template make<NotOp>(c.input(0)));
  return llvm::success();
}

template <typename Context> llvm::LogicalResult bitwiseNot(Context &c) {
  if (failed(c.expectInteger(0)))
    return llvm::failure();
  c.set(0, c.g.template make<NotOp>(c.input(0)));
  return llvm::success();
}

/// Broadcasts the two operands of a node to one shape and combines them by Op.
template <typename Op, typename Context>
llvm::LogicalResult combineOperands(Context &c) {
  llvm::SmallVector<mlir::Value, 2> operands;
  if (failed(c.expectSameElements({0, 1})) ||
      failed(c.binaryOperands(operands)))
    return llvm::failure();
  c.set(0, c.g.template make<Op>(operands[0], operands[1]));
  return llvm::success();
}

template <typename Op, typename Context>
llvm::LogicalResult arithmetic(Context &c) {
  if (failed(c.expectNumber(0)) || failed(c.expectNumber(1)))
    return llvm::failure();
  return combineOperands<Op>(c);
}

template <typename Op, typename Context>
llvm::LogicalResult logical(Context &c) {
  if (failed(c.expectBool(0)) || failed(c.expectBool(1)))
    return llvm::failure();
  return combineOperands<Op>(c);
}

template <typename Op, typename Context>
llvm::LogicalResult bitwise(Context &c) {
  if (failed(c.expectInteger(0)) || failed(c.expectInteger(1)))
    return llvm::failure();
  return combineOperands<Op>(c);
}

template <CompareDirection direction, typename Context>
llvm::LogicalResult comparison(Context &c) {
  llvm::SmallVector<mlir::Value, 2> operands;
  bool order =
      direction != CompareDirection::EQ && direction != CompareDirection::NE;
  if (order && (failed(c.expectNumber(0)) || failed(c.expectNumber(1))))
    return llvm::failure();
  if (failed(c.expectSameElements({0, 1})) ||
      failed(c.binaryOperands(operands)))
    return llvm::failure();
  c.set(0, c.g.compare(direction, operands[0], operands[1]));
  return llvm::success();
}

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_ELEMENTWISEHANDLERS_H
