// Which element of a matrix stands where in the registers of a warp. A word has
// as many elements as fit, the first one in its low bits.
//
// Multiplicands lie in tiles of eight rows by 16 bytes, one register each. In a
// tile lane l has the word l % 4 of row l / 4. Accumulators lie in tiles of
// eight by eight, two elements a lane.
#ifndef TENON_TEST_GPU_EMULATOR_FRAGMENTS_H
#define TENON_TEST_GPU_EMULATOR_FRAGMENTS_H

namespace tenon::ptx {

struct Place {
  int row, column;
  bool operator==(const Place &) const = default;
};

/// Element `part` of A's register `number`: tiles follow each other down the
/// rows first. `rows`: 8 or 16; `parts`: the elements of a word.
constexpr Place placeInA(int lane, int number, int part, int rows, int parts) {
  int tilesDown = rows / 8;
  return {lane / 4 + 8 * (number % tilesDown),
          (lane % 4 + 4 * (number / tilesDown)) * parts + part};
}

/// The same of B, whose columns are rows of tiles.
constexpr Place placeInB(int lane, int number, int part, int parts) {
  return {(lane % 4 + 4 * number) * parts + part, lane / 4};
}

/// Element `number` of a lane's accumulators, of eight columns for every four
/// elements, or for every two if there are eight rows.
constexpr Place placeInC(int lane, int number, int rows) {
  int each = rows / 4, inTile = number % each;
  return {lane / 4 + 8 * (inTile / 2),
          8 * (number / each) + 2 * (lane % 4) + inTile % 2};
}

} // namespace tenon::ptx

#endif
