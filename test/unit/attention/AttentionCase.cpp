// The text, the inputs and the expected rows of attention in tests. Rows are
// expected from scores and sums in f64.
#include "test/unit/attention/AttentionCase.h"

#include "gtest/gtest.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace tenon {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

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
std::vector<double> expectedRow(const AttentionCase &c, int64_t b, int64_t h,
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

} // namespace

std::string textOf(const AttentionCase &c) {
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

void draw(AttentionCase &c, uint32_t seed) {
  c.query = randomFloats(count(c.queryDims()), seed);
  c.key = randomFloats(count(c.keyDims()), seed + 1);
  c.value = randomFloats(count(c.valueDims()), seed + 2);
  c.added = randomFloats(count(c.maskDims()), seed + 3);
  c.bools.clear();
  for (float number : randomFloats(count(c.maskDims()), seed + 4))
    c.bools.push_back(number > -1);
}

std::vector<float> run(const JitGraph &graph, AttentionCase &c, int64_t step) {
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

void compare(const AttentionCase &c, const std::vector<float> &result) {
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

AttentionCase sized(std::string name, int64_t rows, int64_t keys, int64_t depth,
                    int64_t valueDepth) {
  AttentionCase c;
  c.name = name;
  c.rows = rows;
  c.keys = keys;
  c.depth = depth;
  c.valueDepth = valueDepth;
  c.heads = c.sharedHeads = 2;
  draw(c);
  return c;
}

} // namespace tenon
