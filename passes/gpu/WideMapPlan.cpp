// Chooses how many elements of a map a thread computes, and whether it goes by
// their numbers in memory.
#include "passes/gpu/AlignedVectors.h"
#include "passes/gpu/WideMap.h"

#include "passes/kernel/element/ElementEmitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

/// The elements of 16 bytes, of the widest type in memory.
static int64_t lanesOf(Kernel &kernel) {
  int64_t widest = 1;
  auto see = [&](Type type) {
    if (auto memory = dyn_cast<MemRefType>(type))
      widest = std::max<int64_t>(widest, memory.getElementTypeBitWidth() / 8);
  };
  for (Type type : kernel.func.getArgumentTypes())
    see(type);
  return 16 / widest;
}

/// True if each element is computed from the elements with its own number:
/// rows and their lengths then do not matter.
static bool isFlat(FusionOp fusion) {
  int64_t rank =
      cast<RankedTensorType>(fusion.getYield().getOperand(0).getType())
          .getRank();
  auto isScalar = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.getRank() == 0;
  };
  return llvm::all_of(
      fusion.getBlock().without_terminator(), [&](Operation &op) {
        if (isa<ConstantOp>(op))
          return true;
        if (auto broadcast = dyn_cast<BroadcastInDimOp>(op))
          return isScalar(broadcast.getOperand());
        return op.hasTrait<Elementwise>() && !isa<CheckRangeOp>(op) &&
               cast<RankedTensorType>(op.getResult(0).getType()).getRank() ==
                   rank;
      });
}

/// True if whole vectors of the result come from whole vectors in memory or
/// from single elements. Leaves code behind.
static bool comesFromVectors(Kernel &kernel, int64_t lanes) {
  Value result = kernel.fusion.getYield().getOperand(0);
  auto type = cast<RankedTensorType>(result.getType());
  Value zero = IndexBuilder{kernel.builder, kernel.loc()}.constant(0);
  SmallVector<LaneIndex> place(type.getRank(), {zero, 0});
  place.back().stride = 1;
  ElementEmitter emitter(kernel, lanes);
  Value value = emitter.emit(result, place);
  if (emitter.failed())
    return false;
  emitter.store(value, type.getElementType(), kernel.outputs[0],
                SmallVector<Value>(type.getRank(), zero));
  bool isGathered = false;
  kernel.func.walk([&](Operation *op) {
    isGathered |= isa<vector::FromElementsOp, vector::GatherOp>(op);
  });
  return !isGathered && hasWholeVectors(kernel.func.getBody());
}

WideMapPlanAttr planWideMap(Kernel &kernel) {
  auto type = cast<MemRefType>(kernel.outputs[0].getType());
  int64_t lanes = lanesOf(kernel);
  if (kernel.outputs.size() != 1 || type.getRank() == 0)
    return {};
  bool flat = isFlat(kernel.fusion);
  if (!flat && !comesFromVectors(kernel, lanes))
    return {};
  return WideMapPlanAttr::get(kernel.fusion.getContext(), lanes, flat);
}

} // namespace tenon
