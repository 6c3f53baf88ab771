// Tests integer and bool ops against 128-bit arithmetic: every pair of 8-bit
// values, and for wider types the values at which rules change.
#include "test/unit/elementwise/Elements.h"
#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace tenon {
namespace {

using Wide = __int128;
using Exact = std::function<Wide(const ElementType &, Wide, Wide)>;

Wide divide(const ElementType &, Wide a, Wide b) { return b ? a / b : -1; }
Wide remainder(const ElementType &, Wide a, Wide b) { return b ? a % b : a; }
Wide power(const ElementType &type, Wide a, Wide b) {
  if (b < 0)
    return a == 0 ? -1 : a == 1 ? 1 : a != -1 ? 0 : b % 2 ? -1 : 1;
  uint64_t product = 1, base = uint64_t(a);
  for (uint64_t n = uint64_t(b) & type.mask(); n; n >>= 1, base *= base)
    if (n & 1)
      product *= base;
  return Wide(product);
}
bool isInside(const ElementType &type, Wide amount) {
  return amount >= 0 && amount < type.width;
}
Wide shiftLeft(const ElementType &type, Wide a, Wide b) {
  return isInside(type, b) ? Wide(uint64_t(a) << int(b)) : 0;
}
Wide shiftLogical(const ElementType &type, Wide a, Wide b) {
  return isInside(type, b) ? Wide((uint64_t(a) & type.mask()) >> int(b)) : 0;
}
Wide shiftArithmetic(const ElementType &type, Wide a, Wide b) {
  unsigned up = 64 - type.width;
  int64_t value = int64_t(uint64_t(a) << up) >> up;
  return value >> (isInside(type, b) ? int(b) : 63);
}

struct Op {
  std::string text; ///< or "combine KIND"
  Exact exact;
  bool onBool, onInt;
};

std::vector<Op> allOps() {
  auto plain = [](Wide (*f)(Wide, Wide)) {
    return [f](const ElementType &, Wide a, Wide b) { return f(a, b); };
  };
  Exact sum = plain([](Wide a, Wide b) { return a + b; });
  Exact product = plain([](Wide a, Wide b) { return a * b; });
  Exact greater = plain([](Wide a, Wide b) { return std::max(a, b); });
  Exact lesser = plain([](Wide a, Wide b) { return std::min(a, b); });
  Exact both = plain([](Wide a, Wide b) { return a & b; });
  Exact either = plain([](Wide a, Wide b) { return a | b; });
  return {
      {"tenon.abs %a", plain([](Wide a, Wide) { return a < 0 ? -a : a; }),
       false, true},
      {"tenon.negate %a", plain([](Wide a, Wide) { return -a; }), false, true},
      {"tenon.sign %a",
       plain([](Wide a, Wide) { return Wide(a > 0) - (a < 0); }), false, true},
      {"tenon.not %a", plain([](Wide a, Wide) { return ~a; }), true, true},
      {"tenon.add %a, %b", sum, false, true},
      {"tenon.add %a, %b", either, true, false},
      {"tenon.subtract %a, %b", plain([](Wide a, Wide b) { return a - b; }),
       false, true},
      {"tenon.multiply %a, %b", product, true, true},
      {"tenon.divide %a, %b", divide, false, true},
      {"tenon.remainder %a, %b", remainder, false, true},
      {"tenon.power %a, %b", power, false, true},
      {"tenon.maximum %a, %b", greater, true, true},
      {"tenon.minimum %a, %b", lesser, true, true},
      {"tenon.and %a, %b", both, true, true},
      {"tenon.or %a, %b", either, true, true},
      {"tenon.xor %a, %b", plain([](Wide a, Wide b) { return a ^ b; }), true,
       true},
      {"tenon.shift_left %a, %b", shiftLeft, false, true},
      {"tenon.shift_right_logical %a, %b", shiftLogical, false, true},
      {"tenon.shift_right_arithmetic %a, %b", shiftArithmetic, false, true},
      {"tenon.compare eq %a, %b",
       plain([](Wide a, Wide b) { return Wide(a == b); }), true, true},
      {"tenon.compare ne %a, %b",
       plain([](Wide a, Wide b) { return Wide(a != b); }), true, true},
      {"tenon.compare lt %a, %b",
       plain([](Wide a, Wide b) { return Wide(a < b); }), true, true},
      {"tenon.compare le %a, %b",
       plain([](Wide a, Wide b) { return Wide(a <= b); }), true, true},
      {"tenon.compare gt %a, %b",
       plain([](Wide a, Wide b) { return Wide(a > b); }), true, true},
      {"tenon.compare ge %a, %b",
       plain([](Wide a, Wide b) { return Wide(a >= b); }), true, true},
      {"combine add", sum, false, true},
      {"combine add", either, true, false},
      {"combine multiply", product, true, true},
      {"combine maximum", greater, true, true},
      {"combine minimum", lesser, true, true},
      {"combine and", both, true, true},
      {"combine or", either, true, true},
  };
}

/// The pairs to test for a type, padded to whole vectors.
std::vector<Bits> pairsOf(const ElementType &type) {
  Bits left, right;
  auto add = [&](uint64_t a, uint64_t b) {
    left.push_back(a & type.mask()), right.push_back(b & type.mask());
  };
  if (type.width <= 8) {
    for (uint64_t a = 0; a <= type.mask(); ++a)
      for (uint64_t b = 0; b <= type.mask(); ++b)
        add(a, b);
  } else {
    std::mt19937_64 random(7);
    Bits values{0,
                1,
                2,
                3,
                7,
                31,
                32,
                63,
                64,
                65,
                type.width - 1,
                type.width,
                type.least(),
                type.least() + 1,
                type.greatest(),
                type.greatest() - 1};
    for (size_t i = 0, n = values.size(); i < n; ++i)
      values.push_back(-values[i]);
    for (int i = 0; i < 24; ++i)
      values.push_back(random() >> (i * 2));
    for (uint64_t a : values)
      for (uint64_t b : values)
        add(a, b);
  }
  while (left.size() % 16)
    add(0, 0);
  return {left, right};
}

class IntegerOps : public testing::TestWithParam<const char *> {};

TEST_P(IntegerOps, EqualWideArithmetic) {
  ElementType type(GetParam());
  bool isBool = type.width == 1;
  std::vector<Op> ops;
  std::vector<KernelSpec> specs;
  for (Op &op : allOps()) {
    if (!(isBool ? op.onBool : op.onInt))
      continue;
    bool isUnary = op.text.find("%b") == std::string::npos;
    bool isCompare = op.text.find("compare") != std::string::npos;
    KernelSpec spec{
        op.text, {type.name, type.name}, isCompare ? "i1" : type.name};
    if (op.text.starts_with("combine "))
      spec.text.clear(), spec.combine = op.text.substr(8);
    else if (isUnary)
      spec.operands.pop_back();
    specs.push_back(spec);
    ops.push_back(op);
  }
  JitKernels kernels(specs, runnableTargets().front());
  std::vector<Bits> pairs = pairsOf(type);
  for (size_t op = 0; op < ops.size(); ++op) {
    ElementType result(specs[op].result);
    std::vector<Bits> inputs = pairs;
    inputs.resize(specs[op].operands.size());
    for (Form form : allForms) {
      Bits got = runBits(kernels, op, form, specs[op], inputs);
      for (size_t i = 0; i < got.size(); ++i) {
        Wide a = type.value(pairs[0][i]), b = type.value(pairs[1][i]);
        uint64_t want = uint64_t(ops[op].exact(type, a, b)) & result.mask();
        ASSERT_EQ(got[i], want)
            << ops[op].text << " on " << type.name << ", form " << form << ": "
            << int64_t(a) << ", " << int64_t(b);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllTypes, IntegerOps,
                         testing::Values("i1", "i8", "i16", "i32", "i64", "ui8",
                                         "ui16", "ui32", "ui64"));

TEST(SelectAndClamp, ChooseAndLimit) {
  std::vector<KernelSpec> specs{
      {"tenon.select %a, %b, %c", {"i1", "i16", "i16"}, "i16"},
      {"tenon.select %a, %b, %c", {"i1", "bf16", "bf16"}, "bf16"},
      {"tenon.select %a, %b, %c", {"i1", "i1", "i1"}, "i1"},
      {"tenon.clamp %a, %b, %c", {"ui8", "ui8", "ui8"}, "ui8"},
      {"tenon.clamp %a, %b, %c", {"i8", "i8", "i8"}, "i8"},
      {"tenon.clamp %a, %b, %c", {"f32", "f32", "f32"}, "f32"},
  };
  JitKernels kernels(specs, runnableTargets().back());
  auto f = [](float value) { return uint64_t(std::bit_cast<uint32_t>(value)); };
  struct Case {
    size_t spec;
    uint64_t a, b, c, want;
  } cases[] = {
      {0, 1, 7, 9, 7},
      {0, 0, 7, 9, 9},
      {1, 1, 0x7f81, 2, 0x7f81},
      {1, 0, 1, 0xffc3, 0xffc3},
      {2, 1, 0, 1, 0},
      {2, 0, 0, 1, 1},
      {3, 10, 200, 100, 100},
      {3, 10, 5, 100, 10},
      {4, 0xf6, 200, 100, 0xf6},
      {4, 10, 50, 100, 50},
      {5, f(-1), f(-2), f(1), f(-1)},
      {5, f(-1), f(0.5f), f(1), f(0.5f)},
      {5, f(2), f(5), f(1), f(1)},
  };
  for (const Case &c : cases)
    for (Form form : allForms) {
      Bits got = runBits(kernels, c.spec, form, specs[c.spec],
                         {Bits(16, c.a), Bits(16, c.b), Bits(16, c.c)});
      EXPECT_EQ(got, Bits(16, c.want))
          << specs[c.spec].text << " on " << specs[c.spec].result << " " << c.a
          << ", " << c.b << ", " << c.c;
    }
}

} // namespace
} // namespace tenon
