// The widened halves of a word are computed where they are multiplied; LLVM
// computes equal ones once for a tile.
#include "passes/cpu/tile/ProductQuads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

Value repeatedQuad(OpBuilder &b, Location loc, Value memory, Value place,
                   int64_t lanes) {
  Value bytes = vector::LoadOp::create(
      b, loc, VectorType::get({4}, b.getI8Type()), memory, place);
  Value word = vector::BitCastOp::create(
      b, loc, VectorType::get({1}, b.getI32Type()), bytes);
  return vector::BroadcastOp::create(
      b, loc, VectorType::get({lanes}, b.getI32Type()),
      vector::ExtractOp::create(b, loc, word, 0));
}

static Value bitsAs(OpBuilder &b, Location loc, Value words, Type element) {
  int64_t bits = element.getIntOrFloatBitWidth(),
          lanes = cast<VectorType>(words.getType()).getNumElements();
  return vector::BitCastOp::create(
      b, loc, VectorType::get({lanes * 32 / bits}, element), words);
}

/// Calls an intrinsic whose result is of the type of sums.
static Value call(OpBuilder &b, Location loc, Type sums, StringRef name,
                  ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, loc, sums, b.getStringAttr(name),
                                       operands)
      .getResult(0);
}

/// `sum` plus two products of 16 bits in each lane.
static Value addPairs(OpBuilder &b, Location loc, int64_t vectorBytes, Value x,
                      Value y, Value sum) {
  StringRef name = vectorBytes == 64   ? "llvm.x86.avx512.pmaddw.d.512"
                   : vectorBytes == 32 ? "llvm.x86.avx2.pmadd.wd"
                                       : "llvm.x86.sse2.pmadd.wd";
  return arith::AddIOp::create(b, loc, sum,
                               call(b, loc, sum.getType(), name, {x, y}));
}

Value emitQuads(OpBuilder &b, Location loc, MachineAttr machine, Value x,
                Value y, Value sum) {
  int64_t vectorBytes = machine.getVectorBytes();
  if (machine.getQuads())
    return call(b, loc, sum.getType(),
                vectorBytes == 64 ? "llvm.x86.avx512.vpdpbusd.512"
                                  : "llvm.x86.avx512.vpdpbusd.256",
                {sum, bitsAs(b, loc, x, b.getI8Type()),
                 bitsAs(b, loc, y, b.getI8Type())});
  x = bitsAs(b, loc, x, b.getI16Type());
  y = bitsAs(b, loc, y, b.getI16Type());
  auto splat = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(cast<VectorType>(x.getType()),
                               b.getI16IntegerAttr(value)));
  };
  Value eight = splat(8);
  Value evenX = arith::AndIOp::create(b, loc, x, splat(0xff)),
        oddX = arith::ShRUIOp::create(b, loc, x, eight),
        evenY = arith::ShRSIOp::create(
            b, loc, arith::ShLIOp::create(b, loc, y, eight), eight),
        oddY = arith::ShRSIOp::create(b, loc, y, eight);
  sum = addPairs(b, loc, vectorBytes, evenX, evenY, sum);
  return addPairs(b, loc, vectorBytes, oddX, oddY, sum);
}

} // namespace tenon
