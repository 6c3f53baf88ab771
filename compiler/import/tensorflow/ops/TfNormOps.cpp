// Batch normalization of images and volumes, and its gradient.
#include "compiler/import/tensorflow/ops/TfWindows.h"

using namespace mlir;

namespace tenon::tf {
namespace {

/// Images in the type of their statistics; `others` are all dimensions but the
/// channels.
struct Images {
  Value x;
  int64_t channels;
  SmallVector<int64_t> others;
};

/// Reads operand `i` in the element type of operand `statistics`.
FailureOr<Images> readImages(NodeContext &c, size_t i, size_t statistics) {
  GraphBuilder &g = c.g;
  Value x = c.input(i);
  int64_t rank = g.rankOf(x);
  if (failed(c.expectFloat(i)))
    return failure();
  if (rank != 5 && failed(c.expectRank(i, 4)))
    return failure();
  FailureOr<bool> first = channelsFirst(c, rank - 2);
  if (failed(first))
    return failure();
  Images images{g.convert(x, g.elementOf(c.input(statistics))),
                *first ? 1 : rank - 1,
                {}};
  for (int64_t d = 0; d < rank; ++d)
    if (d != images.channels)
      images.others.push_back(d);
  return images;
}

/// Requires operands [from, to) to be vectors of one float type.
LogicalResult expectStatistics(NodeContext &c, size_t from, size_t to) {
  for (size_t i = from; i < to; ++i)
    if (failed(c.expectFloat(i)) || failed(c.expectRank(i, 1)) ||
        failed(c.expectSameElements({from, i})))
      return failure();
  return success();
}

/// Operand `i`, which must have one number per channel.
FailureOr<Value> perChannel(NodeContext &c, const Images &images, size_t i) {
  return c.withSizes(i, c.g.size(images.x, images.channels),
                     "a number per channel");
}

/// The number of elements of a channel minus `less`, at least one, as a scalar
/// of `element`.
Value channelCount(GraphBuilder &g, const Images &images, mlir::Type element,
                   int64_t less) {
  Sizes sizes;
  for (int64_t dim : images.others)
    sizes.push_back(g.size(images.x, dim));
  Size count = g.max(g.sub(g.product(sizes), g.index(less)), g.index(1));
  return g.convert(g.fromSize(count, g.i64()), element);
}

/// Normalizes by given statistics, or with is_training by those of the batch.
LogicalResult fusedBatchNorm(NodeContext &c) {
  GraphBuilder &g = c.g;
  bool training = c.boolAttr("is_training", true);
  double epsilon = c.floatAttr("epsilon", 1e-4);
  double share = c.floatAttr("exponential_avg_factor", 1);
  if (failed(expectStatistics(c, 1, 5)))
    return failure();
  FailureOr<Images> images = readImages(c, 0, 1);
  if (failed(images))
    return failure();
  Value x = images->x;
  mlir::Type common = g.elementOf(x);
  // If the batch's statistics replace the former ones, the former ones are not
  // read.
  bool readsFormer = !training || share != 1;
  Value given[4];
  for (size_t i = 0; i < (readsFormer ? 4 : 2); ++i) {
    FailureOr<Value> vector = perChannel(c, *images, i + 1);
    if (failed(vector))
      return failure();
    given[i] = *vector;
  }
  auto [scale, offset, mean, variance] = given;
  Value newMean = mean, newVariance = variance;
  if (training) {
    Value kept = g.mean(x, images->others, true);
    Value centered = g.sub(x, kept);
    mean = g.squeeze(kept, images->others);
    variance = g.mean(g.mul(centered, centered), images->others, false);
    // The running variance is the unbiased estimate.
    newMean = mean;
    newVariance = g.mul(variance, g.div(channelCount(g, *images, common, 0),
                                        channelCount(g, *images, common, 1)));
    auto blend = [&](Value now, Value former) {
      return g.add(g.mul(former, 1 - share), g.mul(now, share));
    };
    if (share != 1) {
      newMean = blend(newMean, given[2]);
      newVariance = blend(newVariance, given[3]);
    }
  }
  Value y = BatchNormOp::create(g.ops, g.loc, x.getType(), x, scale, offset,
                                mean, variance, uint64_t(images->channels),
                                llvm::APFloat(epsilon));
  c.set(0, g.convert(y, g.elementOf(c.input(0))));
  c.set(1, newMean);
  c.set(2, newVariance);
  // Further results for the gradient.
  c.set(3, mean);
  c.set(4, variance);
  c.set(5, g.scalar(common, 0));
  return success();
}

/// Operands: incoming gradient, images, scale, mean, variance. With is_training
/// the statistics are computed from the images, so the gradient goes through
/// them; else they are constants.
LogicalResult fusedBatchNormGrad(NodeContext &c) {
  GraphBuilder &g = c.g;
  bool training = c.boolAttr("is_training", true);
  double epsilon = c.floatAttr("epsilon", 1e-4);
  if (failed(c.expectSameElements({0, 1})) || failed(expectStatistics(c, 2, 5)))
    return failure();
  FailureOr<Images> images = readImages(c, 1, 2);
  if (failed(images))
    return failure();
  Value pair[] = {images->x, g.convert(c.input(0), g.elementOf(c.input(2)))};
  if (failed(c.expectOneShape(pair)))
    return failure();
  auto [x, dy] = pair;
  mlir::Type common = g.elementOf(x);
  Value given[3];
  for (size_t i = 0; i < 3; ++i) {
    FailureOr<Value> vector = perChannel(c, *images, i + 2);
    if (failed(vector))
      return failure();
    given[i] = *vector;
  }
  // Reshapes a vector of channels so that it broadcasts against images.
  auto wide = [&](Value vector) {
    Sizes sizes(g.rankOf(x), g.index(1));
    sizes[images->channels] = g.size(x, images->channels);
    return g.reshape(vector, sizes);
  };
  auto total = [&](Value value) {
    return g.reduce(ReduceKind::Add, value, images->others, true);
  };
  Value scale = wide(given[0]), centered = g.sub(x, wide(given[1]));
  Value root = g.make<RsqrtOp>(g.add(wide(given[2]), epsilon));
  Value offsetGrad = total(dy), along = total(g.mul(dy, centered));
  Value dx = dy;
  if (training) {
    Value count = channelCount(g, *images, common, 0);
    Value slope = g.div(g.mul(along, g.mul(root, root)), count);
    dx = g.sub(g.sub(dy, g.div(offsetGrad, count)), g.mul(centered, slope));
  }
  dx = g.mul(dx, g.mul(scale, root));
  c.set(0, g.convert(dx, g.elementOf(c.input(1))));
  c.set(1, g.squeeze(g.mul(along, root), images->others));
  c.set(2, g.squeeze(offsetGrad, images->others));
  c.set(3, g.scalar(common, 0));
  c.set(4, g.scalar(common, 0));
  return success();
}

} // namespace

void registerNormOps(OpRegistry &r) {
  for (const char *op :
       {"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"})
    r.add(op, 5, fusedBatchNorm,
          {"y", "batch_mean", "batch_variance", "reserve_space_1",
           "reserve_space_2", "reserve_space_3"});
  for (const char *op : {"FusedBatchNormGrad", "FusedBatchNormGradV2"})
    r.add(op, 5, fusedBatchNormGrad,
          {"x_backprop", "scale_backprop", "offset_backprop", "reserve_space_3",
           "reserve_space_4"});
  r.add("FusedBatchNormGradV3", 6, fusedBatchNormGrad,
        {"x_backprop", "scale_backprop", "offset_backprop", "reserve_space_4",
         "reserve_space_5"});
}

} // namespace tenon::tf
