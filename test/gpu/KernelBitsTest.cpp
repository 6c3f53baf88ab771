// Kernels whose threads share a task have the CPU's bits at sizes around their
// tiles: attention with masks, lengths and tables, and products of few and of
// many rows. Each test is one module of several ops, run on the CPU and on the
// emulated device.
#include "test/gpu/KernelModule.h"

namespace tenon::test {

namespace {
/// Attention of 2 entries, each with `heads` heads of queries in groups.
struct Attention {
  int64_t queries, keys, depth, valueDepth;
  int64_t heads = 2, group = 1;
  const char *cache = "f32"; ///< the type of keys and values
  bool headsInside = false;  ///< keys are [entry, key, head, depth]
  bool causal = false, boolMask = false, floatMask = false;
  bool lengths = false, positions = false, table = false;
  std::vector<float> odd = {}; ///< some elements of keys and values
};

void add(Module &module, const Attention &c) {
  const int64_t entries = 2, shared = c.heads / c.group;
  using Dims = std::vector<int64_t>;
  Dims query = {entries, c.heads, c.queries, c.depth},
       key = {entries, shared, c.keys, c.depth},
       value = {entries, shared, c.keys, c.valueDepth},
       result = {entries, c.heads, c.queries, c.valueDepth},
       scores = {entries, c.heads, c.queries, c.keys};
  std::string order = "[0, 1, 2, 3]", keyOrder = order;
  if (c.headsInside) {
    keyOrder = "[0, 2, 1, 3]";
    std::swap(key[1], key[2]);
    std::swap(value[1], value[2]);
  }
  std::string op = "tenon.attention " + module.floats(query, "f32") + ", " +
                   module.floats(key, c.cache, c.odd) + ", " +
                   module.floats(value, c.cache, c.odd);
  std::string types = tensorType(query, "f32") + ", " +
                      tensorType(key, c.cache) + ", " +
                      tensorType(value, c.cache);
  if (c.boolMask) {
    std::string chosen = module.integers(scores, -1, 2),
                type = tensorType(scores, "i1");
    op += " mask " + module.value("tenon.convert " + chosen + " to i1 : (" +
                                  tensorType(scores, "i64") + ") -> " + type);
    types += ", " + type;
  } else if (c.floatMask) {
    op += " mask " + module.floats(scores, "f32", {-infinity, -1e9f});
    types += ", " + tensorType(scores, "f32");
  }
  if (c.positions) {
    op += " causal " + module.integers({entries}, -3, c.keys + 3);
    types += ", tensor<2xi64>";
  } else if (c.causal) {
    op += " causal " +
          module.value("arith.constant " + std::to_string(c.keys - c.queries) +
                       " : index");
    types += ", index";
  }
  if (c.lengths) {
    op += " lengths " + module.integers({entries}, 0, c.keys + 2);
    types += ", tensor<2xi64>";
  }
  if (c.table) {
    op += " table " + module.integers({entries, c.keys}, -1, entries);
    types += ", " + tensorType({entries, c.keys}, "i64");
  }
  if (c.causal || c.positions || c.boolMask)
    op += " fill -1.0e+09";
  std::string type = tensorType(result, "f32");
  module.result(op + " order " + order + " x " + keyOrder + " x " + keyOrder +
                    " to " + order + " scale 2.5e-01 : (" + types + ") -> " +
                    type,
                type);
}

TEST_F(KernelBits, AttentionAtSizesAroundTiles) {
  Module module;
  add(module, {.queries = 1, .keys = 1, .depth = 8, .valueDepth = 8});
  add(module, {.queries = 3, .keys = 63, .depth = 32, .valueDepth = 64});
  add(module, {.queries = 63, .keys = 64, .depth = 64, .valueDepth = 64});
  add(module, {.queries = 65, .keys = 65, .depth = 64, .valueDepth = 80});
  add(module, {.queries = 64, .keys = 200, .depth = 80, .valueDepth = 64});
  add(module, {.queries = 33, .keys = 70, .depth = 128, .valueDepth = 128});
  add(module, {.queries = 17, .keys = 65, .depth = 20, .valueDepth = 256});
  add(module, {.queries = 9, .keys = 130, .depth = 31, .valueDepth = 7});
  expectBits(module);
}

TEST_F(KernelBits, AttentionWithMasks) {
  Module module;
  add(module, {.queries = 65,
               .keys = 65,
               .depth = 32,
               .valueDepth = 32,
               .causal = true});
  add(module, {.queries = 5,
               .keys = 200,
               .depth = 64,
               .valueDepth = 64,
               .causal = true});
  add(module, {.queries = 40,
               .keys = 70,
               .depth = 16,
               .valueDepth = 16,
               .boolMask = true});
  add(module, {.queries = 40,
               .keys = 70,
               .depth = 16,
               .valueDepth = 16,
               .floatMask = true});
  add(module, {.queries = 130,
               .keys = 130,
               .depth = 16,
               .valueDepth = 16,
               .causal = true,
               .floatMask = true});
  expectBits(module);
}

TEST_F(KernelBits, AttentionOfCaches) {
  Module module;
  add(module, {.queries = 1,
               .keys = 200,
               .depth = 64,
               .valueDepth = 64,
               .headsInside = true,
               .lengths = true,
               .positions = true});
  add(module, {.queries = 3,
               .keys = 70,
               .depth = 64,
               .valueDepth = 64,
               .heads = 4,
               .group = 4,
               .lengths = true,
               .positions = true,
               .odd = {infinity, nan}});
  add(module, {.queries = 2,
               .keys = 130,
               .depth = 32,
               .valueDepth = 32,
               .heads = 4,
               .group = 2,
               .cache = "bf16",
               .lengths = true,
               .table = true});
  add(module, {.queries = 2,
               .keys = 130,
               .depth = 32,
               .valueDepth = 32,
               .cache = "f16",
               .lengths = true,
               .positions = true,
               .table = true});
  expectBits(module);
}

TEST_F(KernelBits, AttentionOfOddNumbers) {
  Module module;
  for (float odd : {infinity, -infinity, nan, 3e38f, 1e-40f, -0.0f})
    add(module, {.queries = 65,
                 .keys = 70,
                 .depth = 16,
                 .valueDepth = 16,
                 .causal = odd > 0,
                 .odd = {odd}});
  expectBits(module);
}

/// A product of [rows, sum] by [sum, columns], with a bias.
void addProduct(Module &module, int64_t rows, int64_t sum, int64_t columns,
                bool transposed = false, bool byWeight = false) {
  std::vector<int64_t> rhs = {sum, columns};
  if (transposed)
    std::swap(rhs[0], rhs[1]);
  std::string type = tensorType({rows, columns}, "f32"),
              biasType = tensorType({columns}, "f32"),
              lhs = module.floats({rows, sum}, "f32"),
              right = byWeight ? module.weight(rhs) : module.floats(rhs, "f32"),
              bias = module.floats({columns}, "f32");
  std::string product = module.value("tenon.dot_general " + lhs + ", " + right +
                                     " batch [] x [] contract [1] x [" +
                                     (transposed ? "1" : "0") + "] : (" +
                                     tensorType({rows, sum}, "f32") + ", " +
                                     tensorType(rhs, "f32") + ") -> " + type);
  std::string wide =
      module.value("tenon.broadcast_in_dim " + bias + " dims [1] sizes [" +
                   std::to_string(rows) + ", " + std::to_string(columns) +
                   "] : (" + biasType + ") -> " + type);
  module.result("tenon.add " + product + ", " + wide + " : (" + type + ", " +
                    type + ") -> " + type,
                type);
}

TEST_F(KernelBits, ProductsOfFewRows) {
  Module module;
  addProduct(module, 1, 768, 96);
  addProduct(module, 1, 128, 40);
  addProduct(module, 2, 129, 64);
  addProduct(module, 3, 300, 36);
  addProduct(module, 8, 1000, 32);
  addProduct(module, 9, 5000, 32);
  addProduct(module, 17, 100, 44);
  addProduct(module, 31, 256, 33);
  expectBits(module);
}

TEST_F(KernelBits, ProductsInTiles) {
  Module module;
  addProduct(module, 64, 64, 64);
  addProduct(module, 65, 130, 68);
  addProduct(module, 33, 300, 100, true);
  addProduct(module, 197, 200, 130);
  addProduct(module, 130, 136, 256, true);
  addProduct(module, 128, 131, 129);
  expectBits(module);
}

TEST_F(KernelBits, ProductsByStoredWeights) {
  for (WeightFormat format : {WeightFormat::F16, WeightFormat::Bf16,
                              WeightFormat::Int8, WeightFormat::Int4}) {
    Module module;
    for (int64_t rows : {1, 5, 70})
      addProduct(module, rows, 300, 100, false, true);
    addProduct(module, 2, 1000, 64, false, true);
    expectBits(module, format);
  }
}
} // namespace

} // namespace tenon::test
