// ldmatrix and stmatrix: tiles of eight rows of 16 bytes between shared memory
// and the registers of a warp. Eight lanes give the rows' addresses of a tile.
#include "test/gpu/emulator/Access.h"
#include "test/gpu/emulator/MatrixFactors.h"

#include <cstring>

namespace tenon::ptx {
namespace {
/// Instruction::second.
enum : uint32_t { Transposes = 1, NeedsAllAddresses = 2 };

constexpr uint32_t rowBytes = 16;

/// Where element `part` of a lane's word stands in a tile.
std::pair<int, int> elementOf(const Instruction &instruction, int lane,
                              int part) {
  int row = lane / 4, column = 2 * (lane % 4) + part;
  return instruction.second & Transposes ? std::pair(column, row)
                                         : std::pair(row, column);
}

/// first: the tiles.
void load(Warp &warp, const Instruction &instruction, uint32_t mask) {
  requireWholeWarp(warp, mask);
  int lanes = 8 * int(instruction.first);
  const uint64_t *at = warp.lanes<uint64_t>(instruction.reads[0]);
  Access access(warp, rowBytes);
  uint16_t rows[warpLanes][8];
  for (int lane = 0; lane < lanes; ++lane)
    std::memcpy(rows[lane], access.read(Space::Shared, lane, at[lane]),
                rowBytes);
  access.count();
  if (instruction.second & NeedsAllAddresses) {
    Access others(warp, rowBytes);
    for (int lane = lanes; lane < warpLanes; ++lane)
      others.read(Space::Shared, lane, at[lane]);
  }
  for (int tile = 0; tile < int(instruction.first); ++tile) {
    uint32_t *words = warp.lanes<uint32_t>(instruction.writes[tile]);
    for (int lane = 0; lane < warpLanes; ++lane) {
      uint32_t word = 0;
      for (int part = 0; part < 2; ++part) {
        auto [row, column] = elementOf(instruction, lane, part);
        word |= uint32_t(rows[8 * tile + row][column]) << 16 * part;
      }
      words[lane] = word;
    }
  }
}

void store(Warp &warp, const Instruction &instruction, uint32_t mask) {
  requireWholeWarp(warp, mask);
  uint16_t rows[warpLanes][8];
  for (int tile = 0; tile < int(instruction.first); ++tile) {
    const uint32_t *words = warp.lanes<uint32_t>(instruction.reads[1 + tile]);
    for (int lane = 0; lane < warpLanes; ++lane)
      for (int part = 0; part < 2; ++part) {
        auto [row, column] = elementOf(instruction, lane, part);
        rows[8 * tile + row][column] = uint16_t(words[lane] >> 16 * part);
      }
  }
  const uint64_t *at = warp.lanes<uint64_t>(instruction.reads[0]);
  Access access(warp, rowBytes);
  for (int lane = 0; lane < 8 * int(instruction.first); ++lane)
    std::memcpy(access.write(Space::Shared, lane, at[lane]), rows[lane],
                rowBytes);
  access.count();
}

/// What comes before the operands; the space of the address.
Space takeTiles(Decoding &d) {
  if (!d.take("sync") || !d.take("aligned"))
    d.refuse("expected .sync.aligned");
  if (!d.take("m8n8"))
    d.refuse("expected .m8n8: other shapes are not emulated");
  std::string tiles = d.takeOneOf({"x1", "x2", "x4"});
  d.made.first = uint32_t(tiles[1] - '0');
  d.made.second = d.take("trans") ? Transposes : 0;
  Space space = d.takeSpace();
  if (!d.take("b16"))
    d.refuse("expected .b16");
  d.expectOperands(2);
  return space;
}

void decodeLoad(Decoding &d) {
  d.made.group = Group::SharedLoad;
  d.need(75, 65);
  Space space = takeTiles(d);
  // On sm_75 lanes whose address is not used must have one all the same.
  if (d.architecture() < 80)
    d.made.second |= NeedsAllAddresses;
  for (const Operand &word : d.vector(0, d.made.first))
    d.write(word, b32);
  d.sharedAddress(1, space);
  d.made.run = load;
}

void decodeStore(Decoding &d) {
  d.made.group = Group::SharedStore;
  d.need(90, 78);
  Space space = takeTiles(d);
  d.sharedAddress(0, space);
  for (const Operand &word : d.vector(1, d.made.first))
    d.read(word, b32);
  d.made.run = store;
}
} // namespace

std::vector<InstructionRow> matrixMoveRows() {
  return {{"ldmatrix", decodeLoad}, {"stmatrix", decodeStore}};
}

} // namespace tenon::ptx
