// Products of a matrix and a weight for the tests of AMX: texts, packing, runs,
// and what they are compared with.
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

/// x times a weight w, and what they come to.
struct Product {
  Extents size;
  std::vector<float> x, w;

  explicit Product(Extents size, uint32_t seed = 1);

  float &left(int64_t row, int64_t k) { return x[row * size.sum + k]; }
  float &right(int64_t k, int64_t column) {
    return w[k * size.columns + column];
  }
  /// The sum in f64, and that of the magnitudes.
  std::pair<double, double> exact(int64_t row, int64_t column);
  /// The sum as targets without AMX have it.
  float plain(int64_t row, int64_t column);
  /// The weight as it is packed.
  std::vector<float> panels();
};

/// The type of a tensor; an extent below zero is not known.
std::string dims(std::initializer_list<int64_t> extents,
                 const char *element = "f32");

/// `rows` < 0: not known. With `tail` a bias is added and negative sums become
/// zero.
std::string textOf(Extents size, int64_t rows, bool tail = false);
std::vector<float> biasOf(Extents size);

/// x86-64-v4 with AMX, and f32 split into so many parts.
JitTarget amxTarget(int64_t parts);

/// Runs textOf(), `step` tasks at a time.
std::vector<float> run(const JitGraph &graph, Product &product,
                       int64_t step = 1000);
std::vector<float> runOnce(Product &product, int64_t parts, int64_t step = 1);

bool sameBits(float a, float b);

/// Every element has the bits of other targets or an error of at most
/// `perProduct` of each product's magnitude, and of the least denormal.
void expectErrors(Product &product, const std::vector<float> &found,
                  double perProduct);

/// What a plain chain of as many f32 products promises.
double plainError(Extents size);

/// Tests with tiles, the processor's or the emulator's.
class AmxProduct : public testing::Test {
protected:
  void SetUp() override;
};

} // namespace tenon

#endif // TENON_TEST_UNIT_CONTRACTION_AMXCASE_H
