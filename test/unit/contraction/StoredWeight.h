// A random weight as products read it: panels of 16-bit floats, or of integers
// with scales.
#ifndef TENON_TEST_UNIT_CONTRACTION_STOREDWEIGHT_H
#define TENON_TEST_UNIT_CONTRACTION_STOREDWEIGHT_H

#include <cstdint>
#include <string>
#include <vector>

namespace tenon {

struct Form {
  int bits;
  int64_t group; ///< elements of a column that share a scale; 0: no scales
  const char *element, *scale;
  int64_t width = 16;   ///< columns of a panel
  bool special = false; ///< some columns have special numbers
};
inline constexpr Form halves{16, 0, "f16", ""}, bfloats{16, 0, "bf16", ""},
    bytes{8, 128, "i8", "f32"}, nibbles{4, 32, "i32", "bf16"};

/// Panels of random weights, including the padding of the last panel.
struct Weight {
  int64_t depth, columns;
  Form form;
  int64_t width = form.width, panels = (columns + width - 1) / width,
          lines = form.bits == 4 ? (depth + 7) / 8 : depth,
          groups = form.group ? (depth + form.group - 1) / form.group : 0;
  std::vector<float> drawn, scales;
  std::vector<float> stored, storedScales; ///< as stored in memory

  Weight(int64_t depth, int64_t columns, Form form);

  /// The number in column `w` of panel `p`, without its scale.
  float &at(int64_t p, int64_t k, int64_t w) {
    return drawn[(p * (depth + 8) + k) * width + w];
  }
  /// An element times its scale, exactly.
  double element(int64_t k, int64_t column);
  /// The sum of products with a row, as docs/numerics.md says.
  float sum(const float *row, int64_t column);

  /// The parameters of a function for the weight, `, %q: ..`, and the ops that
  /// make `%w` of them, which is [depth, columns] or, with `dim` 0, transposed.
  std::string parameters() const;
  std::string unpacked(int dim, const std::string &type) const;

private:
  void put(std::vector<char> &memory, int64_t p, int64_t k, int64_t w);
};

} // namespace tenon

#endif // TENON_TEST_UNIT_CONTRACTION_STOREDWEIGHT_H
