// The state of a warp: its registers, which lanes are where, and its clock.
#ifndef TENON_TEST_GPU_EMULATOR_WARP_H
#define TENON_TEST_GPU_EMULATOR_WARP_H

#include "test/gpu/emulator/Counters.h"
#include "test/gpu/emulator/Knowledge.h"
#include "test/gpu/emulator/MatrixUnit.h"
#include "test/gpu/emulator/Program.h"

#include <array>
#include <memory>

namespace tenon::ptx {

class Block;

/// A mistake of a kernel, found while it runs.
struct Finding : std::runtime_error {
  using std::runtime_error::runtime_error;
};

constexpr uint32_t allLanes = ~0u;

/// Calls body(lane) for each lane of the mask.
template <typename Body> void forLanes(uint32_t mask, Body body) {
  for (; mask; mask &= mask - 1)
    body(__builtin_ctz(mask));
}

class Warp {
public:
  /// Starts at the first instruction. `number` is the warp's in its block,
  /// `threads` how many of its lanes exist.
  Warp(Block &block, const Program &program, uint32_t number, uint32_t threads);

  enum class State { Running, AtBarrier, Done };

  /// Runs at most `steps` instructions; fewer if the warp ends or waits.
  void run(uint64_t steps);

  template <typename T> T *lanes(Slot slot) {
    return reinterpret_cast<T *>(registers.get() + slot.offset);
  }
  /// The lanes of a predicate that are true.
  uint32_t &predicate(Slot slot) { return *lanes<uint32_t>(slot); }
  /// The value that all lanes of the mask have; a finding if they differ.
  template <typename T> T uniform(Slot slot, uint32_t mask, const char *what) {
    const T *values = lanes<T>(slot);
    T value = values[__builtin_ctz(mask)];
    forLanes(mask, [&](int lane) {
      if (values[lane] != value)
        fail(std::string(what) + " differs between lanes");
    });
    return value;
  }

  /// Whether a register has a value in all lanes.
  bool hasValue(Slot slot) const { return defined[slot.index] == allLanes; }
  void setHasValue(Slot slot, bool has) {
    defined[slot.index] = has ? allLanes : 0;
  }

  /// Divides the lanes: those of `taken` go on at `target`.
  void branch(uint32_t taken, uint32_t target);
  /// The lanes of `mask` end.
  void exit(uint32_t mask);
  /// Lets lanes of the warp that are elsewhere come to the instruction that
  /// runs now. If some can, it is run again later. Returns if none can.
  void letOthersCome();
  /// Waits until the block lets the warp go on.
  void wait() {
    state = State::AtBarrier;
    waiting = pc;
  }
  /// The instruction where it waits.
  const Instruction &waitsAt() const { return program.code[waiting]; }

  /// Waits, and then runs the instruction again.
  void waitAndRepeat() {
    next = pc;
    wait();
  }

  /// Accesses of a lane after now are ordered after its own before.
  void advance() { knowledge.known[number] = ++clock; }
  /// Goes on after a barrier of its lanes.
  void passBarrier() {
    advance();
    lanesClock = clock;
  }
  /// Throws a finding about the instruction that runs now.
  [[noreturn]] void fail(const std::string &what);
  /// The same, about one lane.
  [[noreturn]] void fail(int lane, const std::string &what);
  /// The same, about an instruction that ran before.
  [[noreturn]] void failAt(const Instruction &instruction,
                           const std::string &what) const;
  /// The instruction that runs now.
  const Instruction &current() const { return program.code[pc]; }
  /// Kernel, line and text of the instruction that runs now.
  std::string placeText() const { return placeText(program.code[pc]); }

  Block &block;
  const Program &program;
  const uint32_t number;
  const uint32_t existing; // lanes of the block's threads
  State state = State::Running;
  uint32_t active;     // lanes at `pc`
  uint32_t exited = 0; // lanes that ended
  /// Grows when memory accesses before are ordered with ones after.
  uint32_t clock = 1;
  /// The clock since the last barrier that orders the warp's own lanes.
  uint32_t lanesClock = 1;
  /// What happened before now.
  Knowledge knowledge;
  /// The lanes that get no value, for each register that the instruction
  /// writes.
  std::array<uint32_t, 8> withoutValue{};
  bool leavesOut = false; ///< some do
  /// Null if the kernel uses none.
  std::unique_ptr<MatrixUnit> matrixUnit;
  /// Local memory: each lane has a frame.
  std::vector<uint8_t> local, localWritten;

private:
  struct Waiting {
    uint32_t pc, lanes;
  };
  std::string placeText(const Instruction &instruction) const;
  /// Thrown by an instruction that other lanes must come to.
  struct Later {};
  void runNow(const Instruction &instruction, uint32_t mask);
  void goOn(uint32_t next);
  void insertGroup(Waiting group);
  uint32_t rank(uint32_t place) const { return program.meetingOrder[place]; }
  void nextGroup();
  void checkDefined(const Instruction &instruction, uint32_t mask);
  void leaveOut(const Instruction &instruction);
  void fillSpecials();

  std::unique_ptr<uint8_t[]> registers;
  std::vector<uint32_t> defined;
  uint32_t pc = 0, next = 0, waiting = 0;
  /// Groups of lanes that wait at places of higher ranks, the highest first.
  std::vector<Waiting> groups;
  /// Groups at instructions that other lanes must come to.
  std::vector<Waiting> parked;
};

} // namespace tenon::ptx

#endif
