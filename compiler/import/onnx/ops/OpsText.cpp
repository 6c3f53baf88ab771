// TfIdfVectorizer on integers: counts the occurrences of each n-gram of a pool.
// Comparing shifted slices counts all positions of one skip at once.
#include "compiler/import/onnx/graph/NodeContext.h"

using namespace mlir;

namespace tenon::onnx {
namespace {

struct Grams {
  int64_t length;
  SmallVector<int64_t> items;   ///< `length` items for each gram
  SmallVector<int64_t> outputs; ///< the output that counts each gram
  int64_t count() const { return outputs.size(); }
};

/// Reads the pool's grams by length, and the number of outputs.
FailureOr<std::vector<Grams>> readPool(NodeContext &c, int64_t &outputs) {
  SmallVector<int64_t> pool = c.intsAttr("pool_int64s");
  SmallVector<int64_t> starts = c.intsAttr("ngram_counts");
  SmallVector<int64_t> indices = c.intsAttr("ngram_indexes");
  std::vector<Grams> lists;
  size_t gram = 0;
  for (size_t i = 0; i < starts.size(); ++i) {
    int64_t begin = starts[i], length = i + 1;
    int64_t end = i + 1 < starts.size() ? starts[i + 1] : int64_t(pool.size());
    if (begin < 0 || end < begin || end > int64_t(pool.size()) ||
        (end - begin) % length != 0)
      return c.error("expected ngram_counts that part the pool of " +
                     Twine(pool.size()) + " items into whole n-grams, got " +
                     Twine(begin) + " to " + Twine(end) +
                     " for n = " + Twine(length));
    Grams list{length, {}, {}};
    list.items.assign(pool.begin() + begin, pool.begin() + end);
    for (int64_t k = 0; k < (end - begin) / length; ++k, ++gram) {
      if (gram >= indices.size())
        return c.error("expected an entry of ngram_indexes per n-gram, got " +
                       Twine(indices.size()));
      list.outputs.push_back(indices[gram]);
    }
    lists.push_back(list);
  }
  outputs = 0;
  for (int64_t index : indices) {
    if (index < 0 || index >= int64_t(1) << 24)
      return c.error("expected ngram_indexes within [0, 2^24), got " +
                     Twine(index));
    outputs = std::max(outputs, index + 1);
  }
  return lists;
}

/// The number of occurrences of each gram in every row of x, [N, C], as [N,
/// grams] of f32.
Value countGrams(GraphBuilder &g, Value x, const Grams &grams,
                 int64_t maxSkip) {
  Value total;
  int64_t columns = g.shapeOf(x)[1];
  Value items = g.reshape(g.ints(grams.items), {grams.count(), grams.length});
  // Grams of one item have no skips.
  for (int64_t skip = 0; skip <= (grams.length == 1 ? 0 : maxSkip); ++skip) {
    int64_t places = columns - (grams.length - 1) * (skip + 1);
    if (places <= 0)
      break;
    Value all;
    for (int64_t i = 0; i < grams.length; ++i) {
      Value here = g.sliceDim(x, 1, g.index(i * (skip + 1)), g.index(places));
      Value item = g.sliceDim(items, 1, g.index(i), g.index(1));
      Value hit = g.compare(CompareDirection::EQ, g.unsqueeze(here, {1}), item);
      all = all ? g.binary<AndOp>(all, hit) : hit;
    }
    Value count =
        g.reduce(ReduceKind::Add, g.convert(all, g.f32()), {2}, false);
    total = total ? g.add(total, count) : count;
  }
  if (!total)
    total = g.splat(g.f32(), {g.size(x, 0), g.index(grams.count())}, 0);
  return total;
}

LogicalResult tfIdfVectorizer(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  std::string mode = c.stringAttr("mode", "");
  int64_t least = c.intAttr("min_gram_length");
  int64_t most = c.intAttr("max_gram_length");
  int64_t maxSkip = c.intAttr("max_skip_count");
  SmallVector<double> weights = c.floatsAttr("weights");
  if (c.failed())
    return failure();
  if (c.hasAttr("pool_strings"))
    return c.unsupported("strings");
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF")
    return c.error("expected mode TF, IDF or TFIDF, got \"" + mode + "\"");
  if (least < 1 || most < least || maxSkip < 0 || maxSkip > 1024)
    return c.error("expected 1 <= min_gram_length <= max_gram_length and "
                   "max_skip_count within [0, 1024], got " +
                   Twine(least) + ", " + Twine(most) + " and " +
                   Twine(maxSkip));
  int64_t rank = g.rankOf(x), outputs = 0;
  if (failed(c.expectInteger(0)))
    return failure();
  if (rank != 1 && rank != 2)
    return c.error("expected a tensor of rank 1 or 2, got " + textOf(x));
  if (ShapedType::isDynamic(g.shapeOf(x).back()))
    return c.unsupported("a sequence whose length is not static");
  auto pool = readPool(c, outputs);
  if (failed(pool))
    return failure();
  x = g.convert(rank == 1 ? g.unsqueeze(x, {0}) : x, g.i64());
  SmallVector<Value> counts;
  SmallVector<int64_t> places;
  SmallVector<double> factors;
  size_t gram = 0;
  for (const Grams &grams : *pool) {
    bool used = grams.length >= least && grams.length <= most;
    if (used && grams.count() > 0)
      counts.push_back(countGrams(g, x, grams, maxSkip));
    for (int64_t output : grams.outputs) {
      if (used) {
        places.push_back(output);
        factors.push_back(gram < weights.size() ? weights[gram] : 1);
      }
      ++gram;
    }
  }
  Sizes result{g.size(x, 0), g.index(outputs)};
  Value y = g.splat(g.f32(), result, 0);
  if (!counts.empty()) {
    Value found = g.concat(counts, 1);
    if (mode == "IDF")
      found = g.convert(g.compare(CompareDirection::GT, found, 0.0), g.f32());
    if (mode != "TF")
      found =
          g.mul(found, g.floats(g.f32(), factors, {int64_t(factors.size())}));
    Size grams = g.index(int64_t(places.size()));
    Value chosen = g.convert(
        g.compare(CompareDirection::EQ, g.unsqueeze(g.ints(places), {1}),
                  g.iota(g.i64(), {grams, g.index(outputs)}, 1)),
        g.f32());
    y = g.matmul(found, chosen);
  }
  c.set(0, rank == 1 ? g.squeeze(y, {0}) : y);
  return success();
}

LogicalResult strings(NodeContext &c) {
  c.ignoreAttrs(
      {"case_change_action", "is_case_sensitive", "locale", "stopwords"});
  return c.unsupported("strings");
}

} // namespace

void registerTextOps(OpRegistry &r) {
  r.add("TfIdfVectorizer", 9, 1, 1, tfIdfVectorizer);
  r.add("StringNormalizer", 10, 1, 1, strings);
}

} // namespace tenon::onnx
