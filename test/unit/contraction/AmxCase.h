// Products of a matrix and a weight for the tests of AMX: their text, packing,
// runs and expected results.
#ifndef TENON_TEST_UNIT_CONTRACTION_AMXCASE_H
#define TENON_TEST_UNIT_CONTRACTION_AMXCASE_H

#include "test/unit/contraction/JitGraph.h"

#include "gtest/gtest.h"
#include <initializer_list>
#include <limits>
#include <utility>

namespace tenon {

inline constexpr float infinity = std::numeric_limits<float>::infinity(),
                       quietNan = std::numeric_limits<float>::quiet_NaN();

struct Extents {
  int64_t rows, columns, sum;
};

/// A product of x and a weight w.
struct Product {
  Extents size;
  std::vector<float> x, w;

  explicit Product(Extents size, uint32_t seed = 1);

  float &left(int64_t row, int64_t k) { return x[row * size.sum + k]; }
  float &right(int64_t k, int64_t column) {
    return w[k * size.columns + column];
  }
  /// The sum in f64, and the sum of the magnitudes.
  std::pair<double, double> exact(int64_t row, int64_t column);
  /// The sum as targets without AMX compute it.
  float plain(int64_t row, int64_t column);
  /// The weight packed in panels.
  std::vector<float> panels();
};

/// The type of a tensor; an extent below zero is dynamic.
std::string dims(std::initializer_list<int64_t> extents,
                 const char *element = "f32");

/// The text of the product. `rows` < 0 means dynamic. `tail` adds a bias and
/// makes negative sums zero.
std::string textOf(Extents size, int64_t rows, bool tail = false);
std::vector<float> biasOf(Extents size);

/// x86-64-v4 with AMX; f32 is split into `parts` parts.
JitTarget amxTarget(int64_t parts);

/// Runs the graph of textOf(), `step` tasks at a time.
std::vector<float> run(const JitGraph &graph, Product &product,
                       int64_t step = 1000);
/// Runs the graph of textOf() with static rows; expects that it uses tiles.
std::vector<float> runOnce(Product &product, int64_t parts, int64_t step = 1);

bool sameBits(float a, float b);

/// Expects for every element the bits of other targets, or an error of at most
/// `perProduct` times the sum of its products' magnitudes, plus one least
/// denormal per product.
void expectErrors(Product &product, const std::vector<float> &found,
                  double perProduct);

/// The error bound of a plain chain of this many f32 products.
double plainError(Extents size);

/// Tests with tiles, of the processor or the emulator.
class AmxProduct : public testing::Test {
protected:
  void SetUp() override;
};

} // namespace tenon

#endif // TENON_TEST_UNIT_CONTRACTION_AMXCASE_H
