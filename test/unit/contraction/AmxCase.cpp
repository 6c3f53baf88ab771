// Writes the graph of a product in any of its forms, and compares each element
// of its result.
#include "test/unit/contraction/AmxCase.h"

#include "test/amx/amx_emulator.h"
#include "test/unit/contraction/ContractionCase.h"

#include "llvm/TargetParser/Host.h"
#include <bit>
#include <cmath>

namespace tenon {

Product::Product(Extents size, uint32_t seed)
    : size(size), x(randomFloats(size.rows * size.sum, seed)),
      w(randomFloats(size.sum * size.columns, seed + 1)) {}

std::pair<double, double> Product::exact(int64_t row, int64_t column) {
  double sum = 0, magnitudes = 0;
  for (int64_t k = 0; k < size.sum; ++k) {
    double product = double(left(row, k)) * double(right(k, column));
    sum += product;
    magnitudes += std::fabs(product);
  }
  return {sum, magnitudes};
}

float Product::plain(int64_t row, int64_t column) {
  BlockedSum sum(size.sum > 128 ? 128 : 0);
  for (int64_t k = 0; k < size.sum; ++k)
    sum.add(left(row, k), right(k, column));
  return sum.value();
}

std::string dims(std::initializer_list<int64_t> extents, const char *element) {
  std::string text = "tensor<";
  for (int64_t extent : extents)
    text += (extent < 0 ? "?" : std::to_string(extent)) + "x";
  return text + element + ">";
}

std::string textOf(Extents size, int64_t rows, bool tail) {
  int64_t panels = (size.columns + 15) / 16;
  std::string x = dims({rows, size.sum}), p = dims({panels, size.sum, 16}),
              w = dims({size.sum, size.columns}),
              y = dims({rows, size.columns}), bias = dims({size.columns});
  std::string text =
      "func.func @f(%x: " + x + ", %p: " + p + ", %bias: " + bias + ") -> " +
      y + " {\n  %w = tenon.unpack %p dim 1 extent " +
      std::to_string(size.columns) + " : (" + p + ") -> " + w +
      "\n  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (" +
      x + ", " + w + ") -> " + y + "\n";
  if (!tail)
    return text + "  return %0 : " + y + "\n}\n";
  std::string pair = " : (" + y + ", " + y + ") -> " + y + "\n";
  return text + "  %b = tenon.broadcast_in_dim %bias dims [1] sizes [" +
         std::to_string(rows) + ", " + std::to_string(size.columns) + "] : (" +
         bias + ") -> " + y + "\n  %s = tenon.add %0, %b" + pair +
         "  %zero = tenon.constant dense<0.0> : " + y +
         "\n  %r = tenon.maximum %s, %zero" + pair + "  return %r : " + y +
         "\n}\n";
}

JitTarget amxTarget(int64_t parts) {
  return {"x86-64-v4", 64, {"+amx-tile", "+amx-bf16"}, parts};
}

std::vector<float> biasOf(Extents size) {
  return randomFloats(size.columns, 99);
}

std::vector<float> Product::panels() {
  auto [rows, columns, sum] = size;
  std::vector<float> result((columns + 15) / 16 * sum * 16);
  for (int64_t n = 0; n < columns; ++n)
    for (int64_t k = 0; k < sum; ++k)
      result[(n / 16 * sum + k) * 16 + n % 16] = right(k, n);
  return result;
}

std::vector<float> run(const JitGraph &graph, Product &product, int64_t step) {
  auto [rows, columns, sum] = product.size;
  std::vector<float> panels = product.panels(), bias = biasOf(product.size),
                     result(rows * columns + 64, 12345.0f);
  graph.run("f",
            {{product.x.data(), {rows, sum}},
             {panels.data(), {(columns + 15) / 16, sum, 16}},
             {bias.data(), {columns}}},
            {result.data(), {rows, columns}}, step);
  for (int64_t i = rows * columns; i < int64_t(result.size()); ++i)
    EXPECT_EQ(result[i], 12345.0f) << "written past the end";
  result.resize(rows * columns);
  return result;
}

std::vector<float> runOnce(Product &product, int64_t parts, int64_t step) {
  JitGraph graph(textOf(product.size, product.size.rows), amxTarget(parts));
  EXPECT_TRUE(graph.usesTiles());
  return run(graph, product, step);
}

bool sameBits(float a, float b) {
  return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

void expectErrors(Product &product, const std::vector<float> &found,
                  double perProduct) {
  for (int64_t m = 0; m < product.size.rows; ++m)
    for (int64_t n = 0; n < product.size.columns; ++n) {
      float here = found[m * product.size.columns + n],
            plain = product.plain(m, n);
      if (sameBits(here, plain))
        continue;
      auto [sum, magnitudes] = product.exact(m, n);
      // If the sum is infinite, any error is allowed.
      ASSERT_TRUE(std::isfinite(sum)) << "row " << m << ", column " << n << ": "
                                      << here << ", elsewhere " << plain;
      ASSERT_LE(std::fabs(here - sum),
                perProduct * magnitudes + product.size.sum * 0x1p-149)
          << "row " << m << ", column " << n << ": " << here << " for " << sum
          << ", elsewhere " << plain;
    }
}

double plainError(Extents size) { return size.sum * 0x1p-24; }

void AmxProduct::SetUp() {
  if (!llvm::sys::getHostCPUFeatures().lookup("avx512vl"))
    GTEST_SKIP() << "kernels for AMX use AVX-512";
  amx_start();
}

} // namespace tenon
