// Logic, shifts and fields of bits.
#include "test/gpu/emulator/Lanes.h"
#include "test/gpu/emulator/Select.h"

#include <bit>

namespace tenon::ptx {
namespace {
enum class Logic { And, Or, Xor };

template <Logic logic, typename T> T combine(T a, T b) {
  switch (logic) {
  case Logic::And:
    return T(a & b);
  case Logic::Or:
    return T(a | b);
  case Logic::Xor:
    return T(a ^ b);
  }
}

uint32_t predicateValue(Warp &warp, const Instruction &instruction, int i) {
  uint32_t value = warp.predicate(instruction.reads[i]);
  return instruction.negated >> i & 1 ? ~value : value;
}

void setPredicate(Warp &warp, Slot slot, uint32_t mask, uint32_t value) {
  uint32_t &predicate = warp.predicate(slot);
  predicate = (predicate & ~mask) | (value & mask);
}

template <Logic logic>
void combinePredicates(Warp &warp, const Instruction &instruction,
                       uint32_t mask) {
  setPredicate(warp, instruction.writes[0], mask,
               combine<logic>(predicateValue(warp, instruction, 0),
                              predicateValue(warp, instruction, 1)));
}

template <Logic logic> void decodeLogic(Decoding &d) {
  Type type = d.takeType();
  d.made.group = Group::Integer;
  if (type.kind == Kind::Predicate)
    d.made.run = combinePredicates<logic>;
  else
    d.made.run = forBits(d, type, []<typename T>() {
      return Instruction::Run(binary<T, T, T, combine<logic, T>>);
    });
  d.expectOperands(3);
  d.write(0, type);
  d.read(1, type);
  d.read(2, type);
}

template <typename T> T complement(T a) { return T(~a); }

void negatePredicate(Warp &warp, const Instruction &instruction,
                     uint32_t mask) {
  setPredicate(warp, instruction.writes[0], mask,
               ~predicateValue(warp, instruction, 0));
}

void decodeNot(Decoding &d) {
  Type type = d.takeType();
  d.made.group = Group::Integer;
  if (type.kind == Kind::Predicate)
    d.made.run = negatePredicate;
  else
    d.made.run = forBits(d, type, []<typename T>() {
      return Instruction::Run(unary<T, T, complement<T>>);
    });
  d.expectOperands(2);
  d.write(0, type);
  d.read(1, type);
}

template <typename T> T shiftLeft(T a, uint32_t count) {
  return count >= 8 * sizeof(T) ? T(0) : T(a << count);
}
template <typename T> T shiftRight(T a, uint32_t count) {
  uint32_t bits = 8 * sizeof(T);
  return T(a >> (count >= bits ? bits - 1 : count) >> (count >= bits ? 1 : 0));
}

void shiftOperands(Decoding &d, Type type) {
  d.made.group = Group::Integer;
  d.expectOperands(3);
  d.write(0, type);
  d.read(1, type);
  d.read(2, b32);
}

void decodeShiftLeft(Decoding &d) {
  Type type = d.takeType();
  d.made.run = forBits(d, type, []<typename T>() {
    return Instruction::Run(binary<T, T, uint32_t, shiftLeft<T>>);
  });
  shiftOperands(d, type);
}

void decodeShiftRight(Decoding &d) {
  Type type = d.takeType();
  d.made.run = forInteger(d, type, []<typename T>() {
    return Instruction::Run(binary<T, T, uint32_t, shiftRight<T>>);
  });
  shiftOperands(d, type);
}

/// Shifts of the 64 bits b:a, of which the upper or the lower half is kept.
template <bool left, bool wraps>
uint32_t funnel(uint32_t a, uint32_t b, uint32_t count) {
  count = wraps ? count & 31 : (count > 32 ? 32 : count);
  uint64_t both = uint64_t(b) << 32 | a;
  return left ? uint32_t((both << count) >> 32) : uint32_t(both >> count);
}

void decodeFunnel(Decoding &d) {
  bool left = d.takeOneOf({"l", "r"}) == "l";
  bool wraps = d.takeOneOf({"wrap", "clamp"}) == "wrap";
  if (!d.take("b32"))
    d.refuse("expected .b32");
  using W = uint32_t;
  d.made.run = left ? (wraps ? ternary<W, W, W, W, funnel<true, true>>
                             : ternary<W, W, W, W, funnel<true, false>>)
                    : (wraps ? ternary<W, W, W, W, funnel<false, true>>
                             : ternary<W, W, W, W, funnel<false, false>>);
  d.made.group = Group::Integer;
  d.expectOperands(4);
  d.write(0, b32);
  for (size_t i = 1; i < 4; ++i)
    d.read(i, b32);
}

template <typename T> uint32_t population(T a) {
  return uint32_t(std::popcount(a));
}
template <typename T> uint32_t leadingZeros(T a) {
  return uint32_t(std::countl_zero(a));
}
template <typename T> T reversed(T a) {
  T result = 0;
  for (size_t i = 0; i < 8 * sizeof(T); ++i)
    result = T(result << 1 | (a >> i & 1));
  return result;
}

enum class Count { Ones, LeadingZeros };

/// .b32 or .b64
Type takeLargeWord(Decoding &d) {
  Type type = d.takeType();
  if (type.kind != Kind::Bits || type.bits < 32)
    d.refuse("expected .b32 or .b64");
  return type;
}

template <Count count> void decodeCount(Decoding &d) {
  Type type = takeLargeWord(d);
  d.made.group = Group::Integer;
  d.made.run = forBits(d, type, []<typename T>() {
    return count == Count::Ones
               ? Instruction::Run(unary<uint32_t, T, population<T>>)
               : Instruction::Run(unary<uint32_t, T, leadingZeros<T>>);
  });
  d.expectOperands(2);
  d.write(0, b32);
  d.read(1, type);
}

void decodeReverse(Decoding &d) {
  Type type = takeLargeWord(d);
  d.made.group = Group::Integer;
  d.made.run = forBits(d, type, []<typename T>() {
    return Instruction::Run(unary<T, T, reversed<T>>);
  });
  d.expectOperands(2);
  d.write(0, type);
  d.read(1, type);
}

/// The `length` bits of a from `position` on; signed ones repeat the last.
template <typename T> T extracted(T a, uint32_t position, uint32_t length) {
  uint32_t bits = 8 * sizeof(T), start = position & 0xff, count = length & 0xff;
  bool isSigned = std::is_signed_v<T>;
  uint32_t last = std::min(start + count - 1, bits - 1);
  bool sign = isSigned && count && (a >> last & 1);
  T result = 0;
  for (uint32_t i = 0; i < bits; ++i) {
    bool bit = i < count && start + i < bits ? a >> (start + i) & 1 : sign;
    result = T(result | T(T(bit) << i));
  }
  return result;
}

void decodeExtract(Decoding &d) {
  Type type = d.takeType();
  if (type.kind == Kind::Bits || type.bits < 32)
    d.refuse("expected .u or .s of 32 or 64 bits");
  d.made.group = Group::Integer;
  d.made.run = forInteger(d, type, []<typename T>() {
    return Instruction::Run(ternary<T, T, uint32_t, uint32_t, extracted<T>>);
  });
  d.expectOperands(4);
  d.write(0, type);
  d.read(1, type);
  d.read(2, b32);
  d.read(3, b32);
}

template <typename T>
void insertBits(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const T *field = warp.lanes<T>(instruction.reads[0]),
          *into = warp.lanes<T>(instruction.reads[1]);
  const uint32_t *position = warp.lanes<uint32_t>(instruction.reads[2]),
                 *length = warp.lanes<uint32_t>(instruction.reads[3]);
  setLanes(warp.lanes<T>(instruction.writes[0]), mask, [&](int lane) {
    T result = into[lane];
    uint32_t start = position[lane] & 0xff, count = length[lane] & 0xff;
    for (uint32_t i = 0; i < count && start + i < 8 * sizeof(T); ++i) {
      T bit = T(T(1) << (start + i));
      result = field[lane] >> i & 1 ? T(result | bit) : T(result & ~bit);
    }
    return result;
  });
}

void decodeInsert(Decoding &d) {
  Type type = takeLargeWord(d);
  d.made.group = Group::Integer;
  d.made.run = forBits(
      d, type, []<typename T>() { return Instruction::Run(insertBits<T>); });
  d.expectOperands(5);
  d.write(0, type);
  d.read(1, type);
  d.read(2, type);
  d.read(3, b32);
  d.read(4, b32);
}

/// Four bytes chosen among the eight of b:a, or their signs.
uint32_t permuted(uint32_t a, uint32_t b, uint32_t choice) {
  uint64_t both = uint64_t(b) << 32 | a;
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    uint32_t which = choice >> (4 * i) & 0xf;
    uint8_t byte = uint8_t(both >> (8 * (which & 7)));
    if (which & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= uint32_t(byte) << (8 * i);
  }
  return result;
}

void decodePermute(Decoding &d) {
  if (!d.take("b32"))
    d.refuse("expected .b32");
  using W = uint32_t;
  d.made.group = Group::Integer;
  d.made.run = ternary<W, W, W, W, permuted>;
  d.expectOperands(4);
  d.write(0, b32);
  for (size_t i = 1; i < 4; ++i)
    d.read(i, b32);
}
} // namespace

/// Any function of three bits, by its table.
static void lookUp(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const uint32_t *a = warp.lanes<uint32_t>(instruction.reads[0]),
                 *b = warp.lanes<uint32_t>(instruction.reads[1]),
                 *c = warp.lanes<uint32_t>(instruction.reads[2]);
  setLanes(warp.lanes<uint32_t>(instruction.writes[0]), mask, [&](int lane) {
    uint32_t result = 0;
    for (uint32_t row = 0; row < 8; ++row)
      if (instruction.number >> row & 1)
        result |= (row & 4 ? a[lane] : ~a[lane]) &
                  (row & 2 ? b[lane] : ~b[lane]) &
                  (row & 1 ? c[lane] : ~c[lane]);
    return result;
  });
}

static void decodeLookUp(Decoding &d) {
  if (!d.take("b32"))
    d.refuse("expected .b32");
  d.made.group = Group::Integer;
  d.made.run = lookUp;
  d.expectOperands(5);
  d.write(0, b32);
  for (size_t i = 1; i < 4; ++i)
    d.read(i, b32);
  d.made.number = int64_t(d.constant(4));
}

std::vector<InstructionRow> bitRows() {
  return {
      {"and", decodeLogic<Logic::And>},
      {"or", decodeLogic<Logic::Or>},
      {"xor", decodeLogic<Logic::Xor>},
      {"not", decodeNot},
      {"shl", decodeShiftLeft},
      {"shr", decodeShiftRight},
      {"shf", decodeFunnel},
      {"popc", decodeCount<Count::Ones>},
      {"clz", decodeCount<Count::LeadingZeros>},
      {"brev", decodeReverse},
      {"bfe", decodeExtract},
      {"bfi", decodeInsert},
      {"prmt", decodePermute},
      {"lop3", decodeLookUp},
  };
}

} // namespace tenon::ptx
