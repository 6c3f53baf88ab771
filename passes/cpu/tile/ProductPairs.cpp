// A pair is loaded as one word, so that one load also broadcasts it.
#include "passes/cpu/tile/ProductPairs.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

Value asPairs(OpBuilder &b, Location loc, Value words) {
  int64_t lanes = cast<VectorType>(words.getType()).getNumElements();
  // This is LLVM's cast because other lowerings turn bf16 into integers.
  return LLVM::BitcastOp::create(
      b, loc, VectorType::get({2 * lanes}, b.getBF16Type()), words);
}

Value repeatedPair(OpBuilder &b, Location loc, Value memory, Value place,
                   int64_t lanes) {
  Value pair = vector::LoadOp::create(
      b, loc, VectorType::get({2}, b.getBF16Type()), memory, place);
  Value word = vector::BitCastOp::create(
      b, loc, VectorType::get({1}, b.getI32Type()), pair);
  word = vector::ExtractOp::create(b, loc, word, 0);
  return asPairs(b, loc,
                 vector::BroadcastOp::create(
                     b, loc, VectorType::get({lanes}, b.getI32Type()), word));
}

Value emitPairs(OpBuilder &b, Location loc, Value x, Value y, Value sum) {
  return LLVM::CallIntrinsicOp::create(
             b, loc, sum.getType(),
             b.getStringAttr("llvm.x86.avx512bf16.dpbf16ps.512"),
             ValueRange{sum, x, y})
      .getResult(0);
}

} // namespace tenon
