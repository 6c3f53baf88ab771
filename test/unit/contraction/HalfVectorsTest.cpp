// Columns in panels that end in half a vector, for which two rows of a tile
// share a register: whatever the rows, the width of a vector and the depth,
// each sum has the bits of one chain, or of blocks of 128.
#include "test/unit/contraction/ContractionCase.h"

#include "gtest/gtest.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace tenon;

namespace {
constexpr int64_t width = 16, block = 128;
/// Rows that show in the run only.
constexpr int64_t unknown = -1;

template <typename T> const char *const nameOf = "f32";
template <> const char *const nameOf<double> = "f64";

template <typename T> std::string tensor(const Dims &dims) {
  std::string text = type(dims, dims[0] < 0 ? Unknown::Rows : Unknown::None);
  return text.replace(text.find("f32"), 3, nameOf<T>);
}

template <typename T>
std::vector<T> randomNumbers(int64_t size, uint32_t seed) {
  std::vector<float> numbers = randomFloats(size, seed);
  std::vector<T> result(numbers.begin(), numbers.end());
  for (int64_t i = 0; i < size; ++i) // f64 has more bits than a float
    result[i] *= 1 + T(i % 97) * T(0x1p-40);
  return result;
}

/// A product by a weight in panels. With `drained` the magnitudes of its sums,
/// which are computed after them, from the stack.
template <typename T> struct Product {
  int64_t rows, columns, depth;
  bool drained;

  std::string name() const {
    return numbered(drained ? "drained" : "plain",
                    {std::abs(rows), columns, depth}) +
           (rows < 0 ? "_unknown" : "");
  }
  Dims panels() const { return {(columns + width - 1) / width, depth, width}; }
  std::string text() const;
  T expected(const T *row, const T *weight, int64_t column) const;
  void check(const JitGraph &graph, int64_t count) const;
};

template <typename T> std::string Product<T>::text() const {
  std::string x = tensor<T>({rows, depth}), p = tensor<T>(panels()),
              y = tensor<T>({depth, columns}), z = tensor<T>({rows, columns});
  return "func.func @" + name() + "(%x: " + x + ", %p: " + p + ") -> " + z +
         " {\n  %y = tenon.unpack %p dim 1 extent " + std::to_string(columns) +
         " : (" + p + ") -> " + y +
         "\n  %0 = tenon.dot_general %x, %y batch [] x [] contract [1] x [0]"
         " : (" +
         x + ", " + y + ") -> " + z +
         (drained ? "\n  %1 = tenon.abs %0 : (" + z + ") -> " + z +
                        "\n  return %1 : "
                  : "\n  return %0 : ") +
         z + "\n}\n";
}

template <typename T>
T Product<T>::expected(const T *row, const T *weight, int64_t column) const {
  T sum = 0, part = 0;
  for (int64_t k = 0; k < depth; ++k) {
    part = std::fma(row[k], weight[k * columns + column], part);
    if (depth <= block)
      continue;
    if ((k + 1) % block == 0 || k + 1 == depth) {
      sum += part;
      part = 0;
    }
  }
  T result = depth <= block ? part : sum;
  return drained ? std::abs(result) : result;
}

template <typename T>
void Product<T>::check(const JitGraph &graph, int64_t count) const {
  std::vector<T> x = randomNumbers<T>(count * depth, 1),
                 weight = randomNumbers<T>(depth * columns, 2),
                 packed(tenon::count(panels()),
                        std::numeric_limits<T>::quiet_NaN());
  for (int64_t n = 0; n < columns; ++n)
    for (int64_t k = 0; k < depth; ++k)
      packed[(n / width * depth + k) * width + n % width] =
          weight[k * columns + n];
  // What is behind the end stays as it is.
  constexpr T behind = 12345;
  std::vector<T> result(count * columns + width, behind);
  graph.run(name(), {{x.data(), {count, depth}}, {packed.data(), panels()}},
            {result.data(), {count, columns}});
  for (int64_t i = 0; i < count * columns; ++i) {
    T wanted = expected(&x[i / columns * depth], weight.data(), i % columns);
    if (wanted == result[i])
      continue;
    ADD_FAILURE() << name() << ", row " << i / columns << " of " << count
                  << ", column " << i % columns << ": expected " << wanted
                  << ", got " << result[i];
    break;
  }
  EXPECT_TRUE(std::all_of(result.end() - width, result.end(), [](T number) {
    return number == behind;
  })) << name();
}

/// Compiles products of all these columns for one target.
template <typename T>
void checkColumns(const JitTarget &target, const std::vector<int64_t> &all) {
  SCOPED_TRACE(target.cpu);
  const std::vector<int64_t> known{1, 2, 3, 5, 7, 9},
      inRun{1, 2, 3, 4, 5, 6, 7, 9, 13, 27};
  std::vector<Product<T>> products;
  for (int64_t columns : all)
    for (int64_t depth : {5, 64, 300}) {
      for (int64_t rows : known)
        products.push_back({rows, columns, depth, false});
      products.push_back({unknown, columns, depth, false});
      products.push_back({9, columns, depth, true});
    }
  std::string text;
  for (const Product<T> &product : products)
    text += product.text();
  JitGraph graph(text, target);
  for (const Product<T> &product : products) {
    if (product.rows != unknown) {
      product.check(graph, product.rows);
      continue;
    }
    for (int64_t rows : inRun)
      product.check(graph, rows);
  }
}

void checkTarget(int64_t vectorBytes, auto check) {
  for (const JitTarget &target : jitTargets())
    if (target.vectorBytes == vectorBytes)
      return check(target);
  GTEST_SKIP() << "no vectors of " << vectorBytes << " bytes";
}
} // namespace

TEST(HalfVectors, OfEight) {
  checkTarget(32, [](const JitTarget &target) {
    checkColumns<float>(target, {12, 20, 28});
  });
  checkTarget(64, [](const JitTarget &target) {
    checkColumns<double>(target, {12, 20, 28});
  });
}

TEST(HalfVectors, OfSixteen) {
  checkTarget(64, [](const JitTarget &target) {
    checkColumns<float>(target, {20, 24, 40, 56, 88, 120});
  });
}
