// Builds a Program from the statements of an entry and of the functions that it
// calls, which are inlined.
#ifndef TENON_TEST_GPU_EMULATOR_DECODER_H
#define TENON_TEST_GPU_EMULATOR_DECODER_H

#include "test/gpu/emulator/Decoding.h"

#include <deque>

namespace tenon::ptx {

class Decoder {
public:
  Decoder(const Module &module, const VariableAddresses &addresses);
  Program run(const Function &entry);

private:
  friend class Decoding;
  struct Variable {
    Space space;
    uint64_t address;
    bool isDynamic = false;
  };
  /// What an inlined function's names mean.
  struct Scope {
    const Function *function;
    std::string prefix;
    std::map<std::string, Variable> variables;
    std::string end; // label that `ret` goes to; empty in the entry
  };

  void parameters(const Function &entry);
  void body(Scope &scope);
  void statement(const Statement &statement);
  void call(const Statement &statement);
  void declareVariables(Scope &scope);
  /// The place of the next variable in shared memory.
  uint32_t placeShared(uint64_t align);
  void layOutShared(const ptx::Variable &variable, Scope &scope);
  void finish();

  Slot registerNamed(const Statement &statement, const std::string &name,
                     int &bytes);
  Slot newSlot(int bytes);
  Slot constantSlot(uint64_t bits, int bytes);
  Slot specialSlot(const std::string &name);
  /// The variable that a name means, or null.
  const Variable *variableNamed(const std::string &name);
  Slot addressSlot(const Variable &variable, int bytes);
  /// An address of 64 bits that an instruction before `user` computes.
  Slot derived(const Instruction &user, Slot from, Instruction::Run run,
               int64_t number);

  const Module &module;
  const VariableAddresses &addresses;
  int architecture = 0;
  Program program;
  Scope *scope = nullptr;
  int depth = 0, inlined = 0;
  std::map<std::string, std::pair<Slot, int>> registers;
  std::map<std::pair<uint64_t, int>, Slot> constants;
  std::map<std::string, Slot> specials;
  std::map<std::string, Variable> moduleVariables;
  /// Constants that are places in dynamic shared memory.
  std::vector<size_t> dynamicConstants;
  std::deque<std::vector<Slot>> reads, writes; // by instruction
  std::map<std::string, uint32_t> labels;
  struct Fixup {
    size_t instruction;
    std::vector<std::string> labels;
    bool isTable;
    int line;
  };
  std::vector<Fixup> fixups;
};

} // namespace tenon::ptx

#endif
