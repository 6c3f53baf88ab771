// Loading fails as a whole: a kernel that cannot be decoded is found before any
// runs.
#include "test/gpu/emulator/LoadedModule.h"

#include <cstring>

namespace tenon::ptx {

LoadedModule::LoadedModule(Machine &machine, const std::string &text,
                           int device)
    : machine(machine) {
  Module module = parse(text);
  int architecture = std::atoi(module.architecture.c_str() + 3);
  // sm_90a runs on sm_90 alone.
  bool isExact = module.architecture.back() == 'a';
  if (architecture > device || (isExact && architecture != device))
    throw TextError(1, "a module for " + module.architecture +
                           " on a device that is sm_" + std::to_string(device));
  place(module);
  VariableAddresses addresses;
  for (const auto &[name, at] : variables)
    addresses[name] = at.first;
  for (const Function &function : module.functions) {
    if (!function.isEntry)
      continue;
    try {
      programs.emplace(function.name, decode(module, function, addresses));
    } catch (const TextError &error) {
      throw TextError(error, function.name);
    }
  }
}

void LoadedModule::place(const Module &module) {
  for (const Variable &variable : module.variables) {
    if (variable.space != Space::Global && variable.space != Space::Const)
      continue;
    if (variable.isExtern)
      throw TextError(variable.line, "the variable " + variable.name +
                                         " is in another module");
    uint64_t address = machine.memory.allocate(variable.bytes);
    if (!address)
      throw TextError(variable.line, "no memory for " + variable.name);
    variables[variable.name] = {address, variable.bytes};
    // Variables without a value are zero.
    Allocation &allocation = *machine.memory.find(address, 0);
    std::memcpy(allocation.at(address), variable.value.data(),
                variable.value.size());
    allocation.setWritten(address, variable.bytes);
  }
}

LoadedModule::~LoadedModule() {
  for (const auto &[name, at] : variables)
    machine.memory.release(at.first);
}

const Program *LoadedModule::kernel(const std::string &name) const {
  auto found = programs.find(name);
  return found == programs.end() ? nullptr : &found->second;
}

std::pair<uint64_t, uint64_t>
LoadedModule::variable(const std::string &name) const {
  auto found = variables.find(name);
  return found == variables.end() ? std::pair<uint64_t, uint64_t>(0, 0)
                                  : found->second;
}

} // namespace tenon::ptx
