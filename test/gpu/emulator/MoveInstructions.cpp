// mov and cvta: registers, packed registers, and addresses of spaces.
#include "test/gpu/emulator/Lanes.h"
#include "test/gpu/emulator/Select.h"

#include <cstring>

namespace tenon::ptx {
namespace {
template <typename T> T same(T a) { return a; }

void movePredicate(Warp &warp, const Instruction &instruction, uint32_t mask) {
  uint32_t value = warp.predicate(instruction.reads[0]);
  if (instruction.negated & 1)
    value = ~value;
  uint32_t &predicate = warp.predicate(instruction.writes[0]);
  predicate = (predicate & ~mask) | (value & mask);
}

/// Parts of `first` bytes each, the lowest first, into one register.
void pack(Warp &warp, const Instruction &instruction, uint32_t mask) {
  size_t part = instruction.first, whole = part * instruction.numReads;
  uint8_t *result = warp.lanes<uint8_t>(instruction.writes[0]);
  forLanes(mask, [&](int lane) {
    for (size_t i = 0; i < instruction.numReads; ++i)
      std::memcpy(result + size_t(lane) * whole + i * part,
                  warp.lanes<uint8_t>(instruction.reads[i]) +
                      size_t(lane) * part,
                  part);
  });
}

void unpack(Warp &warp, const Instruction &instruction, uint32_t mask) {
  size_t part = instruction.first, whole = part * instruction.numWrites;
  const uint8_t *source = warp.lanes<uint8_t>(instruction.reads[0]);
  forLanes(mask, [&](int lane) {
    for (size_t i = 0; i < instruction.numWrites; ++i)
      std::memcpy(warp.lanes<uint8_t>(instruction.writes[i]) +
                      size_t(lane) * part,
                  source + size_t(lane) * whole + i * part, part);
  });
}

Type partOf(Decoding &d, Type whole, size_t count) {
  if (count < 2 || whole.bits % int(count) || whole.bits / int(count) < 16)
    d.refuse("parts of another size");
  return {Kind::Bits, whole.bits / int(count)};
}

void decodeMove(Decoding &d) {
  Type type = d.takeType();
  d.expectOperands(2);
  const Operand &to = d.operand(0), &from = d.operand(1);
  if (type.kind == Kind::Predicate) {
    d.made.run = movePredicate;
  } else if (from.form == Operand::Form::Vector) {
    Type part = partOf(d, type, from.elements.size());
    d.made.run = pack;
    d.made.packs = true;
    d.made.first = uint32_t(part.bits / 8);
    d.write(0, type);
    for (const Operand &element : from.elements)
      d.read(element, part);
    return;
  } else if (to.form == Operand::Form::Vector) {
    Type part = partOf(d, type, to.elements.size());
    d.made.run = unpack;
    d.made.first = uint32_t(part.bits / 8);
    d.read(1, type);
    for (const Operand &element : to.elements)
      d.write(element, part);
    return;
  } else {
    d.made.run = forBits(d, type, []<typename T>() {
      return Instruction::Run(unary<T, T, same<T>>);
    });
  }
  d.write(0, type);
  d.read(1, type);
}

/// number: what is added to the address of a space.
void shiftAddress(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const uint64_t *source = warp.lanes<uint64_t>(instruction.reads[0]);
  setLanes(warp.lanes<uint64_t>(instruction.writes[0]), mask, [&](int lane) {
    return source[lane] + uint64_t(instruction.number);
  });
}

void decodeConvertAddress(Decoding &d) {
  bool toSpace = d.take("to");
  Space space = d.takeSpace();
  if (!d.take("u64"))
    d.refuse("expected .u64");
  int64_t window = space == Space::Shared  ? int64_t(sharedWindow)
                   : space == Space::Local ? int64_t(localWindow)
                   : space == Space::Param ? int64_t(parameterWindow)
                                           : 0;
  if (space == Space::Generic)
    d.refuse("expected .global, .shared, .local, .param or .const");
  d.made.number = toSpace ? -window : window;
  d.made.run = shiftAddress;
  d.expectOperands(2);
  d.write(0, b64);
  d.read(1, b64);
}
} // namespace

std::vector<InstructionRow> moveRows() {
  return {{"mov", decodeMove}, {"cvta", decodeConvertAddress}};
}

} // namespace tenon::ptx
