// Everything that a decoder does not accept is refused with the statement's
// line and name.
#include "test/gpu/emulator/Decoding.h"

#include "test/gpu/emulator/Decoder.h"

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

std::string Decoding::takeOneOf(std::initializer_list<const char *> names) {
  std::string all;
  for (const char *name : names) {
    if (take(name))
      return name;
    all += std::string(all.empty() ? "." : ", .") + name;
  }
  refuse("expected one of " + all);
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
  if (take("shared") || take("shared::cta"))
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

/// The bytes of a lane's value; 0 for predicates.
static int bytesOf(Type type) {
  if (type.kind == Kind::Predicate)
    return 0;
  return type.bits < 0 ? 4 : type.bits / 8;
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
    slots.push_back(decoder.addressSlot(*variable));
    return 8;
  }
  int found = 0;
  if (operand.negated && type.kind != Kind::Predicate)
    refuse("'!' before a register that is no predicate");
  made.negated |= uint32_t(operand.negated) << slots.size();
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

void Decoding::address(size_t i, Space space) {
  const Operand &at = operand(i);
  if (at.form != Operand::Form::Address || !at.elements.empty())
    refuse("expected an address");
  made.number = at.offset;
  auto &slots = decoder.reads.back();
  if (at.name.empty()) {
    slots.push_back(decoder.constantSlot(0, 8));
    return;
  }
  if (const auto *variable = decoder.variableNamed(at.name)) {
    // A .param variable of a call lies in the caller's local memory.
    bool isLocal = variable->space == Space::Local;
    made.second = space == Space::Param && isLocal;
    if (variable->space != space && !made.second)
      refuse("the variable " + at.name + " is in another space");
    slots.push_back(decoder.addressSlot(*variable));
    return;
  }
  int bytes = 0;
  slots.push_back(decoder.registerNamed(statement, at.name, bytes));
  if (bytes != 8)
    refuse("expected an address of 64 bits");
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
