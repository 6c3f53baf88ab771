// One launch of a kernel: its blocks run one after another, in a random order.
// Blocks that wait for each other are not supported: CUDA does not promise that
// they run together.
#ifndef TENON_TEST_GPU_EMULATOR_LAUNCH_H
#define TENON_TEST_GPU_EMULATOR_LAUNCH_H

#include "test/gpu/emulator/Counters.h"
#include "test/gpu/emulator/DeviceMemory.h"
#include "test/gpu/emulator/SharedMemory.h"

#include <unordered_map>

namespace tenon::ptx {

struct LaunchShape {
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  uint32_t dynamicBytes = 0; // of shared memory

  static LaunchShape linear(uint32_t blocks, uint32_t threads) {
    return {{blocks, 1, 1}, {threads, 1, 1}, 0};
  }
};

/// Clocks by warp in the launch.
using Clocks = std::unordered_map<uint32_t, uint32_t>;

/// What an atomic operation or a fence orders: warps of a block, or of all.
enum class Scope : uint8_t { Block, Device };

/// What the last releases of an address had seen: those that order the whole
/// device, and all that order the block whose first warp is `firstWarp`.
struct Releases {
  Clocks device, block;
  uint32_t firstWarp = 0;
};

/// The emulated device, and the seed of all orders.
struct Machine {
  explicit Machine(uint64_t memoryBytes) : memory(memoryBytes) {}
  DeviceMemory memory;
  uint64_t seed = 0;
  /// A launch of more instructions is a finding: it may not end.
  uint64_t maxInstructions = uint64_t(1) << 36;
  /// Launches since the history of memory was cleared.
  uint32_t launches = 0;
};

class Launch {
public:
  Launch(Machine &machine, const Program &program, const LaunchShape &shape,
         std::vector<uint8_t> parameters);

  /// The address in a parameter; 0 if it holds no address of memory.
  uint64_t addressIn(const Program::Parameter &parameter) const;

  /// Runs all blocks. Throws a finding.
  void run();

  Machine &machine;
  const Program &program;
  const LaunchShape shape;
  const std::vector<uint8_t> parameters;
  const uint32_t number;
  uint32_t threads; // of a block
  uint32_t warps;   // of a block
  Counters counters;
  SharedMemory shared;
  uint64_t steps = 0;
  std::unordered_map<uint64_t, Releases> releases; // by address
};

} // namespace tenon::ptx

#endif
