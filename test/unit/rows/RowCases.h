// Rows of floats for tests of reductions and selections: numbers that decide
// nothing, ties, specials, and orders that are hard for a selection.
#ifndef TENON_TEST_UNIT_ROWS_ROWCASES_H
#define TENON_TEST_UNIT_ROWS_ROWCASES_H

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace tenon {

struct RowCase {
  std::string name;
  std::vector<float> row;
};

/// Rows of `width` elements.
inline std::vector<RowCase> rowCases(int64_t width, uint32_t seed) {
  std::mt19937 random(seed);
  constexpr float infinity = std::numeric_limits<float>::infinity(),
                  nan = std::numeric_limits<float>::quiet_NaN();
  std::normal_distribution<float> normal;
  auto draw = [&](auto element) {
    std::vector<float> row(width);
    for (int64_t i = 0; i < width; ++i)
      row[i] = element(i);
    return row;
  };
  auto rarely = [&](float special, unsigned one, float other) {
    return random() % one == 0 ? special : other;
  };
  return {
      {"normal", draw([&](int64_t) { return normal(random); })},
      {"rising", draw([&](int64_t i) { return float(i); })},
      {"falling", draw([&](int64_t i) { return -float(i); })},
      {"ties", draw([&](int64_t) { return float(random() % 5); })},
      {"zeros", draw([&](int64_t) { return rarely(-0.0f, 2, 0.0f); })},
      {"masked",
       draw([&](int64_t) { return rarely(normal(random), 100, -infinity); })},
      {"infinite",
       draw([&](int64_t) { return rarely(infinity, 2, normal(random)); })},
      {"one lane", draw([&](int64_t i) {
         return i % 256 == 3 ? 9 + normal(random) : 0.0f;
       })},
      {"some NaN",
       draw([&](int64_t) { return rarely(nan, 50, normal(random)); })},
      {"one NaN",
       draw([&](int64_t i) { return i == width / 2 ? nan : normal(random); })},
      {"all NaN", draw([&](int64_t) { return rarely(nan, 2, -nan); })},
  };
}

} // namespace tenon

#endif // TENON_TEST_UNIT_ROWS_ROWCASES_H
