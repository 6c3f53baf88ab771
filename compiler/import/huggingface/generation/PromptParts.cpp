// Computes a prompt in parts of its columns: a layer's intermediate values are
// several times as large as the keys and values that are kept of it, so a long
// prompt at once would need more memory than its cache. Each part reads the
// cache of those before it, as the steps of a text do.
#include "compiler/import/huggingface/blocks/Loop.h"
#include "compiler/import/huggingface/generation/CachedAttend.h"
#include "compiler/import/huggingface/generation/Generation.h"

using namespace mlir;

namespace tenon::hf {

/// Enough rows that products read their weights from memory much faster than
/// they use them.
static constexpr int64_t mostColumns = 256;

Value Generation::hiddenOfPrompt(Value ids, const CachePlaces &places,
                                 Value count, Size needed, Size longest) {
  Size rows = g.size(ids, 0), columns = g.size(ids, 1);
  if (std::optional<int64_t> known = GraphBuilder::staticSize(longest);
      known && *known <= mostColumns) {
    LastTokens last = LastTokens::of(g, count, columns, needed);
    return hiddenOf(ids, places, &last);
  }
  auto quotient = [&](Size size, Size part) {
    return g.truncDiv(g.add(size, g.sub(part, g.index(1))), part);
  };
  // All tokens that are needed are in the last part.
  Size widest = g.max(needed, g.index(mostColumns));
  Size parts = quotient(columns, widest);
  // Parts of about one size: products of few rows are slow.
  Size most = g.bound(quotient(columns, g.max(parts, g.index(1))),
                      g.min(columns, widest));
  auto ofRows = [&](Size size) {
    return g.broadcastTo(g.fromSize(size, g.i64()), {rows});
  };
  Value none =
      g.splat(g.f32(), {rows, needed, g.index(setup.config.headWidth())}, 0);
  return forEach(g, parts, none, [&](Size number, Value before) {
    Size first = g.mul(number, most);
    Size length = g.bound(g.min(most, g.sub(columns, first)), most);
    CachePlaces part = places;
    part.first = g.add(places.first, ofRows(first));
    part.positions =
        g.add(g.unsqueeze(part.first, {1}), g.iota(g.i64(), {rows, length}, 1));
    // The keys of later parts are not there yet.
    part.lengths = g.minimum(places.lengths, g.add(part.first, ofRows(length)));
    // A row whose last token is behind this part gets it from a later one.
    Value ahead = g.sub(count, ofRows(first));
    Value inPart = g.minimum(g.maximum(ahead, 1.0), ofRows(length));
    LastTokens last = LastTokens::of(g, inPart, length, needed);
    Value made = hiddenOf(g.sliceDim(ids, 1, first, length), part, &last);
    Value isReached = g.broadcastInDim(
        g.compare(CompareDirection::GE, ahead, 1), {0}, g.sizes(none));
    return g.select(isReached, made, before);
  });
}

} // namespace tenon::hf
