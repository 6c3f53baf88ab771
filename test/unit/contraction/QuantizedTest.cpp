// Tests products with quantized weights against docs/numerics.md, bit by bit. A
// weight of f16 or bf16 is used as f32. Integer weights are summed in one chain
// per group; each sum times its scale is added by one multiply-add.
#include "test/unit/contraction/ContractionCase.h"

#include "llvm/ADT/APFloat.h"

#include "gtest/gtest.h"
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

using namespace tenon;

namespace {
struct Form {
  int bits;
  int64_t group;
  const char *element, *scale;
  int64_t width = 16;   ///< columns of a panel
  bool special = false; ///< some columns have special numbers
};
constexpr Form halves{16, 0, "f16", ""}, bfloats{16, 0, "bf16", ""},
    bytes{8, 128, "i8", "f32"}, nibbles{4, 32, "i32", "bf16"};

std::string shape(std::initializer_list<int64_t> dims, const char *element) {
  std::string text = "tensor<";
  for (int64_t dim : dims)
    text += std::to_string(dim) + "x";
  return text + element + ">";
}

float asBfloat(float x) {
  return std::bit_cast<float>(std::bit_cast<uint32_t>(x) & 0xffff0000u);
}

/// The f16 nearest to `x`, as LLVM's arithmetic rounds it.
llvm::APFloat asHalf(float x) {
  llvm::APFloat half(x);
  bool lost;
  half.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven,
               &lost);
  return half;
}

/// Numbers that conversions treat in a way of their own: denormal f16 numbers,
/// the greatest one, infinities and NaN.
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float specials[] = {
    0x1p-24f,  -0x1p-24f, 0x3ffp-24f,
    -0x1p-14f, 65504.0f,  -0.0f,
    infinity,  -infinity, std::numeric_limits<float>::quiet_NaN()};

/// Panels of random weights, including the padding of the last panel.
struct Weight {
  int64_t depth, columns;
  Form form;
  int64_t width = form.width, panels = (columns + width - 1) / width,
          lines = form.bits == 4 ? (depth + 7) / 8 : depth,
          groups = form.group ? (depth + form.group - 1) / form.group : 0;
  std::vector<float> drawn = randomFloats(panels * (depth + 8) * width, 5),
                     scales = randomFloats(panels * groups * width, 9);
  std::vector<float> stored, storedScales; ///< as stored in memory

  Weight(int64_t depth, int64_t columns, Form form)
      : depth(depth), columns(columns), form(form) {
    int64_t bits = form.bits == 4 ? 32 : form.bits;
    std::vector<char> memory(panels * lines * width * bits / 8 + 4);
    for (int64_t p = 0; p < panels; ++p)
      for (int64_t k = 0; k < (form.bits == 4 ? lines * 8 : depth); ++k)
        for (int64_t w = 0; w < width; ++w)
          put(memory, p, k, w);
    stored.resize(memory.size() / 4);
    std::memcpy(stored.data(), memory.data(), stored.size() * 4);
    std::vector<char> half;
    for (float &scale : scales)
      if (form.bits == 4) {
        scale = asBfloat(scale);
        auto bits = uint16_t(std::bit_cast<uint32_t>(scale) >> 16);
        half.insert(half.end(), (char *)&bits, (char *)&bits + 2);
      }
    storedScales = scales;
    if (form.bits == 4)
      std::memcpy(storedScales.data(), half.data(), half.size());
  }

  float &at(int64_t p, int64_t k, int64_t w) {
    return drawn[(p * (depth + 8) + k) * width + w];
  }
  void put(std::vector<char> &memory, int64_t p, int64_t k, int64_t w) {
    float &value = at(p, k, w);
    if (form.bits == 16) {
      uint16_t bits;
      if (std::string_view(form.element) == "f16") {
        if (form.special && (k + w) % 5 == 0)
          value = specials[w % std::size(specials)];
        llvm::APFloat half = asHalf(value);
        bits = uint16_t(half.bitcastToAPInt().getZExtValue());
        value = half.convertToFloat();
      } else {
        value = asBfloat(value);
        bits = uint16_t(std::bit_cast<uint32_t>(value) >> 16);
      }
      std::memcpy(&memory[((p * depth + k) * width + w) * 2], &bits, 2);
    } else if (form.bits == 8) {
      value = std::trunc(value * 63);
      memory[(p * depth + k) * width + w] = char(int8_t(value));
    } else {
      value = std::floor(value * 3.999f);
      uint32_t word;
      char *place = &memory[((p * lines + k / 8) * width + w) * 4];
      std::memcpy(&word, place, 4);
      word |= (uint32_t(int32_t(value)) & 15u) << (k % 8 * 4);
      std::memcpy(place, &word, 4);
    }
  }
  float sum(const float *row, int64_t column) {
    int64_t p = column / width, w = column % width,
            block = form.group    ? form.group
                    : depth > 128 ? 128
                                  : depth;
    float total = 0;
    for (int64_t k = 0; k < depth; k += block) {
      float part = 0;
      for (int64_t i = k; i < std::min(depth, k + block); ++i)
        part = std::fma(row[i], at(p, i, w), part);
      if (form.group)
        total =
            std::fma(part, scales[(p * groups + k / block) * width + w], total);
      else
        total = depth > 128 ? total + part : part;
    }
    return total;
  }
};

Case product(int64_t rows, int64_t columns, int64_t depth, Form form,
             bool transposed = false, Unknown unknown = Unknown::None) {
  Weight weight(depth, columns, form);
  int64_t width = form.width;
  std::string name =
      numbered(form.element, {rows, columns, depth, width, transposed,
                              unknown == Unknown::None, form.special});
  Case test{name, {}, {}, {}, {rows, columns}, {}};
  test.inputs = {randomFloats(rows * depth, 3), weight.stored};
  test.dims = {{rows, depth}, {weight.panels, weight.lines, width}};
  if (form.group) {
    test.inputs.push_back(weight.storedScales);
    test.dims.push_back({weight.panels, weight.groups, width});
  }
  for (int64_t m = 0; m < rows; ++m)
    for (int64_t n = 0; n < columns; ++n)
      test.expected.push_back(weight.sum(&test.inputs[0][m * depth], n));
  std::string x = type({rows, depth}, unknown),
              y = type({rows, columns}, unknown),
              q = shape({weight.panels, weight.lines, width}, form.element),
              s = shape({weight.panels, weight.groups, width}, form.scale),
              p = shape({weight.panels, depth, width}, "f32"),
              w = transposed ? type({columns, depth}) : type({depth, columns});
  std::string scaled = form.group ? ", " + s : "";
  test.text =
      "func.func @" + name + "(%x: " + x + ", %q: " + q +
      (form.group ? ", %s: " + s : "") + ") -> " + y +
      " {\n  %p = tenon.dequantize %q" +
      (form.group ? " scales %s group " + std::to_string(form.group) : "") +
      " : (" + q + scaled + ") -> " + p + "\n  %w = tenon.unpack %p dim " +
      (transposed ? "0" : "1") + " extent " + std::to_string(columns) + " : (" +
      p + ") -> " + w +
      "\n  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [" +
      (transposed ? "1" : "0") + "] : (" + x + ", " + w + ") -> " + y +
      "\n  return %0 : " + y + "\n}\n";
  return test;
}

/// Depths that end within a word, a group and a block; panels of one vector,
/// and panels wider than some tiles.
std::vector<Case> cases(Form form) {
  std::vector<Case> result;
  const Dims depths{1, 7, 32, 45, 130, 300};
  for (auto [width, columns] :
       {std::pair{16, Dims{1, 15, 16, 17, 50, 150}},
        {form.bits == 4 ? 96 : 64, Dims{1, 24, 63, 64, 97, 150}}}) {
    form.width = width;
    size_t n = 0;
    for (int64_t rows : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 33})
      for (int i = 0; i < 3; ++i, ++n)
        result.push_back(product(rows, columns[n % columns.size()],
                                 depths[(n + n / 6) % depths.size()], form,
                                 n % 2));
    for (int64_t rows : {1, 2, 5, 9, 16, 17, 33})
      result.push_back(product(rows, 150, 300, form, false, Unknown::Rows));
  }
  return result;
}
} // namespace

TEST(Quantized, Halves) { check(cases(halves)); }

TEST(Quantized, SpecialHalves) {
  Form form = halves;
  form.special = true;
  std::vector<Case> tests;
  for (int64_t rows : {1, 3, 9})
    tests.push_back(product(rows, 150, 300, form));
  // The bits that are required are near the sums in double.
  Weight weight(300, 150, form);
  for (Case &test : tests)
    for (size_t i = 0; i < test.expected.size(); ++i) {
      int64_t column = int64_t(i) % 150;
      double sum = 0, magnitude = 0;
      for (int64_t k = 0; k < 300; ++k) {
        double product = double(test.inputs[0][int64_t(i) / 150 * 300 + k]) *
                         weight.at(column / 16, k, column % 16);
        sum += product;
        magnitude += std::fabs(product);
      }
      if (std::isfinite(magnitude))
        EXPECT_NEAR(test.expected[i], sum, 300 * 0x1p-24 * magnitude);
      else
        EXPECT_EQ(std::isnan(test.expected[i]), std::isnan(sum));
    }
  check(std::move(tests));
}

TEST(Quantized, Bfloats) { check(cases(bfloats)); }

TEST(Quantized, Bytes) { check(cases(bytes)); }

TEST(Quantized, Nibbles) { check(cases(nibbles)); }

TEST(Quantized, PanelsThatLeaveTheSecondCache) {
  check({product(21, 50, 34000, bytes), product(21, 50, 68000, nibbles),
         product(21, 50, 17000, bfloats), product(21, 50, 17000, halves)});
}
