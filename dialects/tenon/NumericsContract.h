// The numbers that docs/numerics.md promises, and those that kernels of every
// machine keep alike: a model has one set of bits for all vector widths, and
// versions for several CPUs share one set of weights. What depends on a machine
// stands in tenon.machine instead.
#ifndef TENON_DIALECTS_TENON_NUMERICSCONTRACT_H
#define TENON_DIALECTS_TENON_NUMERICSCONTRACT_H

#include <cstdint>

namespace tenon {

/// Lanes of a reduction along the last extent: element i goes to lane i mod 64.
inline constexpr int64_t reductionLanes = 64;

/// Products of one chain of a contraction; more are summed in blocks. The error
/// of a chain of n products grows with the root of n, that of blocks with the
/// root of n / 128.
inline constexpr int64_t sumBlock = 128;
/// A convolution with fewer features in a group is one chain; with up to
/// `mostBlockFeatures` a block is one tap. A block never goes on into the next
/// tap: the taps of a pixel at the border come one by one, and such a pixel has
/// the bits of one inside.
inline constexpr int64_t fewestBlockFeatures = 64, mostBlockFeatures = 192;

/// Weights of an int8 group, which is a block of products, and of an int4
/// group: smaller, for one outlier takes the precision of its whole group.
inline constexpr int64_t byteGroup = sumBlock, nibbleGroup = 32;

/// Keys of attention whose sums are rescaled at once.
inline constexpr int64_t attentionBlock = 64;
/// Lanes of the sum of powers: key k goes to lane k mod 16.
inline constexpr int64_t attentionLanes = 16;
/// Greatest depth of rows that become attention: deeper ones would take too
/// much of a thread's stack.
inline constexpr int64_t attentionDepth = 256;
/// Up to this many rows that share a head are one task on every machine, so
/// that this task may also write the joined keys and values.
inline constexpr int64_t attentionTaskRows = 16;

/// Bytes of one row of a panel of weights: whole vectors on every machine.
inline constexpr int64_t panelRowBytes = 64;
/// f32 columns of such a row.
inline constexpr int64_t panelColumns = panelRowBytes / 4;

/// Rows and columns of an AMX tile of sums; a tile of bf16 has twice as many
/// products.
inline constexpr int64_t amxTile = 16;
/// Columns that are split at once, and computed again at once: two tiles.
inline constexpr int64_t amxPanel = 2 * amxTile;
/// Products that one instruction adds up.
inline constexpr int64_t amxStep = 2 * amxTile;
/// Up to this many rows never go through tiles: decoding waits for memory
/// alone, and need not read the columns twice.
inline constexpr int64_t amxFewRows = 8;

} // namespace tenon

#endif // TENON_DIALECTS_TENON_NUMERICSCONTRACT_H
