// Tests attention against its definition in f64, with odd sizes, orders, masks
// and values that are not finite. Results must have equal bits for all vector
// widths and task ranges, and must not depend on other rows or on masked keys.
#include "test/unit/contraction/JitGraph.h"
#include "test/unit/contraction/Tensors.h"

#include "gtest/gtest.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>

using namespace tenon;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

enum class Mask { None, Added, AddedPerKey, Bools };

struct Case {
  std::string name;
  int64_t batch = 1, heads = 1, sharedHeads = 1, rows = 1, keys = 1, depth = 8,
          valueDepth = 8;
  Dims queryOrder{0, 1, 2, 3}, keyOrder{0, 1, 2, 3}, valueOrder{0, 1, 2, 3},
      resultOrder{0, 1, 2, 3};
  Mask mask = Mask::None;
  std::optional<int64_t> causal;
  float fill = -1e9f;
  double scale = 0.25;
  bool unknown = false;        ///< batch, rows and keys are dynamic
  const char *element = "f32"; ///< element type of the op
  double tolerance = 4e-6;

  std::vector<float> query, key, value, added;
  std::vector<char> bools;

  Dims queryDims() const { return {batch, heads, rows, depth}; }
  Dims keyDims() const { return {batch, sharedHeads, keys, depth}; }
  Dims valueDims() const { return {batch, sharedHeads, keys, valueDepth}; }
  Dims resultDims() const { return {batch, heads, rows, valueDepth}; }
  Dims maskDims() const {
    if (mask == Mask::AddedPerKey)
      return {batch, 1, 1, keys};
    return {1, heads, rows, keys};
  }
};

/// Converts extents from the order of the definition to the tensor's order.
Dims placed(const Dims &dims, const Dims &order) {
  Dims result(dims.size());
  for (size_t i = 0; i < dims.size(); ++i)
    result[order[i]] = dims[i];
  return result;
}

/// The linear index of an element of a tensor.
int64_t place(const Dims &dims, const Dims &order, const Dims &index) {
  Dims shape = placed(dims, order), at = placed(index, order);
  int64_t result = 0;
  for (size_t i = 0; i < shape.size(); ++i)
    result = result * shape[i] + at[i];
  return result;
}

const Dims straight{0, 1, 2, 3};

/// The expected row, with weights from exact scores.
std::vector<double> expectedRow(const Case &c, int64_t b, int64_t h,
                                int64_t r) {
  int64_t shared = h / (c.heads / c.sharedHeads);
  std::vector<double> scores;
  double greatest = -infinity, sum = 0;
  for (int64_t k = 0; k < c.keys; ++k) {
    double score = 0;
    for (int64_t d = 0; d < c.depth; ++d)
      score +=
          double(c.query[place(c.queryDims(), c.queryOrder, {b, h, r, d})]) *
          c.key[place(c.keyDims(), c.keyOrder, {b, shared, k, d})];
    score *= c.scale;
    Dims at = c.mask == Mask::AddedPerKey ? Dims{b, 0, 0, k} : Dims{0, h, r, k};
    if ((c.causal && k > r + *c.causal) ||
        (c.mask == Mask::Bools && !c.bools[place(c.maskDims(), straight, at)]))
      score = c.fill;
    if (c.mask == Mask::Added || c.mask == Mask::AddedPerKey)
      score += c.added[place(c.maskDims(), straight, at)];
    scores.push_back(score);
    greatest = std::isnan(score) || score > greatest ? score : greatest;
  }
  for (double &score : scores)
    sum += score = std::exp(score - greatest);
  std::vector<double> row(c.valueDepth);
  for (int64_t d = 0; d < c.valueDepth; ++d)
    for (int64_t k = 0; k < c.keys; ++k)
      row[d] += scores[k] / sum *
                c.value[place(c.valueDims(), c.valueOrder, {b, shared, k, d})];
  return row;
}

/// `open` are the dynamic dimensions, in the order of the definition.
std::string type(const Dims &dims, const Dims &order, const Dims &open,
                 const char *element = "f32") {
  std::vector<std::string> extents(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    bool hidden = std::find(open.begin(), open.end(), i) != open.end();
    extents[order[i]] = hidden ? "?" : std::to_string(dims[i]);
  }
  std::string text = "tensor<";
  for (const std::string &extent : extents)
    text += extent + "x";
  return text + element + ">";
}

std::string textOf(const Case &c) {
  Dims open = c.unknown ? Dims{0, 2} : Dims{};
  Dims openMask = c.unknown ? Dims{0, 2, 3} : Dims{};
  if (c.unknown && c.mask == Mask::AddedPerKey)
    openMask = {0, 3};
  else if (c.unknown && c.mask != Mask::None)
    openMask = {2, 3};
  std::string query = type(c.queryDims(), c.queryOrder, open),
              key = type(c.keyDims(), c.keyOrder, open),
              value = type(c.valueDims(), c.valueOrder, open),
              result = type(c.resultDims(), c.resultOrder, open);
  const char *element = c.mask == Mask::Bools ? "i1" : "f32";
  std::string mask = type(c.maskDims(), straight, openMask, element);
  Dims scores{c.batch, c.heads, c.rows, c.keys};
  std::string full =
      type(scores, straight, c.unknown ? Dims{0, 2, 3} : Dims{}, element);
  bool masked = c.mask != Mask::None;
  std::string text = "func.func @" + c.name + "(%q: " + query + ", %k: " + key +
                     ", %v: " + value + (masked ? ", %m: " + mask : "") +
                     ") -> " + result + " {\n";
  auto extent = [&](const char *name, const char *of, int64_t dim) {
    std::string constant = std::string(name) + "c";
    text += "  " + constant + " = arith.constant " + std::to_string(dim) +
            " : index\n  " + name + " = tensor.dim " + of + ", " + constant +
            " : " + (of == std::string("%q") ? query : key) + "\n";
  };
  if (masked && c.unknown) {
    extent("%b", "%q", c.queryOrder[0]);
    extent("%r", "%q", c.queryOrder[2]);
    extent("%s", "%k", c.keyOrder[2]);
  }
  if (masked)
    text += "  %w = tenon.broadcast_in_dim %m dims [0, 1, 2, 3] sizes " +
            (c.unknown ? "[%b, " + std::to_string(c.heads) + ", %r, %s]"
                       : list(scores)) +
            " : (" + mask + (c.unknown ? ", index, index, index" : "") +
            ") -> " + full + "\n";
  if (c.causal)
    text += "  %c = arith.constant " + std::to_string(*c.causal) + " : index\n";
  bool narrow = std::strcmp(c.element, "f32") != 0;
  auto as = [&](const Dims &dims, const Dims &order) {
    return type(dims, order, open, c.element);
  };
  std::string opQuery = as(c.queryDims(), c.queryOrder),
              opKey = as(c.keyDims(), c.keyOrder),
              opValue = as(c.valueDims(), c.valueOrder),
              opResult = as(c.resultDims(), c.resultOrder);
  auto convert = [&](const char *name, const char *from, std::string to,
                     const std::string &source, const std::string &target) {
    text += std::string("  ") + name + " = tenon.convert " + from + " to " +
            to + " : (" + source + ") -> " + target + "\n";
  };
  if (narrow) {
    convert("%nq", "%q", c.element, query, opQuery);
    convert("%nk", "%k", c.element, key, opKey);
    convert("%nv", "%v", c.element, value, opValue);
  }
  char fill[64], scale[64];
  std::snprintf(fill, sizeof fill, "%.9e", double(c.fill));
  std::snprintf(scale, sizeof scale, "%.17e", c.scale);
  if (std::isinf(c.fill))
    std::strcpy(fill, "0xFFF0000000000000");
  text +=
      std::string(narrow ? "  %0 = tenon.attention %nq, %nk, %nv"
                         : "  %0 = tenon.attention %q, %k, %v") +
      (masked ? " mask %w" : "") + (c.causal ? " causal %c" : "") +
      (c.causal || c.mask == Mask::Bools ? std::string(" fill ") + fill : "") +
      " order " + list(c.queryOrder) + " x " + list(c.keyOrder) + " x " +
      list(c.valueOrder) + " to " + list(c.resultOrder) + " scale " + scale +
      " : (" + opQuery + ", " + opKey + ", " + opValue +
      (masked ? ", " + full : "") + (c.causal ? ", index" : "") + ") -> " +
      opResult + "\n";
  if (narrow)
    convert("%1", "%0", "f32", opResult, result);
  text += std::string("  return ") + (narrow ? "%1" : "%0") + " : " + result +
          "\n}\n";
  return text;
}

void draw(Case &c, uint32_t seed = 1) {
  c.query = randomFloats(count(c.queryDims()), seed);
  c.key = randomFloats(count(c.keyDims()), seed + 1);
  c.value = randomFloats(count(c.valueDims()), seed + 2);
  c.added = randomFloats(count(c.maskDims()), seed + 3);
  c.bools.clear();
  for (float number : randomFloats(count(c.maskDims()), seed + 4))
    c.bools.push_back(number > -1);
}

std::vector<float> run(const JitGraph &graph, Case &c, int64_t step) {
  // Guard elements after the end, which no kernel may write.
  int64_t size = count(c.resultDims());
  std::vector<float> result(size + 64, 12345.0f);
  std::vector<JitTensor> inputs = {
      {c.query.data(), placed(c.queryDims(), c.queryOrder)},
      {c.key.data(), placed(c.keyDims(), c.keyOrder)},
      {c.value.data(), placed(c.valueDims(), c.valueOrder)}};
  if (c.mask == Mask::Bools)
    inputs.push_back({c.bools.data(), c.maskDims()});
  else if (c.mask != Mask::None)
    inputs.push_back({c.added.data(), c.maskDims()});
  graph.run(c.name, inputs,
            {result.data(), placed(c.resultDims(), c.resultOrder)}, step);
  for (int64_t i = size; i < int64_t(result.size()); ++i)
    EXPECT_EQ(result[i], 12345.0f) << c.name << ": written past the end";
  result.resize(size);
  return result;
}

bool sameBits(const std::vector<float> &a, const std::vector<float> &b) {
  if (a.size() != b.size())
    return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!(std::isnan(a[i]) && std::isnan(b[i])) &&
        std::memcmp(&a[i], &b[i], sizeof(float)) != 0)
      return false;
  return true;
}

void compare(const Case &c, const std::vector<float> &result) {
  for (int64_t b = 0; b < c.batch; ++b)
    for (int64_t h = 0; h < c.heads; ++h)
      for (int64_t r = 0; r < c.rows; ++r) {
        std::vector<double> expected = expectedRow(c, b, h, r);
        for (int64_t d = 0; d < c.valueDepth; ++d) {
          float got =
              result[place(c.resultDims(), c.resultOrder, {b, h, r, d})];
          if (std::isnan(expected[d]))
            ASSERT_TRUE(std::isnan(got))
                << c.name << " row " << r << ": " << got;
          else
            ASSERT_NEAR(got, expected[d], c.tolerance)
                << c.name << " row " << r;
        }
      }
}

/// Expects equal and correct bits for all targets and task ranges. Returns the
/// results, in the order of the cases.
std::vector<std::vector<float>> check(std::vector<Case> cases) {
  std::string text;
  for (const Case &c : cases)
    text += textOf(c);
  std::vector<std::vector<float>> first;
  for (JitTarget target : jitTargets()) {
    JitGraph graph(text, target);
    for (size_t i = 0; i < cases.size(); ++i)
      for (int64_t step : {1, 3}) {
        std::vector<float> result = run(graph, cases[i], step);
        if (first.size() == i) {
          compare(cases[i], result);
          first.push_back(result);
        }
        EXPECT_TRUE(sameBits(first[i], result))
            << cases[i].name << " on " << target.cpu << ", tasks by " << step;
      }
  }
  return first;
}

Case sized(std::string name, int64_t rows, int64_t keys, int64_t depth,
           int64_t valueDepth) {
  Case c;
  c.name = name;
  c.rows = rows;
  c.keys = keys;
  c.depth = depth;
  c.valueDepth = valueDepth;
  c.heads = c.sharedHeads = 2;
  draw(c);
  return c;
}

TEST(Attention, OddSizes) {
  std::vector<Case> cases;
  for (int64_t rows : {1, 6, 13, 131})
    for (int64_t keys : {1, 65, 192, 200})
      cases.push_back(sized("f" + std::to_string(cases.size()), rows, keys,
                            rows % 2 ? 17 : 64, keys % 2 ? 64 : 21));
  // The exponentials of the next tile are computed during part of the values'
  // columns.
  cases.push_back(sized("wide", 43, 130, 16, 136));
  check(cases);
}

TEST(Attention, NoKeysAverageToZero) { check({sized("none", 7, 0, 8, 8)}); }

TEST(Attention, UnknownExtents) {
  std::vector<Case> cases;
  for (int64_t rows : {0, 1, 7, 70})
    for (int64_t keys : {0, 1, 63, 64, 130}) {
      Case c = sized("f" + std::to_string(cases.size()), rows, keys, 20, 40);
      c.unknown = true;
      c.batch = 2;
      c.mask = rows == 7    ? Mask::AddedPerKey
               : rows == 70 ? Mask::Added
                            : Mask::None;
      draw(c);
      cases.push_back(c);
    }
  check(cases);
}

TEST(Attention, OrdersAndGroupedHeads) {
  std::vector<Case> cases;
  for (int64_t group : {1, 3})
    for (int64_t rows : {1, 40}) {
      Case c = sized("f" + std::to_string(cases.size()), rows, 70, 24, 33);
      c.batch = 2;
      c.sharedHeads = 2;
      c.heads = 2 * group;
      c.queryOrder = c.resultOrder = {0, 2, 1, 3};
      cases.push_back(c);
      c.name += "_keys";
      c.keyOrder = {0, 1, 3, 2}; // depth before keys
      c.valueOrder = {1, 2, 0, 3};
      cases.push_back(c);
      c.name += "_values";
      c.valueOrder = {0, 1, 3, 2};
      c.resultOrder = {3, 2, 0, 1}; // depth is not innermost
      c.causal = 70 - rows;
      cases.push_back(c);
    }
  for (Case &c : cases)
    draw(c);
  check(cases);
}

TEST(Attention, NarrowFloats) {
  std::vector<Case> cases;
  for (const char *element : {"f16", "bf16"}) {
    Case c = sized(element, 20, 70, 32, 40);
    c.element = element;
    c.causal = 30;
    // Only one rounding of the result counts: the inputs have few bits.
    c.tolerance = element[0] == 'b' ? 4e-3 : 5e-4;
    for (auto *values : {&c.query, &c.key, &c.value})
      for (float &value : *values)
        value = std::round(value * 32) / 64;
    cases.push_back(c);
  }
  check(cases);
}

TEST(Attention, Masks) {
  std::vector<Case> cases;
  for (Mask mask : {Mask::Added, Mask::AddedPerKey, Mask::Bools})
    for (float fill : {-1e4f, -infinity}) {
      Case c = sized("f" + std::to_string(cases.size()), 23, 150, 32, 32);
      c.mask = mask;
      c.fill = fill;
      draw(c);
      // One row sees no key; another sees none of the first block.
      for (int64_t k = 0; k < c.keys; ++k) {
        bool all = mask == Mask::AddedPerKey;
        if (!all)
          c.bools[3 * c.keys + k] = 0;
        if (!all)
          c.added[3 * c.keys + k] = -infinity;
        if (k < 70)
          c.added[(all ? 0 : 5 * c.keys) + k] = -infinity;
        if (k < 70 && !all)
          c.bools[5 * c.keys + k] = 0;
      }
      cases.push_back(c);
    }
  check(cases);
}

TEST(Attention, Causal) {
  std::vector<Case> cases;
  for (int64_t offset : {0, 60, -70})
    for (float fill : {-1e9f, -infinity, -1.0f}) {
      Case c = sized("f" + std::to_string(cases.size()), 130, 170, 16, 16);
      c.causal = offset;
      c.fill = fill;
      c.mask = fill == -1.0f ? Mask::Added : Mask::None;
      draw(c);
      cases.push_back(c);
    }
  Case grouped = sized("grouped", 50, 190, 16, 16);
  grouped.heads = 6;
  grouped.causal = 20;
  draw(grouped);
  cases.push_back(grouped);
  // The added mask lifts a filled score above all visible ones.
  Case lifted = sized("lifted", 10, 170, 16, 16);
  lifted.causal = 0;
  lifted.fill = -200;
  lifted.mask = Mask::Added;
  draw(lifted);
  for (int64_t row = 0; row < 2 * lifted.rows; ++row)
    lifted.added[row * lifted.keys + 150] = 300;
  cases.push_back(lifted);
  check(cases);
}

TEST(Attention, OneRowReadsKeysAndValuesInPlace) {
  std::vector<Case> cases;
  for (int64_t keys : {1, 64, 150})
    for (Mask mask : {Mask::None, Mask::Bools}) {
      Case c = sized("f" + std::to_string(cases.size()), 1, keys, 32, 64);
      c.mask = mask;
      c.keyOrder = {0, 2, 1, 3};
      if (mask == Mask::None)
        c.causal = keys - 20;
      draw(c);
      if (keys == 150) // masked: has an effect only if it is not finite
        c.value[149 * c.valueDepth] = infinity;
      cases.push_back(c);
    }
  check(cases);
}

TEST(Attention, NotFinite) {
  std::vector<Case> cases;
  auto add = [&](std::function<void(Case &)> change) {
    Case c = sized("f" + std::to_string(cases.size()), 20, 140, 16, 16);
    c.causal = 10;
    draw(c);
    change(c);
    cases.push_back(c);
  };
  add([](Case &c) { c.query[5 * c.depth] = nan; });
  add([](Case &c) { c.key[3 * c.depth + 1] = nan; });
  add([](Case &c) { c.key[3 * c.depth + 1] = infinity; });
  // Masked keys have no effect. Masked values that are not finite do, because
  // zero times them is not zero.
  add([](Case &c) { c.key[130 * c.depth] = nan; });
  add([](Case &c) { c.value[130 * c.valueDepth] = infinity; });
  add([](Case &c) { c.value[2 * c.valueDepth] = nan; });
  add([](Case &c) { c.key[0] = c.query[0] = 1e18f; });
  check(cases);
}

TEST(Attention, RowsDoNotDependOnTheirNeighboursOrUnseenKeys) {
  Case whole = sized("whole", 75, 75, 48, 40);
  whole.causal = 0;
  draw(whole);
  std::vector<Case> cases{whole};
  for (int64_t row : {0, 5, 63, 64, 74}) {
    // The row on its own, with the keys it sees: a decoding step.
    Case alone = sized("row" + std::to_string(row), 1, row + 1, 48, 40);
    for (int64_t h = 0; h < 2; ++h) {
      auto copy = [&](const std::vector<float> &from, std::vector<float> &to,
                      int64_t first, int64_t rows, int64_t width) {
        for (int64_t i = 0; i < rows * width; ++i)
          to[h * rows * width + i] = from[(h * 75 + first) * width + i];
      };
      copy(whole.query, alone.query, row, 1, 48);
      copy(whole.key, alone.key, 0, row + 1, 48);
      copy(whole.value, alone.value, 0, row + 1, 40);
    }
    cases.push_back(alone);
  }
  std::vector<std::vector<float>> results = check(cases);
  for (size_t i = 1; i < cases.size(); ++i)
    for (int64_t h = 0; h < 2; ++h)
      for (int64_t d = 0; d < 40; ++d)
        EXPECT_EQ(results[i][h * 40 + d],
                  results[0][(h * 75 + cases[i].keys - 1) * 40 + d]);
}

} // namespace
