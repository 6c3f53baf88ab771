// The layout of operand tiles. A tile of rows holds 32 elements of each of 16
// rows. A tile of columns holds 16 pairs of elements of each of 16 columns,
// with the two elements of a pair side by side. With bytes there are quads in
// the place of pairs.
//
// The elements of split operands can be paired in any way, if both operands use
// the same one. Element i of 32 is paired with element i + 16, so that two
// vectors become pairs without a shuffle. Operands that are words already have
// the layout of tiles in memory; only incomplete tiles and windows are copied.
#include "passes/cpu/amx/AmxOperands.h"

#include "passes/kernel/numerics/Conversions.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

Type AmxOperands::tileElement() {
  return plan.ofBytes() ? Type(b.getI8Type()) : b.getBF16Type();
}

Value AmxOperands::loadVector(VectorType type, Value memory, Value place) {
  return vector::LoadOp::create(b, loc, type, memory, place);
}

Value AmxOperands::loadMasked(VectorType type, Value memory, Value place,
                              Value mask) {
  if (!mask)
    return loadVector(type, memory, place);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  return vector::MaskedLoadOp::create(b, loc, type, memory, place, mask, zero);
}

Value AmxOperands::loadFloats(Value memory, Type element, Value place,
                              Value mask) {
  auto type = VectorType::get({lanes}, kernelElementType(element));
  return emitConvert(b, loc, loadMasked(type, memory, place, mask), element,
                     nest.sum);
}

bool AmxOperands::hasPartialStep() {
  return *getConstantIntValue(nest.sums.back().extent) % plan.stepExtent != 0;
}

/// True if each number of a type is a bf16. Integers have scales, and at most
/// eight bits.
static bool fitsBfloat(Type element) {
  return element.isBF16() || element.isInteger();
}

AmxOperands::Values AmxOperands::pairsOfParts(Value low, Value high,
                                              Type element, int64_t count) {
  if (fitsBfloat(element)) {
    assert(count == 1 && "a bf16 has one part");
    auto bits = [&](Value floats) {
      return arith::BitcastOp::create(b, loc, words, floats);
    };
    return {joinHalves(b, loc, bits(low), bits(high))};
  }
  Values pairs = emitParts(b, loc, low, count);
  for (auto [pair, part] : llvm::zip(pairs, emitParts(b, loc, high, count)))
    pair = joinHalves(b, loc, pair, part);
  return pairs;
}

void AmxOperands::storeParts(Value word, Value memory, Value place) {
  auto type = VectorType::get({plan.stepElements()}, tileElement());
  vector::StoreOp::create(b, loc, vector::BitCastOp::create(b, loc, type, word),
                          memory, place);
}

Value AmxOperands::placeOfTile(Value line, Value step) {
  Value tile = at().add(at().mul(line, at().constant(plan.steps())), step);
  return at().mul(tile, at().constant(tileElements()));
}

Value AmxOperands::loadTile(Value memory, Value place, Value stride) {
  auto type = amx::TileType::get({amxTile, plan.stepElements()}, tileElement());
  return amx::TileLoadOp::create(b, loc, type, memory, place, stride);
}

} // namespace tenon
