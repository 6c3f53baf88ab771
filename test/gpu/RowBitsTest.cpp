// Rows have the CPU's bits at widths around their lanes: sums, maxima, places
// of maxima, softmax and normalization, where memory is aligned and where it is
// not.
#include "test/gpu/KernelModule.h"

namespace tenon::test {

namespace {
/// Rows of one width, and what is computed of them.
struct Rows {
  int64_t count, width;
  const char *element = "f32";
  bool isOpen = false;         ///< the width is known only at run time
  std::vector<float> odd = {}; ///< some of the elements
};

void add(Module &module, const Rows &c) {
  std::string x = module.floats({c.count, c.width}, c.element, c.odd);
  int64_t width = c.width;
  if (c.isOpen) {
    module.openLastExtent(c.element);
    width = -1;
  }
  std::string whole = tensorType({c.count, width}, c.element),
              one = tensorType({c.count}, c.element),
              place = tensorType({c.count}, "i64"),
              scale = tensorType({width}, c.element);
  for (const char *kind : {"add", "multiply", "maximum"})
    module.result("tenon.reduce " + std::string(kind) + " " + x +
                      " over [1] : (" + whole + ") -> " + one,
                  one);
  for (const char *last : {"", " last"})
    module.result("tenon.arg_reduce minimum " + x + " over 1" + last + " : (" +
                      whole + ") -> " + place,
                  place);
  module.result("tenon.softmax " + x + " over 1 : " + whole, whole);
  std::string s = module.floats({c.width}, c.element);
  if (c.isOpen)
    module.openLastExtent(c.element);
  module.result("tenon.layer_norm " + x + ", " + s + ", " + s +
                    " axis 1 epsilon 1.0e-5 : (" + whole + ", " + scale + ", " +
                    scale + ") -> " + whole,
                whole);
}

class RowBits : public KernelBits {};

TEST_F(RowBits, WidthsAroundLanes) {
  for (size_t shift : {0, 1}) {
    Module module;
    int64_t count = 1;
    for (int64_t width :
         {1,  2,  3,  4,  5,  8,  12,  15,  16,  17,  31,  32, 33,
          60, 63, 64, 65, 66, 68, 100, 127, 128, 129, 192, 300})
      add(module, {.count = count++ % 7 + 1, .width = width});
    expectBits(module, WeightFormat::F32, shift);
  }
}

TEST_F(RowBits, HeldAndLongRows) {
  for (size_t shift : {0, 1}) {
    Module module;
    add(module, {.count = 17, .width = 1000});
    add(module, {.count = 16, .width = 1024});
    add(module, {.count = 9, .width = 1023});
    add(module, {.count = 5, .width = 1028});
    add(module, {.count = 3, .width = 2050});
    add(module, {.count = 2, .width = 8192});
    add(module, {.count = 3, .width = 8193});
    add(module, {.count = 1, .width = 12000});
    expectBits(module, WeightFormat::F32, shift);
  }
}

TEST_F(RowBits, WidthsKnownAtRunTime) {
  for (size_t shift : {0, 1}) {
    Module module;
    for (int64_t width : {1, 4, 7, 63, 64, 65, 300, 1024, 8196, 9001})
      add(module, {.count = 3, .width = width, .isOpen = true});
    expectBits(module, WeightFormat::F32, shift);
  }
}

TEST_F(RowBits, OtherTypes) {
  for (size_t shift : {0, 1}) {
    Module module;
    for (const char *element : {"f16", "bf16", "f64"})
      for (int64_t width : {3, 65, 300, 9001})
        add(module, {.count = 3, .width = width, .element = element});
    expectBits(module, WeightFormat::F32, shift);
  }
}

TEST_F(RowBits, OddNumbers) {
  Module module;
  for (float odd : {infinity, -infinity, nan, 3e38f, 1e-40f, -0.0f})
    for (int64_t width : {5, 64, 100, 1500})
      add(module, {.count = 9, .width = width, .odd = {odd}});
  add(module, {.count = 9, .width = 100, .odd = {infinity, -infinity, nan}});
  expectBits(module);
}

TEST_F(RowBits, Integers) {
  Module module;
  std::vector<int64_t> values(3 * 300);
  for (int64_t &value : values)
    value = int64_t(module.draws() % 7) - 3 + (int64_t(1) << 40);
  std::string x = module.input({3, 300}, "i64", TENON_I64, values);
  for (const char *kind : {"add", "maximum", "minimum"})
    module.result("tenon.reduce " + std::string(kind) + " " + x +
                      " over [1] : (tensor<3x300xi64>) -> tensor<3xi64>",
                  "tensor<3xi64>");
  std::string truth = module.value("tenon.convert " + x +
                                   " to i1 : (tensor<3x300xi64>) -> "
                                   "tensor<3x300xi1>");
  for (const char *kind : {"and", "or"})
    module.result("tenon.reduce " + std::string(kind) + " " + truth +
                      " over [1] : (tensor<3x300xi1>) -> tensor<3xi1>",
                  "tensor<3xi1>");
  for (const char *last : {"", " last"})
    module.result("tenon.arg_reduce maximum " + x + " over 1" + last +
                      " : (tensor<3x300xi64>) -> tensor<3xi64>",
                  "tensor<3xi64>");
  expectBits(module);
}

TEST_F(RowBits, PartsOfRows) {
  Module module;
  for (int64_t offset : {0, 1, 4}) {
    std::string x = module.floats({6, 80}, "f32");
    std::string part = module.value(
        "tenon.slice %i" + std::to_string(module.inputs.size() - 1) +
        " offsets [0, " + std::to_string(offset) +
        "] sizes [6, 64] strides [1, 1] : (tensor<6x80xf32>) -> "
        "tensor<6x64xf32>");
    module.result("tenon.softmax " + part + " over 1 : tensor<6x64xf32>",
                  "tensor<6x64xf32>");
  }
  expectBits(module);
}
} // namespace

} // namespace tenon::test
