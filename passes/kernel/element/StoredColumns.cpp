// Converts int4 to f32. With AVX-512 a register holds a table of all sixteen
// values, and a permutation looks up the low four bits of each lane: one shift
// and one permutation. Other targets need two shifts and a conversion.
#include "passes/kernel/element/StoredColumns.h"

#include "passes/kernel/numerics/Conversions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

constexpr int64_t nibbleBits = 4, wordBits = 32;

static Value constantLike(OpBuilder &b, Location loc, Type type,
                          int64_t number) {
  auto element = b.getI32IntegerAttr(number);
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(vector, element));
  return arith::ConstantOp::create(b, loc, element);
}

static Type floatsLike(OpBuilder &b, Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(b.getF32Type());
  return b.getF32Type();
}

/// The signed four highest bits of each word, as f32.
static Value highestNibbles(OpBuilder &b, Location loc, Value words) {
  Type type = words.getType();
  Value rest = constantLike(b, loc, type, wordBits - nibbleBits);
  Value integers = arith::ShRSIOp::create(b, loc, words, rest);
  return arith::SIToFPOp::create(b, loc, floatsLike(b, type), integers);
}

Value emitNibbles(OpBuilder &b, Location loc, Value words, int64_t which,
                  bool inRegister) {
  Type type = words.getType();
  if (!inRegister) {
    int64_t above = wordBits - nibbleBits * (which + 1);
    Value high =
        arith::ShLIOp::create(b, loc, words, constantLike(b, loc, type, above));
    return highestNibbles(b, loc, high);
  }
  SmallVector<float> numbers;
  for (int n = 0; n < 16; ++n)
    numbers.push_back(float(n < 8 ? n : n - 16));
  auto floats = cast<VectorType>(floatsLike(b, type));
  Value table = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(floats, ArrayRef<float>(numbers)));
  Value low =
      which == 0
          ? words
          : Value(arith::ShRUIOp::create(
                b, loc, words, constantLike(b, loc, type, which * nibbleBits)));
  return LLVM::CallIntrinsicOp::create(
             b, loc, floats, b.getStringAttr("llvm.x86.avx512.permvar.sf.512"),
             ValueRange{table, low})
      .getResult(0);
}

Value emitNibble(OpBuilder &b, Location loc, Value words, Value which) {
  Type i32 = b.getI32Type();
  Value number = arith::IndexCastOp::create(b, loc, i32, which);
  Value below = arith::MulIOp::create(b, loc, number,
                                      constantLike(b, loc, i32, nibbleBits));
  Value above = arith::SubIOp::create(
      b, loc, constantLike(b, loc, i32, wordBits - nibbleBits), below);
  if (auto vector = dyn_cast<VectorType>(words.getType()))
    above = vector::BroadcastOp::create(b, loc, vector, above);
  return highestNibbles(b, loc, arith::ShLIOp::create(b, loc, words, above));
}

Value emitScales(OpBuilder &b, Location loc, const ScaleSource &scales,
                 Value group, int64_t vector, int64_t lanes) {
  IndexBuilder at{b, loc};
  Value place = at.add(at.add(scales.base, scales.places[vector]),
                       at.mul(group, at.constant(scales.width)));
  auto type = VectorType::get({lanes}, kernelElementType(scales.element));
  Value loaded = vector::LoadOp::create(b, loc, type, scales.memory, place);
  return emitConvert(b, loc, loaded, scales.element, b.getF32Type());
}

} // namespace tenon
