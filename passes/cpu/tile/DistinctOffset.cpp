// LLVM loads an element once if several products use it, by an instruction of
// its own. An empty piece of assembly code takes an offset and gives it back in
// the same register: LLVM cannot see that both are equal.
#include "passes/cpu/tile/DistinctOffset.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tenon {

Value distinctOffset(OpBuilder &b, Location loc, Value offset) {
  Type word = b.getI64Type();
  Value number = arith::IndexCastOp::create(b, loc, word, offset);
  auto distinct = LLVM::InlineAsmOp::create(
      b, loc, word, number, /*asm_string=*/"", /*constraints=*/"=r,0",
      /*has_side_effects=*/false, /*is_align_stack=*/false,
      LLVM::TailCallKind::None, /*asm_dialect=*/LLVM::AsmDialectAttr(),
      /*operand_attrs=*/ArrayAttr());
  return arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                    distinct.getRes());
}

} // namespace tenon
