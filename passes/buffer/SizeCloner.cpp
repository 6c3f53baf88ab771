// First it is asked whether a size can be cloned, then it is: nothing is left
// behind where it cannot.
#include "passes/buffer/SizeCloner.h"

#include "dialects/tenon/TenonDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tenon {

/// Tensors that sizes are read from are a few numbers.
static constexpr int64_t maxEvaluatedBytes = 1 << 14;

int64_t elementBytes(MemRefType type) {
  return llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

Value SizeCloner::clone(Value value) {
  if (std::optional<Location> obstacle = obstacleTo(value)) {
    emitError(*obstacle, "unsupported: the size of a result depends on values "
                         "computed during the run");
    return Value();
  }
  cloneKnown(value);
  return mapping.lookup(value);
}

std::optional<Location> SizeCloner::obstacleTo(Value value) {
  if (mapping.contains(value))
    return std::nullopt;
  if (auto found = obstacles.find(value); found != obstacles.end())
    return found->second;
  std::optional<Location> obstacle = findObstacle(value);
  obstacles.try_emplace(value, obstacle);
  return obstacle;
}

/// The ops that write a small tensor, in order. One tensor, one writer: a
/// buffer that holds two tensors in turn has no single content.
static FailureOr<SmallVector<Operation *>> writersOf(memref::AllocOp alloc) {
  SmallVector<Operation *> writers;
  for (Operation *user : alloc->getUsers()) {
    auto fusion = dyn_cast<FusionOp>(user);
    bool writes =
        isa<memref::StoreOp>(user) ||
        (fusion && llvm::is_contained(fusion.getOutputs(), alloc.getResult()));
    bool reads = isa<memref::LoadOp, memref::DimOp, memref::CastOp,
                     memref::ReinterpretCastOp, func::ReturnOp, FusionOp>(user);
    if ((!writes && !reads) ||
        (writes && user->getBlock() != alloc->getBlock()))
      return failure();
    if (writes)
      writers.push_back(user);
  }
  llvm::sort(writers,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  if (writers.empty() || (isa<FusionOp>(writers.front()) && writers.size() > 1))
    return failure();
  return writers;
}

std::optional<Location> SizeCloner::findObstacle(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return value.getLoc();
  if (auto bound = dyn_cast<BoundOp>(op)) {
    if (bounded == Bounded::Refused)
      return op->getLoc();
    return obstacleTo(bound.getBound());
  }
  SmallVector<Operation *> needed = {op};
  if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
    MemRefType type = alloc.getType();
    if (!type.hasStaticShape() ||
        type.getNumElements() * elementBytes(type) > maxEvaluatedBytes)
      return alloc.getLoc();
    FailureOr<SmallVector<Operation *>> writers = writersOf(alloc);
    if (failed(writers))
      return alloc.getLoc();
    needed = *writers;
  } else if (!isa<arith::ArithDialect>(op->getDialect()) &&
             !isa<memref::DimOp, memref::LoadOp, memref::GetGlobalOp,
                  memref::CastOp, memref::ReinterpretCastOp>(op)) {
    return op->getLoc();
  }
  for (Operation *user : needed)
    for (Value operand : user->getOperands())
      if (operand != value)
        if (std::optional<Location> obstacle = obstacleTo(operand))
          return obstacle;
  return std::nullopt;
}

void SizeCloner::cloneKnown(Value value) {
  if (mapping.contains(value))
    return;
  Operation *op = value.getDefiningOp();
  if (auto bound = dyn_cast<BoundOp>(op)) {
    cloneKnown(bound.getBound());
    mapping.map(value, mapping.lookup(bound.getBound()));
    return;
  }
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return evaluate(alloc);
  for (Value operand : op->getOperands())
    cloneKnown(operand);
  builder.clone(*op, mapping);
}

/// A small tensor that sizes are read from is computed before the run: the
/// ops that write it are repeated on a buffer of the stack.
void SizeCloner::evaluate(memref::AllocOp alloc) {
  Value buffer =
      memref::AllocaOp::create(builder, alloc.getLoc(), alloc.getType(),
                               builder.getI64IntegerAttr(bufferAlignment));
  mapping.map(alloc.getResult(), buffer);
  for (Operation *writer : *writersOf(alloc)) {
    for (Value operand : writer->getOperands())
      cloneKnown(operand);
    builder.clone(*writer, mapping);
  }
}

} // namespace tenon
