// Checks that a size can be cloned before it clones, so that a failure leaves
// no new ops.
#include "passes/buffer/SizeCloner.h"

#include "dialects/tenon/State.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tenon {

/// The largest tensor that is computed before the run; sizes are read from
/// smaller ones.
static constexpr int64_t maxEvaluatedBytes = 1 << 14;

int64_t elementBytes(MemRefType type) {
  return llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

static bool isSmall(MemRefType type) {
  return type.hasStaticShape() &&
         type.getNumElements() * elementBytes(type) <= maxEvaluatedBytes;
}

llvm::DenseSet<Value> buffersBehindNumbers(func::FuncOp func) {
  llvm::DenseSet<Value> found;
  SmallVector<Value> pending;
  func.walk([&](memref::LoadOp load) { pending.push_back(load.getMemRef()); });
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    auto type = dyn_cast<MemRefType>(next.getType());
    if (!type || !isSmall(type) || !found.insert(next).second)
      continue;
    if (Operation *view = next.getDefiningOp();
        isa_and_present<memref::CastOp, memref::ReinterpretCastOp>(view))
      pending.push_back(view->getOperand(0));
    for (Operation *user : next.getUsers())
      if (auto fusion = dyn_cast<FusionOp>(user);
          fusion && llvm::is_contained(fusion.getOutputs(), next))
        llvm::append_range(pending, fusion.getInputs());
  }
  return found;
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

/// The ops that write a small tensor, in order. Fails unless the buffer holds
/// only one tensor: a buffer that is reused has no single contents.
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

/// The values that `value` is computed from. Fails if `value` is known only
/// during the run.
FailureOr<SmallVector<Value>> SizeCloner::needs(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!op)
    return failure();
  SmallVector<Operation *> needed = {op};
  if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
    MemRefType type = alloc.getType();
    if (!isSmall(type))
      return failure();
    FailureOr<SmallVector<Operation *>> writers = writersOf(alloc);
    if (failed(writers))
      return failure();
    needed = *writers;
  } else if (!isa<arith::ArithDialect>(op->getDialect()) &&
             !isa<memref::DimOp, memref::LoadOp, memref::GetGlobalOp,
                  memref::CastOp, memref::ReinterpretCastOp, GetExtentOp>(op)) {
    return failure();
  }
  SmallVector<Value> values;
  for (Operation *user : needed)
    for (Value operand : user->getOperands())
      if (operand != value)
        values.push_back(operand);
  return values;
}

// The arithmetic may be as long as the model, so both walks use a work list and
// do not recurse.

std::optional<Location> SizeCloner::obstacleTo(Value value) {
  SmallVector<Value> pending = {value};
  while (!pending.empty()) {
    Value next = pending.back();
    if (mapping.contains(next) || obstacles.contains(next)) {
      pending.pop_back();
      continue;
    }
    FailureOr<SmallVector<Value>> needed = needs(next);
    if (failed(needed)) {
      obstacles.try_emplace(next, next.getLoc());
      continue;
    }
    size_t before = pending.size();
    std::optional<Location> obstacle;
    for (Value operand : *needed) {
      if (mapping.contains(operand))
        continue;
      auto known = obstacles.find(operand);
      if (known == obstacles.end())
        pending.push_back(operand);
      else if (!obstacle)
        obstacle = known->second;
    }
    if (pending.size() == before)
      obstacles.try_emplace(next, obstacle);
  }
  return mapping.contains(value) ? std::nullopt : obstacles.lookup(value);
}

void SizeCloner::cloneKnown(Value value) {
  SmallVector<Value> pending = {value};
  while (!pending.empty()) {
    Value next = pending.back();
    if (mapping.contains(next)) {
      pending.pop_back();
      continue;
    }
    size_t before = pending.size();
    // Named, because a range loop over `*needs(next)` would outlive the
    // temporary.
    FailureOr<SmallVector<Value>> needed = needs(next);
    for (Value operand : *needed)
      if (!mapping.contains(operand))
        pending.push_back(operand);
    if (pending.size() > before)
      continue;
    Operation *op = next.getDefiningOp();
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      evaluate(alloc);
    else
      builder.clone(*op, mapping);
  }
}

/// Computes a small tensor before the run: allocates a buffer on the stack and
/// clones the ops that write it.
void SizeCloner::evaluate(memref::AllocOp alloc) {
  Value buffer =
      memref::AllocaOp::create(builder, alloc.getLoc(), alloc.getType(),
                               builder.getI64IntegerAttr(bufferAlignment));
  mapping.map(alloc.getResult(), buffer);
  FailureOr<SmallVector<Operation *>> writers = writersOf(alloc);
  for (Operation *writer : *writers)
    builder.clone(*writer, mapping);
}

} // namespace tenon
