// A processor takes instructions in order and keeps those that wait for
// operands. A long chain of dependent instructions in one place fills its
// buffers, and the products behind it come too late to be computed meanwhile.
// LLVM would move the chain together again, as if all instructions could be
// seen at once. An empty piece of assembly code prevents it: it takes a number
// of the chain and a sum of the products and gives both.
#include "passes/cpu/tile/Interleave.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tenon {
namespace {

/// True for the arithmetic that LLVM must not move.
bool isHeld(Operation *op) {
  return isa<math::FmaOp, arith::SubFOp>(op) &&
         isa<VectorType>(op->getResult(0).getType());
}

/// The op that all users of `op` and of `product` wait for: for both.
Operation *holdWith(Operation *op, Operation *product) {
  OpBuilder b(op->getContext());
  b.setInsertionPointAfter(op);
  Location loc = op->getLoc();
  Value number = op->getResult(0), sum = product->getResult(0);
  Type both = LLVM::LLVMStructType::getLiteral(
      b.getContext(), {number.getType(), sum.getType()});
  auto held = LLVM::InlineAsmOp::create(
      b, loc, both, ValueRange{number, sum}, /*asm_string=*/"",
      /*constraints=*/"=v,=v,0,1", /*has_side_effects=*/false,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      /*asm_dialect=*/LLVM::AsmDialectAttr(), /*operand_attrs=*/ArrayAttr());
  auto sameNumber = LLVM::ExtractValueOp::create(b, loc, held.getRes(), 0),
       sameSum = LLVM::ExtractValueOp::create(b, loc, held.getRes(), 1);
  number.replaceAllUsesExcept(sameNumber, held);
  sum.replaceAllUsesExcept(sameSum, held);
  return sameSum;
}

} // namespace

void interleave(Block &block, Operation *last) {
  Block::iterator end = std::next(last->getIterator());
  SmallVector<Operation *> other = llvm::map_to_vector(
      llvm::make_range(block.begin(), end), [](Operation &op) { return &op; });
  SmallVector<Operation *> products;
  for (Operation &op : llvm::make_range(end, block.end()))
    if (isa<math::FmaOp>(op))
      products.push_back(&op);
  size_t held = llvm::count_if(other, isHeld), before = 0;
  if (held == 0 || products.empty())
    return;
  Operation *place = nullptr;
  for (Operation *op : other) {
    Operation *product =
        products[std::min(before, held - 1) * products.size() / held];
    op->moveAfter(place && product->isBeforeInBlock(place) ? place : product);
    place = op;
    if (!isHeld(op))
      continue;
    place = holdWith(op, product);
    ++before;
  }
}

} // namespace tenon
