// An input may lie anywhere in memory, so a kernel asks for addresses at run
// time. All threads find the same answer. A place is a whole vector if its last
// index is a multiple of the vector's elements, and all rows before it are.
#include "passes/gpu/AlignedVectors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tenon {

/// The widest access of a thread.
constexpr int64_t mostBytes = 16;

/// True if `index` is known to be a multiple of `number`.
static bool isMultiple(Value index, int64_t number) {
  if (std::optional<int64_t> known = getConstantIntValue(index))
    return *known % number == 0;
  auto both = [&](Value a, Value b) {
    return isMultiple(a, number) && isMultiple(b, number);
  };
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar() &&
           both(loop.getLowerBound(), loop.getStep());
  }
  return llvm::TypeSwitch<Operation *, bool>(index.getDefiningOp())
      .Case<arith::AddIOp, arith::SubIOp, arith::MinSIOp>(
          [&](auto op) { return both(op.getLhs(), op.getRhs()); })
      .Case([&](arith::MulIOp op) {
        return isMultiple(op.getLhs(), number) ||
               isMultiple(op.getRhs(), number);
      })
      .Case([&](arith::SelectOp op) {
        return both(op.getTrueValue(), op.getFalseValue());
      })
      .Default(false);
}

namespace {
/// A load or store of a vector.
struct VectorAccess {
  Value memory;
  ValueRange indices;
  int64_t lanes, bytes;

  template <typename OpT>
  explicit VectorAccess(OpT op)
      : memory(op.getBase()), indices(op.getIndices()),
        lanes(op.getVectorType().getNumElements()),
        bytes(lanes * op.getVectorType().getElementTypeBitWidth() / 8) {}

  int64_t rowLength() const {
    return cast<MemRefType>(memory.getType()).getShape().back();
  }
  bool isWhole(Region &region) const {
    Operation *made = memory.getDefiningOp();
    return bytes <= mostBytes &&
           !(made && region.isAncestor(made->getParentRegion())) &&
           isMultiple(indices.back(), lanes) &&
           (indices.size() == 1 || ShapedType::isDynamic(rowLength()) ||
            rowLength() % lanes == 0);
  }
};

/// Numbers and what they must be multiples of.
using Multiples = llvm::SetVector<std::pair<Value, int64_t>>;
} // namespace

static void forEachAccess(
    Region &region,
    llvm::function_ref<void(Operation *, const VectorAccess &)> body) {
  region.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op).Case<vector::LoadOp, vector::StoreOp>(
        [&](auto access) { body(op, VectorAccess(access)); });
  });
}

bool hasWholeVectors(Region &region) {
  bool all = true;
  forEachAccess(region, [&](Operation *, const VectorAccess &access) {
    all &= access.isWhole(region);
  });
  return all;
}

/// Makes the accesses aligned. Returns what must hold for that, as numbers
/// that are computed at the insertion point.
static Multiples align(Kernel &kernel, Region &region) {
  OpBuilder &b = kernel.builder;
  llvm::MapVector<Value, int64_t> bytes; // of each memory's widest access
  Multiples rows, multiples;
  forEachAccess(region, [&](Operation *op, const VectorAccess &access) {
    op->setAttr("alignment", b.getI64IntegerAttr(access.bytes));
    bytes[access.memory] = std::max(bytes[access.memory], access.bytes);
    if (access.indices.size() > 1 && ShapedType::isDynamic(access.rowLength()))
      rows.insert({access.memory, access.lanes});
  });
  for (auto [memory, widest] : bytes)
    multiples.insert({memref::ExtractAlignedPointerAsIndexOp::create(
                          b, kernel.loc(), memory),
                      widest});
  for (auto [memory, lanes] : rows)
    multiples.insert({memref::DimOp::create(
                          b, kernel.loc(), memory,
                          cast<MemRefType>(memory.getType()).getRank() - 1),
                      lanes});
  return multiples;
}

void ifAligned(Kernel &kernel, ValueRange extents, int64_t lanes,
               llvm::function_ref<void()> wide,
               llvm::function_ref<void()> narrow) {
  OpBuilder &b = kernel.builder;
  Location loc = kernel.loc();
  IndexBuilder at{b, loc};
  Multiples open;
  for (Value extent : extents) {
    std::optional<int64_t> known = getConstantIntValue(extent);
    if (!known)
      open.insert({extent, lanes});
    else if (*known % lanes != 0)
      return narrow();
  }
  OpBuilder::InsertionGuard guard(b);
  Value all = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  auto branch = scf::IfOp::create(b, loc, all, true);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  wide();
  if (!hasWholeVectors(branch.getThenRegion())) {
    b.setInsertionPointAfter(branch);
    branch.erase();
    return narrow();
  }
  b.setInsertionPointToStart(&branch.getElseRegion().front());
  narrow();
  b.setInsertionPoint(branch);
  Multiples multiples = align(kernel, branch.getThenRegion());
  multiples.insert_range(open);
  for (auto [number, of] : multiples)
    all = b.createOrFold<arith::AndIOp>(
        loc, all,
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                              at.remainder(number, at.constant(of)),
                              at.constant(0)));
  branch.getConditionMutable().assign(all);
}

} // namespace tenon
