// Attention whose depths are only known in the run, or whose keys are computed
// in the kernel, has the bits of attention in register tiles.
#include "test/unit/contraction/JitGraph.h"

#include "gtest/gtest.h"
#include <cmath>

using namespace tenon;

namespace {
constexpr int64_t heads = 2, rows = 5, keys = 70, depth = 12;

std::string attention(const std::string &name, const std::string &type,
                      const std::string &keyType, const std::string &mask) {
  std::string masks = mask.empty() ? "" : ", %m: tensor<2x5x70xf32>",
              operand = mask.empty() ? "" : " mask %m",
              maskType = mask.empty() ? "" : ", tensor<2x5x70xf32>";
  return "func.func @" + name + "(%q: " + type + ", %k: " + keyType +
         ", %v: " + keyType + masks + ") -> " + type +
         " {\n  %0 = tenon.attention %q, %k, %v" + operand +
         " order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 0.25 : "
         "(" +
         type + ", " + keyType + ", " + keyType + maskType + ") -> " + type +
         "\n  return %0 : " + type + "\n}\n";
}

std::vector<float> numbers(int64_t count, float phase) {
  std::vector<float> result(count);
  for (int64_t i = 0; i < count; ++i)
    result[i] = 3 * std::sin(phase + 0.37f * float(i));
  return result;
}
} // namespace

TEST(GeneralAttention, HasTheBitsOfTiles) {
  std::vector<float> q = numbers(heads * rows * depth, 1),
                     k = numbers(heads * keys * depth, 2),
                     v = numbers(heads * keys * depth, 3),
                     m = numbers(heads * rows * keys, 4);
  for (bool masked : {false, true}) {
    std::string mask = masked ? "mask" : "";
    JitGraph graph(
        attention("tiles", "tensor<2x5x12xf32>", "tensor<2x70x12xf32>", mask) +
            attention("general", "tensor<2x5x?xf32>", "tensor<2x70x?xf32>",
                      mask),
        jitTargets().back());
    std::vector<JitTensor> inputs = {{q.data(), {heads, rows, depth}},
                                     {k.data(), {heads, keys, depth}},
                                     {v.data(), {heads, keys, depth}}};
    if (masked)
      inputs.push_back({m.data(), {heads, rows, keys}});
    std::vector<float> tiles(q.size()), general(q.size());
    graph.run("tiles", inputs, {tiles.data(), {heads, rows, depth}});
    graph.run("general", inputs, {general.data(), {heads, rows, depth}});
    EXPECT_EQ(tiles, general) << (masked ? "masked" : "plain");
  }
}
