// Layers as ops of the graph.
#include "compiler/import/huggingface/blocks/Layers.h"

#include "compiler/import/graph/Formulas.h"

using namespace mlir;

namespace tenon::hf {

static int64_t widthOf(Value x) { return GraphBuilder::shapeOf(x).back(); }

/// The product of the last dimension of `x` with dimension `contract` of `w`.
static Value project(GraphBuilder &g, Value x, Value w, int64_t contract) {
  return g.dotGeneral(x, w, {}, {}, {g.rankOf(x) - 1}, {contract});
}

Value linear(const Part &part, Value x, int64_t outputs, bool bias) {
  part.enter();
  GraphBuilder &g = part.g;
  Value y = project(g, x, part.weight("weight", {outputs, widthOf(x)}), 1);
  return bias ? g.add(y, part.weight("bias", {outputs})) : y;
}

Value linearByColumns(const Part &part, Value x, int64_t outputs) {
  part.enter();
  GraphBuilder &g = part.g;
  Value y = project(g, x, part.weight("weight", {widthOf(x), outputs}), 0);
  return g.add(y, part.weight("bias", {outputs}));
}

Value layerNorm(const Part &part, Value x, double epsilon, bool affine) {
  part.enter();
  GraphBuilder &g = part.g;
  int64_t width = widthOf(x);
  auto vector = [&](StringRef name, double neutral) {
    return affine ? part.weight(name, {width})
                  : g.splat(g.f32(), {g.index(width)}, neutral);
  };
  Sizes sizes = g.sizes(x);
  Value scale = vector("weight", 1), shift = vector("bias", 0);
  Value y =
      LayerNormOp::create(g.ops, g.loc, x.getType(), x, scale, shift,
                          uint64_t(g.rankOf(x) - 1), llvm::APFloat(epsilon));
  g.recordSizes(y, sizes);
  return y;
}

Value rmsNorm(const Part &part, Value x, double epsilon) {
  part.enter();
  GraphBuilder &g = part.g;
  int64_t last = g.rankOf(x) - 1;
  Value meanSquare = g.mean(g.mul(x, x), {last}, false);
  // One factor per row, broadcast as it is: a row kernel computes all of it.
  Value factor = g.broadcastInDim(g.make<RsqrtOp>(g.add(meanSquare, epsilon)),
                                  llvm::to_vector(llvm::seq<int64_t>(0, last)),
                                  g.sizes(x));
  return g.mul(g.mul(x, factor), part.weight("weight", {widthOf(x)}));
}

Value activate(GraphBuilder &g, Activation function, Value x) {
  switch (function) {
  case Activation::Relu:
    return relu(g, x);
  case Activation::Silu:
    return g.mul(x, g.make<LogisticOp>(x));
  case Activation::Gelu:
  case Activation::GeluTanh:
    return g.make<GeluOp>(x, function == Activation::GeluTanh);
  }
  llvm_unreachable("all functions are above");
}

Value embed(const Part &part, Value ids, int64_t entries, int64_t width) {
  part.enter();
  GraphBuilder &g = part.g;
  return g.convert(g.take(part.stored("weight", {entries, width}), ids, 0),
                   g.f32());
}

Value TokenTable::embed(Value ids) const {
  if (!tied)
    return hf::embed(part, ids, vocabulary, width);
  // The same value as the head's, so that the table is stored once.
  part.enter();
  return part.g.take(part.weight("weight", {vocabulary, width}), ids, 0);
}

Value TokenTable::logits(const Part &root, Value x) const {
  if (!tied)
    return linear(root["lm_head"], x, vocabulary, false);
  // Writers may store the tied head a second time.
  root["lm_head"].ignore("weight");
  return linear(part, x, vocabulary, false);
}

Value splitHeads(GraphBuilder &g, Value x, int64_t heads) {
  Sizes sizes = g.sizes(x);
  sizes.back() = g.index(heads);
  sizes.push_back(g.index(widthOf(x) / heads));
  return g.reshape(x, sizes);
}

Value joinHeads(GraphBuilder &g, Value x) {
  ArrayRef<int64_t> shape = GraphBuilder::shapeOf(x);
  Sizes sizes = g.sizes(x);
  sizes.pop_back();
  sizes.back() = g.index(shape[shape.size() - 2] * shape.back());
  return g.reshape(x, sizes);
}

} // namespace tenon::hf
