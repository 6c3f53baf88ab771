// Walks over index arithmetic with a work list.
#include "passes/buffer/SizeArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tenon {

static bool isArithmetic(Operation *op) {
  return op &&
         isa<arith::ArithDialect, memref::MemRefDialect>(op->getDialect()) &&
         isPure(op);
}

static bool isInside(scf::IfOp branch, Value value) {
  return branch->isAncestor(value.getParentBlock()->getParentOp());
}

/// `roots` and all values reachable from them by `operandsOf`, each once.
static llvm::SetVector<Value>
reachable(ValueRange roots, llvm::function_ref<ValueRange(Value)> operandsOf) {
  llvm::SetVector<Value> found(roots.begin(), roots.end());
  for (size_t i = 0; i < found.size(); ++i)
    for (Value operand : operandsOf(found[i]))
      found.insert(operand);
  return found;
}

bool isSameSize(Value x, Value y) {
  using Pair = std::pair<Value, Value>;
  llvm::SetVector<Pair> pairs;
  pairs.insert({x, y});
  for (size_t i = 0; i < pairs.size(); ++i) {
    auto [first, second] = pairs[i];
    if (first == second)
      continue;
    Operation *a = first.getDefiningOp(), *b = second.getDefiningOp();
    if (!isArithmetic(a) || !isArithmetic(b) || a->getName() != b->getName() ||
        a->getAttrDictionary() != b->getAttrDictionary() ||
        a->getNumOperands() != b->getNumOperands() ||
        cast<OpResult>(first).getResultNumber() !=
            cast<OpResult>(second).getResultNumber())
      return false;
    for (auto [p, q] : llvm::zip(a->getOperands(), b->getOperands()))
      pairs.insert({p, q});
  }
  return true;
}

static ValueRange operandsOf(Value value) {
  Operation *op = value.getDefiningOp();
  return op ? ValueRange(op->getOperands()) : ValueRange();
}

bool isKnownBefore(scf::IfOp branch, Value value) {
  auto inner = [&](Value part) {
    return isInside(branch, part) ? operandsOf(part) : ValueRange();
  };
  return llvm::all_of(reachable(value, inner), [&](Value part) {
    return !isInside(branch, part) || isArithmetic(part.getDefiningOp());
  });
}

Value hoistBefore(OpBuilder &builder, scf::IfOp branch, Value value) {
  auto inner = [&](Value part) {
    return isInside(branch, part) ? operandsOf(part) : ValueRange();
  };
  llvm::SetVector<Operation *> ops;
  for (Value part : reachable(value, inner))
    if (isInside(branch, part))
      ops.insert(part.getDefiningOp());
  // Clone an op after its operands.
  IRMapping mapping;
  SmallVector<Operation *> stack(ops.begin(), ops.end());
  llvm::SmallPtrSet<Operation *, 16> done;
  while (!stack.empty()) {
    Operation *op = stack.back();
    size_t before = stack.size();
    if (!done.contains(op))
      for (Value operand : op->getOperands())
        if (Operation *def = operand.getDefiningOp();
            def && ops.contains(def) && !done.contains(def))
          stack.push_back(def);
    if (stack.size() > before)
      continue;
    stack.pop_back();
    if (done.insert(op).second)
      builder.clone(*op, mapping);
  }
  return mapping.lookupOrDefault(value);
}

} // namespace tenon
