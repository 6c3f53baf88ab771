// Everything that a decoder does not accept is refused with the statement's
// line and name.
#include "test/gpu/emulator/Decoding.h"

#include "test/gpu/emulator/Decoder.h"
#include "test/gpu/emulator/Lanes.h"

namespace tenon::ptx {

Decoding::Decoding(Decoder &decoder, const Statement &statement,
                   Instruction &made)
    : statement(statement), made(made), decoder(decoder) {}

void Decoding::refuse(const std::string &what) const {
  throw TextError(statement.line,
                  decoder.program.texts[made.statement] + ": " + what);
}

int Decoding::architecture() const { return decoder.architecture; }

void Decoding::need(int architecture, int version) {
  if (decoder.architecture < architecture)
    refuse("needs sm_" + std::to_string(architecture) + ", the module is for " +
           decoder.module.architecture);
  if (decoder.module.version < version)
    refuse("needs PTX " + std::to_string(version / 10) + "." +
           std::to_string(version % 10));
}

bool Decoding::take(const char *modifier) {
  if (!hasModifier() || statement.modifiers[taken] != modifier)
    return false;
  ++taken;
  return true;
}

void Decoding::needVariant(const char *name) {
  if (decoder.module.architecture != name)
    refuse(std::string("needs ") + name + ", the module is for " +
           decoder.module.architecture);
}

std::string Decoding::takeOneOf(std::initializer_list<const char *> names) {
  std::string all;
  for (const char *name : names) {
    if (take(name))
      return name;
    all += std::string(all.empty() ? "." : ", .") + name;
  }
  refuse("expected one of " + all);
}

std::string Decoding::takeAny() {
  if (!hasModifier())
    refuse("expected more modifiers");
  return statement.modifiers[taken++];
}

void Decoding::useMatrixUnit() {
  decoder.program.usesMatrixUnit = true;
  made.isOfMatrixUnit = true;
}

void Decoding::takeRounding() {
  if (!take("rn"))
    refuse("expected .rn: other roundings are not emulated, and an assembler "
           "may contract operations without one");
}

Type Decoding::takeType() {
  static const std::map<std::string, Kind> kinds{
      {"b", Kind::Bits},  {"u", Kind::Unsigned}, {"s", Kind::Signed},
      {"f", Kind::Float}, {"bf", Kind::BFloat},
  };
  if (take("pred"))
    return predicateType;
  if (take("f16x2"))
    return {Kind::Float, -16};
  if (take("bf16x2"))
    return {Kind::BFloat, -16};
  if (!hasModifier())
    refuse("expected a type");
  const std::string &text = statement.modifiers[taken];
  size_t digits = text.find_first_of("0123456789");
  auto kind = kinds.find(text.substr(0, digits));
  std::string bits = digits == std::string::npos ? "" : text.substr(digits);
  if (kind == kinds.end() ||
      (bits != "8" && bits != "16" && bits != "32" && bits != "64"))
    refuse("unknown type ." + text);
  ++taken;
  return {kind->second, std::stoi(bits)};
}

Space Decoding::takeSpace() {
  if (take("global"))
    return Space::Global;
  // A block is a cluster of its own.
  if (take("shared") || take("shared::cta") || take("shared::cluster"))
    return Space::Shared;
  if (take("local"))
    return Space::Local;
  if (take("param") || take("param::entry") || take("param::func"))
    return Space::Param;
  if (take("const"))
    return Space::Const;
  return Space::Generic;
}

int Decoding::takeVector() { return take("v2") ? 2 : take("v4") ? 4 : 1; }

void Decoding::takeNoMore() {
  if (hasModifier())
    refuse("the modifier ." + statement.modifiers[taken] +
           " is not emulated here");
}

const Operand &Decoding::operand(size_t i) const {
  if (i >= statement.operands.size())
    refuse("expected more operands");
  return statement.operands[i];
}

void Decoding::expectOperands(size_t least, size_t most) {
  if (numOperands() < least || numOperands() > most)
    refuse("expected " + std::to_string(least) + " operands, got " +
           std::to_string(numOperands()));
}

const std::vector<Operand> &Decoding::vector(size_t i, size_t count) const {
  const Operand &found = operand(i);
  if (found.form != Operand::Form::Vector || found.elements.size() != count)
    refuse("expected a vector of " + std::to_string(count) + " registers");
  return found.elements;
}

/// The bytes of a lane's value; 0 for predicates.
static int bytesOf(Type type) {
  if (type.kind == Kind::Predicate)
    return 0;
  return type.bits < 0 ? 4 : type.bits / 8;
}

static void extendAddress(Warp &warp, const Instruction &instruction,
                          uint32_t mask) {
  const uint32_t *narrow = warp.lanes<uint32_t>(instruction.reads[0]);
  setLanes(warp.lanes<uint64_t>(instruction.writes[0]), mask,
           [&](int lane) { return uint64_t(narrow[lane]); });
}

static void addToAddress(Warp &warp, const Instruction &instruction,
                         uint32_t mask) {
  const uint64_t *from = warp.lanes<uint64_t>(instruction.reads[0]);
  setLanes(warp.lanes<uint64_t>(instruction.writes[0]), mask,
           [&](int lane) { return from[lane] + uint64_t(instruction.number); });
}

static void intoShared(Warp &warp, const Instruction &instruction,
                       uint32_t mask) {
  const uint64_t *from = warp.lanes<uint64_t>(instruction.reads[0]);
  setLanes(warp.lanes<uint64_t>(instruction.writes[0]), mask, [&](int lane) {
    uint64_t address = from[lane] + uint64_t(instruction.number);
    if ((address & windowMask) != sharedWindow)
      warp.fail(lane, "expects an address in shared memory");
    return address & ~windowMask;
  });
}

void Decoding::read(size_t i, Type type) { read(operand(i), type); }

void Decoding::read(const Operand &operand, Type type) {
  int bytes = readWide(operand, type);
  if (bytes != bytesOf(type))
    refuse("a register of other size than the type: " + operand.name);
}

int Decoding::readWide(const Operand &operand, Type type) {
  auto &slots = decoder.reads.back();
  int bytes = bytesOf(type);
  switch (operand.form) {
  case Operand::Form::Integer:
    if (type.kind == Kind::Predicate)
      slots.push_back(decoder.constantSlot(operand.bits & 1 ? ~0u : 0, 4));
    else
      slots.push_back(decoder.constantSlot(operand.bits, bytes));
    return bytes;
  case Operand::Form::Float32:
  case Operand::Form::Float64:
    if (bytes != (operand.form == Operand::Form::Float32 ? 4 : 8))
      refuse("a constant of another type");
    slots.push_back(decoder.constantSlot(operand.bits, bytes));
    return bytes;
  case Operand::Form::Name:
    break;
  default:
    refuse("expected a register or a constant");
  }
  if (const auto *variable = decoder.variableNamed(operand.name)) {
    // Addresses in shared memory fit 32 bits.
    int size = variable->space == Space::Shared && bytes == 4 ? 4 : 8;
    slots.push_back(decoder.addressSlot(*variable, size));
    return size;
  }
  int found = 0;
  if (operand.negated && type.kind != Kind::Predicate)
    refuse("'!' before a register that is no predicate");
  if (operand.negated)
    made.negated |= uint32_t(1) << slots.size();
  slots.push_back(decoder.registerNamed(statement, operand.name, found));
  if (found < bytes || (found == 0) != (bytes == 0))
    refuse("a register of other size than the type: " + operand.name);
  return found;
}

void Decoding::write(size_t i, Type type) { write(operand(i), type); }

void Decoding::write(const Operand &operand, Type type) {
  if (writeWide(operand, type) != bytesOf(type))
    refuse("a register of other size than the type: " + operand.name);
}

int Decoding::writeWide(const Operand &operand, Type type) {
  auto &slots = decoder.writes.back();
  if (operand.form == Operand::Form::Sink) {
    slots.push_back(decoder.newSlot(bytesOf(type)));
    return bytesOf(type);
  }
  if (operand.form != Operand::Form::Name)
    refuse("expected a register to write");
  int found = 0;
  slots.push_back(decoder.registerNamed(statement, operand.name, found));
  if (found < bytesOf(type) || (found == 0) != (bytesOf(type) == 0))
    refuse("a register of other size than the type: " + operand.name);
  return found;
}

Slot Decoding::addressRegister(const Operand &at, Space space) {
  if (at.form != Operand::Form::Address)
    refuse("expected an address");
  if (at.name.empty())
    return decoder.constantSlot(0, 8);
  if (const auto *variable = decoder.variableNamed(at.name)) {
    // A .param variable of a call lies in the caller's local memory.
    bool isLocal = variable->space == Space::Local;
    made.second = space == Space::Param && isLocal;
    if (variable->space != space && !made.second)
      refuse("the variable " + at.name + " is in another space");
    return decoder.addressSlot(*variable, 8);
  }
  int bytes = 0;
  Slot slot = decoder.registerNamed(statement, at.name, bytes);
  if (bytes == 4 && space == Space::Shared)
    return decoder.derived(made, slot, extendAddress, 0);
  if (bytes != 8)
    refuse("expected an address of 64 bits");
  return slot;
}

void Decoding::address(size_t i, Space space) {
  if (!operand(i).elements.empty())
    refuse("expected an address");
  made.number = operand(i).offset;
  Slot slot = addressRegister(operand(i), space);
  decoder.reads.back().push_back(slot);
}

void Decoding::wholeAddress(size_t i, Space space) {
  uint32_t second = made.second;
  Slot slot = addressRegister(operand(i), space);
  made.second = second;
  if (int64_t offset = operand(i).offset)
    slot = decoder.derived(made, slot, addToAddress, offset);
  decoder.reads.back().push_back(slot);
}

void Decoding::sharedAddress(size_t i, Space space) {
  if (space == Space::Shared)
    return wholeAddress(i, space);
  if (space != Space::Generic)
    refuse("expected .shared");
  Slot slot = decoder.derived(made, addressRegister(operand(i), space),
                              intoShared, operand(i).offset);
  decoder.reads.back().push_back(slot);
}

uint64_t Decoding::constant(size_t i) const {
  if (operand(i).form != Operand::Form::Integer)
    refuse("expected a constant");
  return operand(i).bits;
}

void Decoding::target(const std::string &label) {
  decoder.fixups.push_back({decoder.program.code.size(),
                            {decoder.scope->prefix + label},
                            false,
                            statement.line});
}

bool Decoding::isInlined() const { return !decoder.scope->end.empty(); }

void Decoding::targetEnd() {
  decoder.fixups.push_back({decoder.program.code.size(),
                            {decoder.scope->end},
                            false,
                            statement.line});
}

void Decoding::targets(const std::string &table) {
  const auto &tables = decoder.scope->function->branchTargets;
  auto found = tables.find(table);
  if (found == tables.end())
    refuse("unknown table " + table);
  std::vector<std::string> labels;
  for (const std::string &label : found->second)
    labels.push_back(decoder.scope->prefix + label);
  decoder.fixups.push_back(
      {decoder.program.code.size(), labels, true, statement.line});
}

} // namespace tenon::ptx
