// Tests matrices of 16-bit floats in AMX tiles: split into parts, and pairs of
// bf16 read directly from memory.
#include "test/unit/contraction/AmxCase.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/TargetParser/Host.h"
#include <bit>
#include <cmath>

using namespace tenon;

namespace {
/// A 16-bit type. Storing numbers in it rounds the numbers.
struct Narrow {
  const char *name;
  const llvm::fltSemantics &semantics;

  std::vector<uint16_t> store(std::vector<float> &values) const {
    std::vector<uint16_t> bits;
    for (float &value : values) {
      llvm::APFloat number(value);
      bool loses;
      number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &loses);
      bits.push_back(number.bitcastToAPInt().getZExtValue());
      number.convert(llvm::APFloat::IEEEsingle(),
                     llvm::APFloat::rmNearestTiesToEven, &loses);
      value = number.convertToFloat();
    }
    return bits;
  }
};

const Narrow bf16{"bf16", llvm::APFloat::BFloat()},
    f16{"f16", llvm::APFloat::IEEEhalf()};
TEST_F(AmxProduct, NarrowOperandsAreMultipliedWhole) {
  for (const Narrow &type : {bf16, f16})
    for (auto [weightsAlone, rows] :
         {std::pair(false, 75), {false, 9}, {true, 75}, {true, 9}}) {
      // Rows of f16 are widened, and only many rows split a weight of f16.
      if (type.name == f16.name && !(weightsAlone && rows == 75))
        continue;
      constexpr int64_t width = 64;
      Extents size{rows, 160, 400};
      Product product(size);
      product.left(3, 5) = infinity;
      product.left(8, 399) = 0x1p-24f;
      for (int64_t k = 0; k < size.sum; ++k)
        product.left(7, k) *= 0x1p-9f;
      std::vector<uint16_t> left;
      if (!weightsAlone)
        left = type.store(product.x);
      std::vector<uint16_t> right = type.store(product.w),
                            panels(3 * size.sum * width);
      for (int64_t n = 0; n < size.columns; ++n)
        for (int64_t k = 0; k < size.sum; ++k)
          panels[(n / width * size.sum + k) * width + n % width] =
              right[k * size.columns + n];
      const char *element = weightsAlone ? "f32" : type.name;
      std::string x = dims({rows, 400}, element),
                  stored = dims({3, 400, width}, type.name),
                  p = weightsAlone ? dims({3, 400, width}) : stored,
                  w = dims({400, 160}, element), y = dims({rows, 160});
      std::string panel = weightsAlone
                              ? "  %p = tenon.dequantize %q : (" + stored +
                                    ") -> " + dims({3, 400, width}) + "\n"
                              : "";
      JitGraph graph(
          "func.func @f(%x: " + x + (weightsAlone ? ", %q: " : ", %p: ") +
              stored + ") -> " + y + " {\n" + panel +
              "  %w = tenon.unpack %p dim 1 extent 160 : (" + p + ") -> " + w +
              "\n  %0 = tenon.dot_general %x, %w batch [] x [] "
              "contract [1] x [0] : (" +
              x + ", " + w + ") -> " + y + "\n  return %0 : " + y + "\n}\n",
          amxTarget(weightsAlone ? 3 : 1)); // only f32 is rounded
      std::vector<float> found(size.rows * size.columns);
      void *lhs =
          weightsAlone ? static_cast<void *>(product.x.data()) : left.data();
      graph.run("f", {{lhs, {rows, 400}}, {panels.data(), {3, 400, width}}},
                {found.data(), {rows, 160}});
      SCOPED_TRACE(std::string(type.name) + " " + std::to_string(rows));
      expectErrors(product, found, plainError(size));
      int64_t same = 0;
      for (int64_t m = 0; m < size.rows; ++m)
        for (int64_t n = 0; n < size.columns; ++n)
          same += sameBits(found[m * size.columns + n], product.plain(m, n));
      EXPECT_LT(same, size.rows * size.columns * 3 / 4) << "no tile was used";
    }
}

/// Rows of bf16 and a weight in pairs, for a static or dynamic number of rows.
struct PairedProduct : Product {
  int64_t width;
  std::vector<uint16_t> rows;

  PairedProduct(Extents size, int64_t width, uint32_t seed = 1)
      : Product(size, seed), width(width) {
    store();
  }
  void store() { rows = bf16.store(x), bf16.store(w); }
  std::vector<uint32_t> panels() {
    int64_t count = (size.columns + width - 1) / width, lines = size.sum / 2;
    std::vector<uint32_t> result(count * lines * width, 0x7fc07fc0);
    for (int64_t n = 0; n < size.columns; ++n)
      for (int64_t k = 0; k < size.sum; ++k) {
        uint32_t &word =
            result[(n / width * lines + k / 2) * width + n % width];
        uint32_t bits = std::bit_cast<uint32_t>(right(k, n)) >> 16;
        word = k % 2 ? (word & 0xffff) | bits << 16 : bits;
      }
    return result;
  }
  std::string text(int64_t known) {
    int64_t count = (size.columns + width - 1) / width;
    std::string x = dims({known, size.sum}, "bf16"),
                q = dims({count, size.sum / 2, width}, "i32"),
                p = dims({count, size.sum, width}, "bf16"),
                w = dims({size.sum, size.columns}, "bf16"),
                y = dims({known, size.columns});
    return "func.func @f(%x: " + x + ", %q: " + q + ") -> " + y +
           " {\n  %p = tenon.unpair %q : (" + q + ") -> " + p +
           "\n  %w = tenon.unpack %p dim 1 extent " +
           std::to_string(size.columns) + " : (" + p + ") -> " + w +
           "\n  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] "
           "products pairs : (" +
           x + ", " + w + ") -> " + y + "\n  return %0 : " + y + "\n}\n";
  }
  std::vector<float> run(const JitGraph &graph) {
    std::vector<uint32_t> words = panels();
    std::vector<float> result(size.rows * size.columns);
    graph.run("f",
              {{rows.data(), {size.rows, size.sum}},
               {words.data(),
                {(size.columns + width - 1) / width, size.sum / 2, width}}},
              {result.data(), {size.rows, size.columns}}, 2);
    return result;
  }
};

JitTarget pairTarget(int64_t amxParts = 1) {
  return {"x86-64-v4", 64, {"+amx-tile", "+amx-bf16", "+avx512bf16"}, amxParts};
}

class AmxPairs : public AmxProduct {
protected:
  void SetUp() override {
    AmxProduct::SetUp();
    if (!llvm::sys::getHostCPUFeatures().lookup("avx512bf16"))
      GTEST_SKIP() << "few rows are multiplied by AVX-512's instruction";
  }
};

/// The product with f32 operands, arranged so that its sum has the order of
/// pairs: of 32 terms the first 16 are paired with the last 16.
Product withPairsApart(PairedProduct &pairs) {
  auto [rows, columns, sum] = pairs.size;
  Product apart({rows, columns, (sum + 31) / 32 * 32});
  std::fill(apart.x.begin(), apart.x.end(), 0.0f);
  std::fill(apart.w.begin(), apart.w.end(), 0.0f);
  for (int64_t k = 0; k < sum; ++k) {
    int64_t to = k / 32 * 32 + k % 2 * 16 + k % 32 / 2;
    for (int64_t m = 0; m < rows; ++m)
      apart.left(m, to) = pairs.left(m, k);
    for (int64_t n = 0; n < columns; ++n)
      apart.right(to, n) = pairs.right(k, n);
  }
  return apart;
}

TEST_F(AmxPairs, AreReadAsTheyLie) {
  // Whole tiles in memory, and remainders of rows, columns and sums.
  for (PairedProduct product :
       {PairedProduct({80, 128, 128}, 16), PairedProduct({96, 160, 256}, 64),
        PairedProduct({73, 114, 192}, 64), PairedProduct({96, 112, 226}, 16),
        PairedProduct({73, 97, 292}, 16), PairedProduct({150, 300, 800}, 64),
        PairedProduct({144, 160, 1600}, 16)}) {
    std::vector<float> found =
        product.run(JitGraph(product.text(product.size.rows), pairTarget()));
    expectErrors(product, found, plainError(product.size));
    // These sums must equal those of f32 operands with bf16 values, in other
    // pieces.
    Product apart = withPairsApart(product);
    EXPECT_EQ(found, runOnce(apart, 1));
  }
}

TEST_F(AmxPairs, SpecialValuesComeThrough) {
  PairedProduct product({20, 50, 70}, 16);
  product.left(4, 69) = infinity;
  product.left(7, 0) = quietNan;
  product.right(3, 49) = -infinity;
  product.right(33, 5) = 0x1p120f;
  product.left(9, 3) = 0;
  product.store();
  std::vector<float> found =
      product.run(JitGraph(product.text(20), pairTarget()));
  for (int64_t m = 0; m < 20; ++m)
    for (int64_t n = 0; n < 50; ++n) {
      float here = found[m * 50 + n], plain = product.plain(m, n);
      if (!std::isfinite(plain))
        ASSERT_TRUE(sameBits(here, plain)) << m << ", " << n;
      else
        ASSERT_NEAR(here, product.exact(m, n).first,
                    plainError(product.size) * product.exact(m, n).second);
    }
}

TEST_F(AmxPairs, FewRowsGoAsWithoutTiles) {
  PairedProduct many({30, 50, 300}, 64);
  JitGraph open(many.text(-1), pairTarget());
  EXPECT_EQ(many.run(open), many.run(JitGraph(many.text(30), pairTarget())));
  PairedProduct few({8, 50, 300}, 64);
  EXPECT_EQ(few.run(open), few.run(JitGraph(few.text(8), pairTarget(0))));
}
} // namespace
