// A word of weights holds eight of a column. Its halves have four each: shifted
// to the left and back, the halves are two integers, and the instruction that
// multiplies pairs of 16 bits adds their products. Processors that add to a sum
// in the same instruction have it made of the two by LLVM.
#include "passes/cpu/NibbleTile.h"

#include "dialects/tenon/Quantization.h"
#include "passes/cpu/ElementwiseEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

/// Nibbles of half a word.
constexpr int64_t half = nibblesPerWord / 2;

/// Integers number `number` and `number` + 4 of each word, side by side.
Value NibbleTile::nibbles(Value words, int64_t number) {
  auto type = cast<VectorType>(words.getType());
  auto by = [&](int64_t bits) {
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, b.getI16IntegerAttr(bits)));
  };
  if (number + 1 < half)
    words = arith::ShLIOp::create(b, loc, words, by(4 * (half - 1 - number)));
  return arith::ShRSIOp::create(b, loc, words, by(12));
}

Value NibbleTile::addProducts(Value columns, Value row, Value sum) {
  StringRef name = lanes == 16  ? "llvm.x86.avx512.pmaddw.d.512"
                   : lanes == 8 ? "llvm.x86.avx2.pmadd.wd"
                                : "llvm.x86.sse2.pmadd.wd";
  Value products = LLVM::CallIntrinsicOp::create(b, loc, sum.getType(),
                                                 b.getStringAttr(name),
                                                 ValueRange{columns, row})
                       .getResult(0);
  return arith::AddIOp::create(b, loc, sum, products);
}

NibbleTile::Values NibbleTile::run(ArrayRef<Value> rows,
                                   const ColumnSource &columns, Value first,
                                   Value extent, Values sums) {
  int64_t count = *getConstantIntValue(extent), left = count % nibbleGroup;
  auto place = [&](Value k) {
    return at().floorDiv(k, at().constant(nibbleGroup));
  };
  Value low = place(first),
        high = at().add(low, at().constant(count / nibbleGroup));
  auto loop = scf::ForOp::create(b, loc, low, high, at().constant(1), sums);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value group = loop.getInductionVar();
    scf::YieldOp::create(b, loc,
                         join(rows, columns, group,
                              addGroup(rows, columns, group, nibbleGroup),
                              Values(loop.getRegionIterArgs())));
  }
  sums = Values(loop.getResults());
  if (left == 0)
    return sums;
  return join(rows, columns, high, addGroup(rows, columns, high, left), sums);
}

/// The sums of the first `count` products of a group: of all high digits, then
/// of all low ones.
NibbleTile::Values NibbleTile::addGroup(ArrayRef<Value> rows,
                                        const ColumnSource &columns,
                                        Value group, int64_t count) {
  auto type = VectorType::get({lanes}, b.getI32Type());
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  Value end = at().constant(llvm::divideCeilSigned(count, nibblesPerWord));
  auto loop =
      scf::ForOp::create(b, loc, at().constant(0), end, at().constant(1),
                         Values(2 * rows.size() * columns.places.size(), zero));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Values sums(loop.getRegionIterArgs());
  addWord(rows, columns, group, loop.getInductionVar(), sums);
  scf::YieldOp::create(b, loc, sums);
  return Values(loop.getResults());
}

void NibbleTile::addWord(ArrayRef<Value> rows, const ColumnSource &columns,
                         Value group, Value word, Values &sums) {
  auto words = VectorType::get({lanes}, b.getI32Type()),
       halves = VectorType::get({2 * lanes}, b.getI16Type());
  Value k = at().add(at().mul(group, at().constant(nibbleGroup)),
                     at().mul(word, at().constant(nibblesPerWord)));
  if (columns.ahead)
    tiles.fetch(columns, k);
  Value line = at().add(columns.base, at().mul(k, columns.stride));
  auto asHalves = [&](Value words) {
    return vector::BitCastOp::create(b, loc, halves, words);
  };
  Values loaded;
  for (Value place : columns.places)
    loaded.push_back(asHalves(vector::LoadOp::create(
        b, loc, words, columns.memory, at().add(line, place))));
  for (int64_t number = 0; number < half; ++number) {
    Values wide = llvm::map_to_vector(
        loaded, [&](Value words) { return nibbles(words, number); });
    Value *sum = sums.data();
    for (Digit digit : {Digit::High, Digit::Low})
      for (Value row : rows) {
        Value pair =
            asHalves(fixed.pair(row, group, word, number, digit, lanes));
        for (Value integers : wide) {
          *sum = addProducts(integers, pair, *sum);
          ++sum;
        }
      }
  }
}

/// The `former` sums plus those of a group, as floats and times its scales.
NibbleTile::Values NibbleTile::join(ArrayRef<Value> rows,
                                    const ColumnSource &columns, Value group,
                                    ArrayRef<Value> sums, Values former) {
  int64_t vectors = columns.places.size();
  auto type = VectorType::get({lanes}, b.getF32Type());
  auto asFloats = [&](Value integers) {
    return arith::SIToFPOp::create(b, loc, type, integers);
  };
  Values scales;
  for (int64_t v = 0; v < vectors; ++v)
    scales.push_back(emitScales(b, loc, *columns.scales, group, v, lanes));
  ArrayRef<Value> high = sums.take_front(former.size()),
                  low = sums.drop_front(former.size());
  for (auto [i, sum] : llvm::enumerate(former)) {
    Value row = rows[i / vectors];
    Value whole = arith::MulFOp::create(
        b, loc, asFloats(high[i]), fixed.unit(row, group, Digit::High, lanes));
    whole = emitMultiplyAdd(b, loc, asFloats(low[i]),
                            fixed.unit(row, group, Digit::Low, lanes), whole);
    sum = emitMultiplyAdd(b, loc, whole, scales[i % vectors], sum);
  }
  return former;
}

} // namespace tenon
