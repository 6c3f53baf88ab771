// Chooses the threads of a row, and whether its elements stay in registers.
#include "passes/gpu/AlignedQuads.h"
#include "passes/gpu/WarpRows.h"

#include "dialects/tenon/NumericsContract.h"
#include "passes/kernel/rows/RowReducer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

using namespace mlir;

namespace tenon {

/// Four for each lane of a vector: more threads have no lane of their own.
constexpr int64_t mostThreads = reductionLanes / quad;
/// Quads of words of a thread that stay in registers, of all operands together.
/// They are half of the registers that a thread may have.
constexpr int64_t mostHeldQuads = 32;
/// Code of a kernel with held quads grows with the row.
constexpr int64_t mostHeldBlocks = 16;

/// True if four neighbouring elements of the reduced values and of the results
/// can be computed at once. Leaves code behind.
static bool computesQuads(Kernel &kernel, int64_t rowRank) {
  OpBuilder &b = kernel.builder;
  Value zero = IndexBuilder{b, kernel.loc()}.constant(0);
  SmallVector<Value> row(rowRank, zero);
  SmallVector<std::pair<Value, Value>> reduced;
  auto computes = [&](Value value) {
    ElementEmitter emitter = rowEmitter(kernel, quad, reduced);
    emitter.emit(value, placeInRow(row, zero));
    return !emitter.failed();
  };
  for (Operation *op : rowReductions(kernel.fusion)) {
    if (!computes(op->getOperand(0)))
      return false;
    Type type = ElementEmitter(kernel, 1).laneType(
        cast<RankedTensorType>(op->getResult(0).getType()).getElementType());
    reduced.push_back(
        {op->getResult(0),
         arith::ConstantOp::create(b, kernel.loc(), b.getZeroAttr(type))});
  }
  return llvm::all_of(kernel.fusion.getYield().getValues(), [&](Value value) {
    return cast<RankedTensorType>(value.getType()).getRank() == rowRank ||
           computes(value);
  });
}

/// The values that a thread computes from the elements of its row: those that
/// are reduced, and results of whole rows.
static int64_t passesOver(FusionOp fusion, int64_t rowRank) {
  return rowReductions(fusion).size() +
         llvm::any_of(fusion.getYield().getValues(), [&](Value value) {
           return cast<RankedTensorType>(value.getType()).getRank() > rowRank;
         });
}

int64_t sectorElementsOfRows(FusionOp fusion, int64_t rowRank) {
  constexpr int64_t sectorBytes = 32;
  int64_t least = sectorBytes;
  auto see = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (type && type.getRank() > rowRank)
      least = std::min<int64_t>(
          least, llvm::divideCeil(type.getElementTypeBitWidth(), 8));
  };
  llvm::for_each(fusion.getBlock().getArguments(), see);
  llvm::for_each(fusion.getYield().getValues(), see);
  return sectorBytes / least;
}

int64_t mostShiftOfRows(FusionOp fusion, int64_t rowRank) {
  auto type = cast<RankedTensorType>(
      rowReductions(fusion).front()->getOperand(0).getType());
  int64_t width = type.getShape().back(),
          sector = sectorElementsOfRows(fusion, rowRank);
  return sector - (ShapedType::isDynamic(width) ? 1 : std::gcd(width, sector));
}

WarpRowsPlanAttr planWarpRows(Kernel &kernel) {
  auto type = cast<RankedTensorType>(
      rowReductions(kernel.fusion).front()->getOperand(0).getType());
  int64_t rowRank = type.getRank() - 1, width = type.getShape().back();
  if (width == 0 || !computesQuads(kernel, rowRank))
    return {};
  MLIRContext *context = kernel.fusion.getContext();
  if (ShapedType::isDynamic(width))
    return WarpRowsPlanAttr::get(context, mostThreads, false);
  int64_t threads = std::min<int64_t>(
      mostThreads, llvm::PowerOf2Ceil(llvm::divideCeil(width, quad)));
  int64_t shift =
              width % quad == 0 ? 0 : mostShiftOfRows(kernel.fusion, rowRank),
          blocks = llvm::divideCeil(width + shift, threads * quad);
  int64_t words = llvm::divideCeil(type.getElementTypeBitWidth(), 32);
  int64_t operands = llvm::count_if(
      kernel.fusion.getBlock().getArguments(), [&](BlockArgument argument) {
        auto operand = dyn_cast<RankedTensorType>(argument.getType());
        return operand && operand.getShape() == type.getShape();
      });
  bool held = passesOver(kernel.fusion, rowRank) > 1 &&
              blocks <= mostHeldBlocks &&
              blocks * words * std::max<int64_t>(operands, 1) <= mostHeldQuads;
  return WarpRowsPlanAttr::get(context, threads, held);
}

} // namespace tenon
