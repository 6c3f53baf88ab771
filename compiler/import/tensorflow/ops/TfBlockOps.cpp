// Padding, and ops that move blocks of space to batches or channels and back.
#include "compiler/import/tensorflow/graph/TfNodeContext.h"

using namespace mlir;

namespace tenon::tf {
namespace {

/// Reads pairs of padding from operand `i`, [dims, 2].
LogicalResult readPads(NodeContext &c, size_t i, int64_t dims, Sizes &low,
                       Sizes &high) {
  FailureOr<Sizes> list = c.sizesInput(i, /*maxRank=*/2);
  if (failed(list))
    return failure();
  if (int64_t(list->size()) != 2 * dims)
    return c.error("expected " + Twine(dims) + " pairs of padding, got " +
                   Twine(list->size()) + " numbers");
  for (int64_t d = 0; d < dims; ++d) {
    for (Size size : {(*list)[2 * d], (*list)[2 * d + 1]})
      if (c.g.staticSize(size).value_or(0) < 0)
        return c.error("expected padding of at least 0, got " +
                       Twine(*c.g.staticSize(size)));
    low.push_back((*list)[2 * d]);
    high.push_back((*list)[2 * d + 1]);
  }
  return success();
}

LogicalResult pad(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  Sizes low, high;
  if (failed(readPads(c, 1, g.rankOf(x), low, high)))
    return failure();
  Value with = g.scalar(g.elementOf(x), 0);
  if (c.numInputs() == 3) {
    if (failed(c.expectRank(2, 0)))
      return failure();
    with = c.input(2);
  }
  c.set(0, g.pad(x, with, low, high));
  return success();
}

/// The number of elements at each edge that are not repeated by mirroring.
FailureOr<int64_t> mirrorEdge(NodeContext &c) {
  std::string mode = c.stringAttr("mode", "REFLECT");
  if (mode != "REFLECT" && mode != "SYMMETRIC")
    return c.error("expected mode REFLECT or SYMMETRIC, got \"" + mode + "\"");
  return mode == "REFLECT" ? 1 : 0;
}

LogicalResult mirrorPad(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  Sizes low, high;
  FailureOr<int64_t> mirrored = mirrorEdge(c);
  if (failed(mirrored) || failed(readPads(c, 1, g.rankOf(x), low, high)))
    return failure();
  int64_t edge = *mirrored;
  for (int64_t d = 0; d < g.rankOf(x); ++d) {
    Size extent = g.size(x, d);
    SmallVector<Value> parts;
    for (auto [size, front] :
         {std::pair(low[d], true), std::pair(high[d], false)}) {
      auto known = g.staticSize(size), all = g.staticSize(extent);
      if (known && all && *known > *all - edge)
        return c.error("expected padding of at most " + Twine(*all - edge) +
                       " along dimension " + Twine(d) + ", got " +
                       Twine(*known));
      Size from =
          front ? g.index(edge) : g.sub(g.sub(extent, size), g.index(edge));
      Value part = g.reverse(g.sliceDim(x, d, from, size), {d});
      if (!front)
        parts.push_back(x);
      if (known != 0)
        parts.push_back(part);
    }
    x = parts.size() == 1 ? parts.front() : g.concat(parts, d);
  }
  c.set(0, x);
  return success();
}

/// Adds the gradients of mirrored elements to the gradients of their originals.
LogicalResult mirrorPadGrad(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value dy = c.input(0);
  Sizes low, high;
  FailureOr<int64_t> edge = mirrorEdge(c);
  if (failed(edge) || failed(c.expectNumber(0)) ||
      failed(readPads(c, 1, g.rankOf(dy), low, high)))
    return failure();
  for (int64_t d = 0; d < g.rankOf(dy); ++d) {
    Size whole = g.size(dy, d), extent = g.sub(whole, g.add(low[d], high[d]));
    for (Size size : {low[d], high[d]}) {
      auto known = g.staticSize(size), all = g.staticSize(extent);
      if (known && all && *known > *all - *edge)
        return c.error("expected padding of at most " + Twine(*all - *edge) +
                       " along dimension " + Twine(d) + ", got " +
                       Twine(*known));
      c.check(size, g.index(0), g.sub(extent, g.index(*edge)),
              "padding must be of elements there are along dimension " +
                  Twine(d));
    }
    Value zero = g.scalar(g.elementOf(dy), 0);
    Value dx = g.sliceDim(dy, d, low[d], extent);
    auto addAt = [&](Size from, Size size, Size first) {
      if (g.staticSize(size) == 0)
        return;
      Sizes before(g.rankOf(dy), g.index(0)), after = before;
      before[d] = first;
      after[d] = g.sub(extent, g.add(first, size));
      Value part = g.reverse(g.sliceDim(dy, d, from, size), {d});
      part = g.pad(part, zero, before, after);
      g.recordSizes(part, g.sizes(dx));
      dx = g.add(dx, part);
    };
    addAt(g.index(0), low[d], g.index(*edge));
    addAt(g.add(low[d], extent), high[d],
          g.sub(g.sub(extent, high[d]), g.index(*edge)));
    dy = dx;
  }
  c.set(0, dy);
  return success();
}

/// The extents of a block, operand 1: one for each spatial dimension.
FailureOr<SmallVector<int64_t>> readBlock(NodeContext &c) {
  FailureOr<SmallVector<int64_t>> block = c.constantInput(1, "a block shape");
  if (failed(block))
    return failure();
  if (c.g.rankOf(c.input(0)) < int64_t(block->size()) + 1)
    return c.error("expected a rank of " + Twine(block->size() + 1) +
                   " at least");
  for (int64_t extent : *block)
    if (extent < 1)
      return c.error("expected blocks of at least 1, got " + Twine(extent));
  return block;
}

/// Moves blocks of the spatial dimensions, which follow the batch, to the
/// batch.
LogicalResult spaceToBatch(NodeContext &c) {
  GraphBuilder &g = c.g;
  FailureOr<SmallVector<int64_t>> block = readBlock(c);
  if (failed(block))
    return failure();
  int64_t m = block->size(), rank = g.rankOf(c.input(0));
  Sizes low = {g.index(0)}, high = {g.index(0)};
  if (failed(readPads(c, 2, m, low, high)))
    return failure();
  low.resize(rank, g.index(0));
  high.resize(rank, g.index(0));
  Value x = c.input(0);
  x = g.pad(x, g.scalar(g.elementOf(x), 0), low, high);
  Sizes split = {g.size(x, 0)}, result;
  SmallVector<int64_t> order;
  Size batch = g.size(x, 0);
  for (int64_t i = 0; i < m; ++i) {
    Size extent = g.size(x, i + 1);
    if (auto known = g.staticSize(extent); known && *known % (*block)[i] != 0)
      return c.error("expected blocks that divide " + Twine(*known) + ", got " +
                     Twine((*block)[i]));
    split.append(
        {g.floorDiv(extent, g.index((*block)[i])), g.index((*block)[i])});
    batch = g.mul(batch, g.index((*block)[i]));
    order.push_back(2 * i + 2);
  }
  result.push_back(batch);
  order.push_back(0);
  for (int64_t i = 0; i < m; ++i) {
    order.push_back(2 * i + 1);
    result.push_back(split[2 * i + 1]);
  }
  for (int64_t i = m + 1; i < rank; ++i) {
    order.push_back(m + i);
    split.push_back(g.size(x, i));
    result.push_back(g.size(x, i));
  }
  c.set(0, g.reshape(g.transpose(g.reshape(x, split), order), result));
  return success();
}

LogicalResult batchToSpace(NodeContext &c) {
  GraphBuilder &g = c.g;
  FailureOr<SmallVector<int64_t>> block = readBlock(c);
  if (failed(block))
    return failure();
  Value x = c.input(0);
  int64_t m = block->size(), rank = g.rankOf(x);
  Sizes low, high;
  if (failed(readPads(c, 2, m, low, high)))
    return failure();
  Sizes split, joined;
  int64_t product = 1;
  for (int64_t b : *block) {
    split.push_back(g.index(b));
    product *= b;
  }
  Size batch = g.floorDiv(g.size(x, 0), g.index(product));
  split.push_back(batch);
  joined.push_back(batch);
  SmallVector<int64_t> order = {m};
  for (int64_t i = 1; i < rank; ++i) {
    split.push_back(g.size(x, i));
    order.push_back(m + i);
    if (i <= m) {
      order.push_back(i - 1);
      joined.push_back(g.mul(g.size(x, i), g.index((*block)[i - 1])));
    } else {
      joined.push_back(g.size(x, i));
    }
  }
  Value whole = g.reshape(g.transpose(g.reshape(x, split), order), joined);
  for (int64_t i = 0; i < m; ++i) {
    Size size = g.sub(g.sub(joined[i + 1], low[i]), high[i]);
    whole = g.sliceDim(whole, i + 1, low[i], size);
  }
  c.set(0, whole);
  return success();
}

/// The operand of a node that moves blocks between space and channels.
struct Blocks {
  Value image; ///< channels-last
  int64_t size;
  bool channelsFirst; ///< of the node's images
};

FailureOr<Blocks> readBlocks(NodeContext &c) {
  int64_t size = c.intAttr("block_size", 0);
  std::string format = c.stringAttr("data_format", "NHWC");
  if (failed(c.expectRank(0, 4)))
    return failure();
  if (format != "NHWC" && format != "NCHW")
    return c.unsupported("data_format " + format);
  if (size < 1 || size >= int64_t(1) << 20)
    return c.error("expected a block_size of at least 1 and below 2^20, got " +
                   Twine(size));
  bool channelsFirst = format == "NCHW";
  Value x = c.input(0);
  return Blocks{channelsFirst ? c.g.toChannelsLast(x) : x, size, channelsFirst};
}

/// `extent` divided by `part`; an error if `part` does not divide a static
/// extent.
FailureOr<Size> dividedBy(NodeContext &c, Size extent, int64_t part) {
  if (auto known = c.g.staticSize(extent); known && *known % part != 0)
    return c.error("expected an extent that " + Twine(part) + " divides, got " +
                   Twine(*known));
  return c.g.floorDiv(extent, c.g.index(part));
}

LogicalResult depthToSpace(NodeContext &c) {
  GraphBuilder &g = c.g;
  FailureOr<Blocks> blocks = readBlocks(c);
  if (failed(blocks))
    return failure();
  Sizes sizes = g.sizes(blocks->image);
  Size block = g.index(blocks->size);
  FailureOr<Size> depth = dividedBy(c, sizes[3], blocks->size * blocks->size);
  if (failed(depth))
    return failure();
  Value x = g.reshape(blocks->image,
                      {sizes[0], sizes[1], sizes[2], block, block, *depth});
  x = g.reshape(
      g.transpose(x, {0, 1, 3, 2, 4, 5}),
      {sizes[0], g.mul(sizes[1], block), g.mul(sizes[2], block), *depth});
  c.set(0, blocks->channelsFirst ? g.fromChannelsLast(x) : x);
  return success();
}

LogicalResult spaceToDepth(NodeContext &c) {
  GraphBuilder &g = c.g;
  FailureOr<Blocks> blocks = readBlocks(c);
  if (failed(blocks))
    return failure();
  Sizes sizes = g.sizes(blocks->image);
  Size block = g.index(blocks->size);
  FailureOr<Size> height = dividedBy(c, sizes[1], blocks->size);
  FailureOr<Size> width = dividedBy(c, sizes[2], blocks->size);
  if (failed(height) || failed(width))
    return failure();
  Value x = g.reshape(blocks->image,
                      {sizes[0], *height, block, *width, block, sizes[3]});
  Size depth = g.mul(sizes[3], g.index(blocks->size * blocks->size));
  x = g.reshape(g.transpose(x, {0, 1, 3, 2, 4, 5}),
                {sizes[0], *height, *width, depth});
  c.set(0, blocks->channelsFirst ? g.fromChannelsLast(x) : x);
  return success();
}

} // namespace

void registerBlockOps(OpRegistry &r) {
  r.add("Pad", 2, pad);
  r.add("PadV2", 3, pad);
  r.add("MirrorPad", 2, mirrorPad);
  r.add("MirrorPadGrad", 2, mirrorPadGrad);
  r.add("SpaceToBatchND", 3, spaceToBatch);
  r.add("BatchToSpaceND", 3, batchToSpace);
  r.add("DepthToSpace", 1, depthToSpace);
  r.add("SpaceToDepth", 1, spaceToDepth);
}

} // namespace tenon::tf
