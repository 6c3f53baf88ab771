// The matrix unit as a warp sees it: which products are under way, and which
// registers and pieces of shared memory are theirs until they are waited for.
#ifndef TENON_TEST_GPU_EMULATOR_MATRIXUNIT_H
#define TENON_TEST_GPU_EMULATOR_MATRIXUNIT_H

#include "test/gpu/emulator/Program.h"

#include <deque>

namespace tenon::ptx {

/// A product under way.
struct MatrixOperation {
  const Instruction *instruction = nullptr;
  uint32_t group = 0;
  std::vector<Slot> sums, factors; // registers
  std::vector<uint64_t> reads;     // pieces of 16 bytes of shared memory
};

class MatrixUnit {
public:
  explicit MatrixUnit(uint32_t numSlots) : registers(numSlots) {}

  /// Registers are the unit's after this: accesses before it are ordered.
  void fence() { ++epoch; }
  /// Another instruction accesses registers: a finding if they are the unit's.
  void access(Warp &warp, const Instruction &instruction);
  /// Begins a product. `accumulates`: the sums have a value.
  void begin(Warp &warp, MatrixOperation operation, bool accumulates);
  void commit() { ++group; }
  /// At most `underWay` groups go on; the others are complete.
  void wait(Warp &warp, uint64_t underWay);
  /// The warp has ended. A finding if a product was not waited for.
  void end(const Warp &warp) const;

private:
  struct Register {
    uint32_t accessed = 0; // the epoch of the last access
    uint16_t sums = 0;     // products under way that add to it
    uint16_t factors = 0;  // products under way that read it
    uint16_t columns = 0;  // registers of sums of those
  };
  void complete(Warp &warp, const MatrixOperation &operation);

  std::vector<Register> registers;
  uint32_t epoch = 0, group = 0;
  std::deque<MatrixOperation> operations;
};

/// The four warps that execute an instruction for the unit together: each must
/// come to the same ones, with the same descriptors.
class Warpgroups {
public:
  /// The warp comes to its next instruction for the unit.
  void step(Warp &warp, const Instruction &instruction, uint64_t a = 0,
            uint64_t b = 0, bool accumulates = false);
  /// All warps have ended. A finding if not all four came to an instruction.
  void end() const;

private:
  struct Step {
    const Instruction *instruction;
    uint64_t a, b;
    bool accumulates;
    bool operator==(const Step &) const = default;
  };
  struct Group {
    std::deque<Step> steps;    // not yet of all four
    uint64_t first = 0;        // the number of the first of those
    uint64_t done[4] = {};     // by warp
    const Warp *any = nullptr; // for a report
  };
  std::vector<Group> groups;
};

} // namespace tenon::ptx

#endif
