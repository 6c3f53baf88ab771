// Integer arithmetic: results are taken modulo the type's size.
#include "test/gpu/emulator/FamilyDecoders.h"
#include "test/gpu/emulator/Lanes.h"

#include <type_traits>

namespace tenon::ptx {
namespace {
template <typename T> using Unsigned = std::make_unsigned_t<T>;
template <typename T>
using Wide = std::conditional_t<
    sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>,
    std::conditional_t<
        sizeof(T) == 4,
        std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>,
        std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>>>;

template <typename T> T add(T a, T b) {
  return T(Unsigned<T>(Unsigned<T>(a) + Unsigned<T>(b)));
}
template <typename T> T subtract(T a, T b) {
  return T(Unsigned<T>(Unsigned<T>(a) - Unsigned<T>(b)));
}
template <typename T> T low(T a, T b) { return T(Wide<T>(a) * Wide<T>(b)); }
template <typename T> T high(T a, T b) {
  return T((Wide<T>(a) * Wide<T>(b)) >> (8 * sizeof(T)));
}
template <typename T> Wide<T> wide(T a, T b) { return Wide<T>(a) * b; }
template <typename T> T lowAdd(T a, T b, T c) { return add(low(a, b), c); }
template <typename T> T highAdd(T a, T b, T c) { return add(high(a, b), c); }
template <typename T> Wide<T> wideAdd(T a, T b, Wide<T> c) {
  return add(wide(a, b), c);
}
template <typename T> T negate(T a) { return subtract(T(0), a); }
template <typename T> T absolute(T a) { return a < 0 ? negate(a) : a; }
template <typename T> T least(T a, T b) { return a < b ? a : b; }
template <typename T> T greatest(T a, T b) { return a > b ? a : b; }
template <typename T> T quotient(T a, T b) {
  return std::is_signed_v<T> && b == T(-1) ? negate(a) : T(a / b);
}
template <typename T> T remainder(T a, T b) {
  return std::is_signed_v<T> && b == T(-1) ? T(0) : T(a % b);
}

/// Words have logic, but no arithmetic.
void expectNumbers(Decoding &d, Type type) {
  if (type.kind == Kind::Bits)
    d.refuse("expected .u or .s");
}

void binaryOperands(Decoding &d, Type type) {
  expectNumbers(d, type);
  d.made.group = Group::Integer;
  d.expectOperands(3);
  d.write(0, type);
  d.read(1, type);
  d.read(2, type);
}

void decodeMin(Decoding &d, Type type) {
  d.made.run = forInteger(d, type, []<typename T>() {
    return Instruction::Run(binary<T, T, T, least<T>>);
  });
  binaryOperands(d, type);
}

void decodeMax(Decoding &d, Type type) {
  d.made.run = forInteger(d, type, []<typename T>() {
    return Instruction::Run(binary<T, T, T, greatest<T>>);
  });
  binaryOperands(d, type);
}

Type twice(Decoding &d, Type type) {
  if (type.bits > 32)
    d.refuse("no type is twice as wide");
  return {type.kind, 2 * type.bits};
}

/// mul and mad: .lo, .hi or .wide.
template <bool adds> void decodeProduct(Decoding &d, const std::string &part) {
  Type type = d.takeType(), result = type;
  expectNumbers(d, type);
  if (part == "wide")
    result = twice(d, type);
  d.made.run = forInteger(d, type, [&]<typename T>() -> Instruction::Run {
    if (part == "lo")
      return adds ? Instruction::Run(ternary<T, T, T, T, lowAdd<T>>)
                  : Instruction::Run(binary<T, T, T, low<T>>);
    if (part == "hi")
      return adds ? Instruction::Run(ternary<T, T, T, T, highAdd<T>>)
                  : Instruction::Run(binary<T, T, T, high<T>>);
    if constexpr (sizeof(T) < 8)
      return adds
                 ? Instruction::Run(ternary<Wide<T>, T, T, Wide<T>, wideAdd<T>>)
                 : Instruction::Run(binary<Wide<T>, T, T, wide<T>>);
    return nullptr;
  });
  d.made.group = Group::Integer;
  d.expectOperands(adds ? 4 : 3);
  d.write(0, result);
  d.read(1, type);
  d.read(2, type);
  if (adds)
    d.read(3, result);
}

template <bool isRemainder>
void divide(Warp &warp, const Instruction &instruction, uint32_t mask,
            auto zero) {
  using T = decltype(zero);
  const T *b = warp.lanes<T>(instruction.reads[1]);
  forLanes(mask, [&](int lane) {
    if (b[lane] == 0)
      warp.fail(lane, "division by zero");
  });
  if constexpr (isRemainder)
    binary<T, T, T, remainder<T>>(warp, instruction, mask);
  else
    binary<T, T, T, quotient<T>>(warp, instruction, mask);
}

template <bool isRemainder, typename T>
void divideLanes(Warp &warp, const Instruction &instruction, uint32_t mask) {
  divide<isRemainder>(warp, instruction, mask, T(0));
}

template <bool isRemainder> void decodeDivision(Decoding &d, Type type) {
  d.made.run = forInteger(d, type, []<typename T>() {
    return Instruction::Run(divideLanes<isRemainder, T>);
  });
  binaryOperands(d, type);
}

/// Sums of four products of bytes.
template <typename A, typename B>
int32_t dotFour(uint32_t a, uint32_t b, int32_t c) {
  int64_t sum = c;
  for (int i = 0; i < 4; ++i)
    sum += int64_t(A(a >> (8 * i))) * int64_t(B(b >> (8 * i)));
  return int32_t(sum);
}

void decodeDot(Decoding &d) {
  bool aSigned = d.takeOneOf({"s32", "u32"}) == "s32";
  bool bSigned = d.takeOneOf({"s32", "u32"}) == "s32";
  using W = uint32_t;
  using S = int32_t;
  d.made.run = aSigned
                   ? (bSigned ? ternary<S, W, W, S, dotFour<int8_t, int8_t>>
                              : ternary<S, W, W, S, dotFour<int8_t, uint8_t>>)
                   : (bSigned ? ternary<S, W, W, S, dotFour<uint8_t, int8_t>>
                              : ternary<S, W, W, S, dotFour<uint8_t, uint8_t>>);
  d.made.group = Group::Integer;
  d.expectOperands(4);
  d.write(0, b32);
  for (int i = 1; i < 4; ++i)
    d.read(size_t(i), b32);
}
} // namespace

void decodeIntegerSum(Decoding &d, Type type, bool subtracts) {
  d.made.run = forInteger(d, type, [&]<typename T>() {
    return subtracts ? Instruction::Run(binary<T, T, T, subtract<T>>)
                     : Instruction::Run(binary<T, T, T, add<T>>);
  });
  binaryOperands(d, type);
}

void decodeIntegerProduct(Decoding &d, bool adds) {
  std::string part = d.takeOneOf({"lo", "hi", "wide"});
  adds ? decodeProduct<true>(d, part) : decodeProduct<false>(d, part);
}

void decodeIntegerDivision(Decoding &d, Type type) {
  decodeDivision<false>(d, type);
}

void decodeIntegerExtreme(Decoding &d, Type type, bool isMax) {
  isMax ? decodeMax(d, type) : decodeMin(d, type);
}

void decodeIntegerSign(Decoding &d, Type type, bool isAbsolute) {
  if (type.kind != Kind::Signed)
    d.refuse("expected .s");
  d.made.run = forInteger(d, type, [&]<typename T>() {
    return isAbsolute ? Instruction::Run(unary<T, T, absolute<T>>)
                      : Instruction::Run(unary<T, T, negate<T>>);
  });
  d.made.group = Group::Integer;
  d.expectOperands(2);
  d.write(0, type);
  d.read(1, type);
}

std::vector<InstructionRow> integerRows() {
  return {
      {"mad", [](Decoding &d) { decodeIntegerProduct(d, true); }},
      {"rem", [](Decoding &d) { decodeDivision<true>(d, d.takeType()); }},
      {"dp4a", decodeDot},
  };
}

} // namespace tenon::ptx
