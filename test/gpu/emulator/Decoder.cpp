// Each inlined function has names of its own by a prefix. Labels are known when
// all statements are decoded.
#include "test/gpu/emulator/Decoder.h"

#include "test/gpu/emulator/MeetingOrder.h"

#include <algorithm>

namespace tenon::ptx {

constexpr int maxDepth = 32;
/// Bytes between variables in shared memory: several times all banks, so that
/// conflicts are those without a gap.
constexpr uint32_t sharedGap = 1024;
constexpr size_t maxCode = 1 << 22;

static uint64_t alignTo(uint64_t value, uint64_t align) {
  return (value + align - 1) / align * align;
}

Decoder::Decoder(const Module &module, const VariableAddresses &addresses)
    : module(module), addresses(addresses) {
  if (!module.architecture.starts_with("sm_"))
    throw TextError(1, "unknown architecture " + module.architecture);
  architecture = std::atoi(module.architecture.c_str() + 3);
}

Program Decoder::run(const Function &entry) {
  program.name = entry.name;
  parameters(entry);
  const auto &threads =
      entry.exactThreads.empty() ? entry.maxThreads : entry.exactThreads;
  if (!threads.empty()) {
    program.maxThreads = 1;
    for (uint32_t extent : threads)
      program.maxThreads *= extent;
  }
  program.threadsAreExact = !entry.exactThreads.empty();
  Scope outer{&entry, "", {}, ""};
  uint64_t offset = 0;
  for (const ptx::Variable &parameter : entry.parameters) {
    offset = alignTo(offset, parameter.align);
    outer.variables[parameter.name] = {Space::Param, offset};
    offset += parameter.bytes;
  }
  body(outer);
  finish();
  return std::move(program);
}

void Decoder::parameters(const Function &entry) {
  for (const ptx::Variable &parameter : entry.parameters) {
    program.parameterBytes =
        uint32_t(alignTo(program.parameterBytes, parameter.align));
    program.parameters.push_back(
        {program.parameterBytes, uint32_t(parameter.bytes)});
    program.parameterBytes += uint32_t(parameter.bytes);
  }
}

uint32_t Decoder::placeShared(uint64_t align) {
  if (program.sharedSpan) {
    uint32_t end = program.sharedSpan;
    program.sharedSpan = uint32_t(alignTo(end + sharedGap, align));
    program.sharedGaps.push_back({end, program.sharedSpan});
  }
  return program.sharedSpan;
}

void Decoder::layOutShared(const ptx::Variable &variable, Scope &of) {
  if (variable.isExtern || variable.bytes == 0) {
    program.dynamicAlign =
        std::max(program.dynamicAlign, uint32_t(variable.align));
    of.variables[variable.name] = {Space::Shared, 0, true};
    return;
  }
  program.sharedBytes = uint32_t(alignTo(program.sharedBytes, variable.align));
  program.sharedBytes += uint32_t(variable.bytes);
  of.variables[variable.name] = {Space::Shared, placeShared(variable.align)};
  program.sharedSpan += uint32_t(variable.bytes);
}

void Decoder::declareVariables(Scope &of) {
  for (const ptx::Variable &variable : of.function->variables) {
    if (variable.space == Space::Shared) {
      layOutShared(variable, of);
      continue;
    }
    if (variable.space != Space::Local && variable.space != Space::Param)
      throw TextError(variable.line, "a variable of this space in a function");
    program.localBytes = uint32_t(alignTo(program.localBytes, variable.align));
    of.variables[variable.name] = {Space::Local, program.localBytes};
    program.localBytes += uint32_t(variable.bytes);
  }
}

void Decoder::body(Scope &of) {
  Scope *outer = scope;
  scope = &of;
  declareVariables(of);
  std::multimap<size_t, std::string> labelsAt;
  for (const auto &[label, place] : of.function->labels)
    labelsAt.emplace(place, label);
  auto define = [&](size_t place) {
    auto [first, last] = labelsAt.equal_range(place);
    for (auto label = first; label != last; ++label)
      labels[of.prefix + label->second] = uint32_t(program.code.size());
  };
  const auto &statements = of.function->body;
  for (size_t i = 0; i < statements.size(); ++i) {
    define(i);
    if (statements[i].name == "call")
      call(statements[i]);
    else
      statement(statements[i]);
    if (program.code.size() > maxCode)
      throw TextError(statements[i].line, "the kernel is too long");
  }
  define(statements.size());
  if (!of.end.empty())
    labels[of.end] = uint32_t(program.code.size());
  scope = outer;
}

static std::string textOf(const Statement &statement) {
  std::string text = statement.name;
  for (const std::string &modifier : statement.modifiers)
    text += "." + modifier;
  return text;
}

void Decoder::statement(const Statement &statement) {
  Instruction made;
  made.line = uint32_t(statement.line);
  made.statement = uint32_t(program.texts.size());
  program.texts.push_back(textOf(statement));
  reads.emplace_back();
  writes.emplace_back();
  if (!statement.guard.empty()) {
    int bytes;
    made.isGuarded = true;
    made.guardNegated = statement.guardNegated;
    made.guard = registerNamed(statement, statement.guard, bytes);
  }
  const InstructionRow *row = instructionNamed(statement.name);
  if (!row)
    throw TextError(statement.line, "unknown instruction " + textOf(statement));
  Decoding decoding(*this, statement, made);
  row->decode(decoding);
  decoding.takeNoMore();
  program.code.push_back(made);
}

void Decoder::call(const Statement &statement) {
  if (!statement.guard.empty())
    throw TextError(statement.line, "a call with a guard");
  size_t at = 0;
  const auto &operands = statement.operands;
  auto listAt = [&]() -> const std::vector<Operand> * {
    if (at < operands.size() && operands[at].form == Operand::Form::List)
      return &operands[at++].elements;
    return nullptr;
  };
  const std::vector<Operand> *results = listAt();
  std::string name = at < operands.size() ? operands[at++].name : "";
  const std::vector<Operand> *arguments = listAt();
  auto callee = std::find_if(
      module.functions.begin(), module.functions.end(),
      [&](const Function &f) { return f.name == name && !f.isEntry; });
  if (callee == module.functions.end())
    throw TextError(statement.line, "a call of an unknown function " + name);
  if (++depth > maxDepth)
    throw TextError(statement.line, "calls too deep, or a recursion");
  Scope inner{&*callee, name + "@" + std::to_string(++inlined) + ":", {}, ""};
  inner.end = inner.prefix + "end";
  auto bind = [&](const std::vector<ptx::Variable> &formals,
                  const std::vector<Operand> *actuals) {
    if (formals.size() != (actuals ? actuals->size() : 0))
      throw TextError(statement.line,
                      "a call with other arguments than " + name + " has");
    for (size_t i = 0; i < formals.size(); ++i) {
      const Variable *actual = variableNamed((*actuals)[i].name);
      if (!actual || actual->space != Space::Local)
        throw TextError(statement.line, "expected .param variables");
      inner.variables[formals[i].name] = *actual;
    }
  };
  bind(callee->results, results);
  bind(callee->parameters, arguments);
  body(inner);
  --depth;
}

void Decoder::finish() {
  if (!dynamicConstants.empty()) {
    program.sharedBytes =
        uint32_t(alignTo(program.sharedBytes, program.dynamicAlign));
    uint32_t dynamic = placeShared(program.dynamicAlign);
    for (size_t constant : dynamicConstants)
      program.constants[constant].bits = dynamic;
  }
  std::vector<Jump> jumps;
  for (const Fixup &fixup : fixups) {
    std::vector<uint32_t> places;
    for (const std::string &label : fixup.labels) {
      auto found = labels.find(label);
      if (found == labels.end())
        throw TextError(fixup.line, "unknown label " + label);
      places.push_back(found->second);
    }
    Instruction &instruction = program.code[fixup.instruction];
    if (fixup.isTable) {
      instruction.first = uint32_t(program.branchTables.size());
      program.branchTables.push_back(places);
    } else {
      instruction.first = places.front();
    }
    jumps.push_back({uint32_t(fixup.instruction), std::move(places),
                     instruction.isGuarded});
  }
  program.meetingOrder = meetingOrder(uint32_t(program.code.size()), jumps);
  size_t total = 0;
  for (size_t i = 0; i < program.code.size(); ++i)
    total += reads[i].size() + writes[i].size();
  program.operands.reserve(total);
  for (size_t i = 0; i < program.code.size(); ++i) {
    Instruction &instruction = program.code[i];
    auto place = [&](const std::vector<Slot> &slots, uint16_t &count) {
      const Slot *first = program.operands.data() + program.operands.size();
      program.operands.insert(program.operands.end(), slots.begin(),
                              slots.end());
      count = uint16_t(slots.size());
      return first;
    };
    instruction.reads = place(reads[i], instruction.numReads);
    instruction.writes = place(writes[i], instruction.numWrites);
    // Its sums have no value yet; it knows how many there are.
    if (instruction.isOfMatrixUnit)
      instruction.numWrites = 0;
  }
}

Slot Decoder::newSlot(int bytes) {
  Slot slot{program.numSlots++, program.registerBytes};
  program.registerBytes += uint32_t(std::max(bytes * warpLanes, 64));
  return slot;
}

Slot Decoder::constantSlot(uint64_t bits, int bytes) {
  if (bytes < 8)
    bits &= (uint64_t(1) << (8 * bytes)) - 1;
  auto [found, isNew] = constants.try_emplace({bits, bytes});
  if (isNew) {
    found->second = newSlot(bytes);
    program.constants.push_back({found->second, bytes, bits});
  }
  return found->second;
}

Slot Decoder::specialSlot(const std::string &name) {
  auto [found, isNew] = specials.try_emplace(name);
  if (isNew) {
    found->second = newSlot(4);
    program.specials.push_back({found->second, name});
  }
  return found->second;
}

static bool isSpecial(const std::string &name) {
  static const char *const names[] = {"%tid.x",
                                      "%tid.y",
                                      "%tid.z",
                                      "%ntid.x",
                                      "%ntid.y",
                                      "%ntid.z",
                                      "%ctaid.x",
                                      "%ctaid.y",
                                      "%ctaid.z",
                                      "%nctaid.x",
                                      "%nctaid.y",
                                      "%nctaid.z",
                                      "%laneid",
                                      "%lanemask_eq",
                                      "%lanemask_lt",
                                      "%lanemask_le",
                                      "%lanemask_gt",
                                      "%lanemask_ge",
                                      "%dynamic_smem_size"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

Slot Decoder::registerNamed(const Statement &statement, const std::string &name,
                            int &bytes) {
  auto declared = scope->function->registers.find(name);
  if (declared == scope->function->registers.end()) {
    if (isSpecial(name)) {
      bytes = 4;
      return specialSlot(name);
    }
    throw TextError(statement.line, "unknown register " + name);
  }
  bytes =
      declared->second.kind == Kind::Predicate ? 0 : declared->second.bytes();
  auto [found, isNew] = registers.try_emplace(scope->prefix + name);
  if (isNew)
    found->second = {newSlot(bytes), bytes};
  return found->second.first;
}

const Decoder::Variable *Decoder::variableNamed(const std::string &name) {
  if (auto found = scope->variables.find(name); found != scope->variables.end())
    return &found->second;
  if (auto found = moduleVariables.find(name); found != moduleVariables.end())
    return &found->second;
  for (const ptx::Variable &variable : module.variables) {
    if (variable.name != name)
      continue;
    Scope all{nullptr, "", {}, ""};
    if (variable.space == Space::Shared)
      layOutShared(variable, all);
    else if (auto address = addresses.find(name); address != addresses.end())
      all.variables[name] = {variable.space, address->second};
    else
      return nullptr;
    return &(moduleVariables[name] = all.variables[name]);
  }
  return nullptr;
}

Slot Decoder::addressSlot(const Variable &variable, int bytes) {
  if (!variable.isDynamic)
    return constantSlot(variable.address, bytes);
  Slot slot = newSlot(bytes);
  dynamicConstants.push_back(program.constants.size());
  program.constants.push_back({slot, bytes, 0});
  return slot;
}

Slot Decoder::derived(const Instruction &user, Slot from, Instruction::Run run,
                      int64_t number) {
  Slot made = newSlot(8);
  Instruction before = user;
  before.run = run;
  before.number = number;
  before.group = Group::Implicit;
  before.isBranch = before.packs = before.isOfMatrixUnit = false;
  before.negated = 0;
  reads.insert(reads.end() - 1, {from});
  writes.insert(writes.end() - 1, {made});
  program.code.push_back(before);
  return made;
}

Program decode(const Module &module, const Function &function,
               const VariableAddresses &addresses) {
  return Decoder(module, addresses).run(function);
}

} // namespace tenon::ptx
