// Order of blocks: a permutation by an odd step, so that none is kept in
// memory.
#include "test/gpu/emulator/Launch.h"

#include "test/gpu/emulator/Block.h"
#include "test/gpu/emulator/Races.h"

#include <cstring>
#include <numeric>

namespace tenon::ptx {

static uint32_t nextLaunch(Machine &machine) {
  if (machine.launches == maxLaunches) {
    machine.memory.clearHistory();
    machine.launches = 0;
  }
  return ++machine.launches;
}

Launch::Launch(Machine &machine, const Program &program,
               const LaunchShape &shape, std::vector<uint8_t> parameters)
    : machine(machine), program(program), shape(shape),
      parameters(std::move(parameters)), number(nextLaunch(machine)),
      threads(shape.block[0] * shape.block[1] * shape.block[2]),
      warps((threads + warpLanes - 1) / warpLanes),
      shared(program.sharedSpan + shape.dynamicBytes, program.sharedGaps,
             warps) {
  for (const Program::Parameter &parameter : program.parameters)
    if (uint64_t address = addressIn(parameter))
      counters.sectorsFrom[address];
}

uint64_t Launch::addressIn(const Program::Parameter &parameter) const {
  uint64_t word = 0;
  if (parameter.bytes == sizeof word)
    std::memcpy(&word, &parameters[parameter.offset], sizeof word);
  return machine.memory.find(word, 1) ? word : 0;
}

void Launch::run() {
  uint64_t blocks =
      uint64_t(shape.grid[0]) * shape.grid[1] * uint64_t(shape.grid[2]);
  if (blocks * warps > maxWarps)
    throw Finding(program.name + ": " + std::to_string(blocks * warps) +
                  " warps, more than the emulator has");
  std::mt19937_64 draws(machine.seed + number);
  uint64_t step = draws() % blocks | 1, place = draws() % blocks;
  while (std::gcd(step, blocks) != 1)
    step += 2;
  for (uint64_t i = 0; i < blocks; ++i) {
    place = (place + step) % blocks;
    Block block(*this, {uint32_t(place % shape.grid[0]),
                        uint32_t(place / shape.grid[0] % shape.grid[1]),
                        uint32_t(place / shape.grid[0] / shape.grid[1])});
    block.run();
  }
}

} // namespace tenon::ptx
