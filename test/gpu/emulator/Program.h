// A kernel as the emulator runs it: a flat list of instructions over the slots
// of a register file. Functions have been inlined; constants and special
// registers are slots too.
#ifndef TENON_TEST_GPU_EMULATOR_PROGRAM_H
#define TENON_TEST_GPU_EMULATOR_PROGRAM_H

#include "test/gpu/ptx/Module.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::ptx {

constexpr int warpLanes = 32;

/// One register of all lanes: the bytes of lane l stand at offset + l * bytes.
/// A predicate is 32 bits, one a lane.
struct Slot {
  uint32_t index = 0;  // of its definedness
  uint32_t offset = 0; // in the register file
};

class Warp;

/// How instructions are counted.
enum class Group : uint8_t {
  FusedMultiplyAdd,
  Float,
  Integer,
  Convert,
  Move,
  Control,
  GlobalLoad,
  GlobalStore,
  SharedLoad,
  SharedStore,
  LocalAccess,
  ParameterLoad,
  Atomic,
  WarpExchange,
  Barrier,
  Fence,
  AsyncCopy,
  Matrix,
  Count,
  Implicit = Count, ///< added by the decoder, and in no total
};

struct Instruction {
  /// Computes the lanes of `mask`, of which there is at least one.
  using Run = void (*)(Warp &, const Instruction &, uint32_t mask);
  Run run = nullptr;
  uint32_t line = 0;
  uint32_t statement = 0; // of Program::texts
  Group group = Group::Move;
  bool isGuarded = false, guardNegated = false;
  bool packs = false; ///< it reads parts of which some may have no value
  bool isOfMatrixUnit = false;
  /// Also runs where the guard is false for all lanes.
  bool isBranch = false;
  Slot guard;
  uint16_t numReads = 0, numWrites = 0;
  /// Bit i: the predicate reads[i] is negated.
  uint32_t negated = 0;
  /// In Program::operands.
  const Slot *reads = nullptr, *writes = nullptr;
  /// Added to the address, a target, or a number of the instruction's own.
  int64_t number = 0;
  uint32_t first = 0, second = 0;
};

/// A slot with the same value in all lanes when a warp starts.
struct ConstantSlot {
  Slot slot;
  int bytes;
  uint64_t bits;
};

/// A register of the machine that instructions read by name.
struct SpecialSlot {
  Slot slot;
  std::string name; // "%tid.x"
};

struct Program {
  std::string name;
  std::vector<Instruction> code;
  std::vector<Slot> operands;
  std::vector<std::string> texts; // for reports
  std::vector<std::vector<uint32_t>> branchTables;
  std::vector<uint32_t> meetingOrder; ///< ranks of instructions
  std::vector<ConstantSlot> constants;
  std::vector<SpecialSlot> specials;
  uint32_t numSlots = 0, registerBytes = 0;
  uint32_t localBytes = 0, sharedBytes = 0, parameterBytes = 0;
  /// Shared memory as the emulator lays it out: with gaps between variables, so
  /// that a row too many is outside of all. [first, last) of each gap.
  uint32_t sharedSpan = 0;
  std::vector<std::pair<uint32_t, uint32_t>> sharedGaps;
  /// Alignment of shared memory whose size a launch says.
  uint32_t dynamicAlign = 16;
  struct Parameter {
    uint32_t offset, bytes;
  };
  std::vector<Parameter> parameters;
  bool usesMatrixUnit = false;
  uint32_t maxThreads = 0; // .maxntid or .reqntid; 0: none
  bool threadsAreExact = false;
};

/// The address of a variable of the module in device memory.
using VariableAddresses = std::map<std::string, uint64_t>;

/// Decodes the entry `function` of `module`. Throws TextError for what the
/// emulator or the module's architecture does not have.
Program decode(const Module &module, const Function &function,
               const VariableAddresses &addresses);

/// The bases of the windows through which generic addresses reach shared and
/// local memory, and the parameters of a kernel.
constexpr uint64_t sharedWindow = uint64_t(1) << 56,
                   localWindow = uint64_t(2) << 56,
                   parameterWindow = uint64_t(3) << 56,
                   windowMask = ~((uint64_t(1) << 56) - 1);

} // namespace tenon::ptx

#endif
