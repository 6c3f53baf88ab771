// The numbers that docs/numerics.md promises and the numbers that kernels must
// share on every machine. They are constants, so that a model gives the same
// bits for all vector widths, and versions for several CPUs share one set of
// weights. Numbers that depend on a machine are in tenon.machine instead.
#ifndef TENON_DIALECTS_TENON_NUMERICSCONTRACT_H
#define TENON_DIALECTS_TENON_NUMERICSCONTRACT_H

#include <cstdint>

namespace tenon {

/// Lanes of a reduction along the last extent: element i goes to lane i mod 64.
inline constexpr int64_t reductionLanes = 64;

/// A row of more than `wholeRow` elements is reduced in pieces of `rowPiece`,
/// each as a row of its own, which are combined in order.
inline constexpr int64_t wholeRow = 8192, rowPiece = 2048;

/// The most products in one chain of a contraction, and elements in one chain
/// of a sum over other extents than the last. More are summed in blocks. The
/// error of a chain of n products grows with the root of n, the error of blocks
/// with the root of n / 128.
inline constexpr int64_t sumBlock = 128;
/// A convolution with fewer than `fewestBlockFeatures` features in a group is
/// one chain. With up to `maxBlockFeatures` features a block is one tap. A
/// block never continues into the next tap, because the taps of a pixel at the
/// border are added one by one: such a pixel then has the bits of one inside.
inline constexpr int64_t fewestBlockFeatures = 64, maxBlockFeatures = 192;

/// Weights of an int8 group, which is a block of products, and of an int4
/// group. The int4 group is smaller, because one outlier reduces the precision
/// of its whole group.
inline constexpr int64_t byteGroup = sumBlock, nibbleGroup = 32;

/// Keys of one block of attention: earlier sums are rescaled once for a block.
inline constexpr int64_t attentionBlock = 64;
/// Lanes of the sum of exponentials: key k goes to lane k mod 16.
inline constexpr int64_t attentionLanes = 16;
/// The greatest depth that becomes an attention kernel. Deeper rows would take
/// too much of a thread's stack.
inline constexpr int64_t attentionDepth = 256;
/// Up to this many rows that share a head are one task on every machine, so
/// that this task may also write the joined keys and values.
inline constexpr int64_t attentionTaskRows = 16;

/// Bytes of one row of a panel of weights: whole vectors on every machine.
inline constexpr int64_t panelRowBytes = 64;
/// f32 columns of such a row.
inline constexpr int64_t panelColumns = panelRowBytes / 4;

/// A product of at most this many rows, as in decode, is bound by memory. Its
/// weights get wider panels, and its tiles read more columns at once.
inline constexpr int64_t memoryBoundRows = 4;

/// Rows and columns of an AMX tile of sums. A row of a bf16 tile has twice as
/// many elements, one for each product.
inline constexpr int64_t amxTile = 16;
/// Columns that are split, and recomputed, as one group: two tiles.
inline constexpr int64_t amxPanel = 2 * amxTile;
/// Products that one instruction adds to a sum.
inline constexpr int64_t amxStep = 2 * amxTile;
/// Up to this many rows are never computed in AMX tiles. Words are multiplied
/// as they lie, but fewer rows than a tile has would be read past their end.
/// Operands that have to be split need more rows, because splitting the columns
/// takes as long for any number of rows. Columns of one part are not split,
/// only joined to pairs.
inline constexpr int64_t amxFewRows = amxTile - 1, amxFewSplitRows = 64,
                         amxFewWholeRows = 6;

} // namespace tenon

#endif // TENON_DIALECTS_TENON_NUMERICSCONTRACT_H
