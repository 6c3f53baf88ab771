// Tests convolutions against one scalar reference, bit by bit. Every element is
// a chain over ascending taps, then features; a tap outside the input adds
// nothing. The extents, the vector width and the split into tasks have no
// effect.
#include "test/unit/contraction/ContractionCase.h"

#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <array>
#include <limits>

using namespace tenon;

namespace {

/// Attributes of a convolution; padding is low, high for each extent.
struct Window {
  Dims strides, padding, dilation, lhsDilation{};
};

int64_t resultExtent(const Window &window, const Dims &lhs, const Dims &rhs,
                     size_t i) {
  int64_t input = (lhs[i + 1] - 1) * window.lhsDilation[i] + 1;
  return (input + window.padding[2 * i] + window.padding[2 * i + 1] -
          (rhs[i] - 1) * window.dilation[i] - 1) /
             window.strides[i] +
         1;
}

/// The index tuple of element number `linear`.
Dims indicesOf(int64_t linear, const Dims &shape) {
  Dims indices(shape.size());
  for (size_t i = shape.size(); i-- > 0; linear /= shape[i])
    indices[i] = linear % shape[i];
  return indices;
}

/// The input position of a tap; negative if it is outside the input.
int64_t placeOf(const Window &window, int64_t position, int64_t tap,
                int64_t extent, size_t i) {
  int64_t place = position * window.strides[i] - window.padding[2 * i] +
                  tap * window.dilation[i];
  if (place < 0 || place % window.lhsDilation[i] != 0)
    return -1;
  place /= window.lhsDilation[i];
  return place < extent ? place : -1;
}

/// One element of the reference at the index `at` of the result.
float reference(const Case &test, const Dims &lhs, const Dims &rhs,
                const Window &window, int64_t groups, const Dims &at) {
  size_t spatial = window.strides.size();
  int64_t features = rhs[spatial], outputs = rhs[spatial + 1];
  // Blocks of products, see docs/numerics.md.
  BlockedSum sum(features < 64 ? 0 : features <= 192 ? features : 128);
  Dims kernel(rhs.begin(), rhs.begin() + spatial);
  for (int64_t tap = 0; tap < count(kernel); ++tap) {
    Dims taps = indicesOf(tap, kernel);
    int64_t pixel = at[0];
    bool inside = true;
    for (size_t i = 0; i < spatial; ++i) {
      int64_t place = placeOf(window, at[i + 1], taps[i], lhs[i + 1], i);
      inside &= place >= 0;
      pixel = pixel * lhs[i + 1] + place;
    }
    if (!inside)
      continue;
    int64_t first = at.back() / (outputs / groups) * features;
    for (int64_t c = 0; c < features; ++c)
      sum.add(test.inputs[0][pixel * lhs.back() + first + c],
              test.inputs[1][(tap * features + c) * outputs + at.back()]);
    sum.endBlock();
  }
  return sum.value();
}

Case convolutionCase(const std::string &name, Dims lhs, Dims rhs, Window window,
                     int64_t groups = 1, Epilogue epilogue = Epilogue::None,
                     Unknown unknown = Unknown::None,
                     Element element = Element::Float) {
  Case test{name, {}, {}, {lhs, rhs}, {}, {}};
  size_t spatial = window.strides.size();
  if (window.lhsDilation.empty())
    window.lhsDilation = Dims(spatial, 1);
  fillInputs(test, element);
  // A weight that is not finite must not affect pixels whose window excludes
  // it.
  if (element == Element::Float)
    test.inputs[1][0] = std::numeric_limits<float>::infinity();
  test.result.push_back(lhs[0]);
  for (size_t i = 0; i < spatial; ++i)
    test.result.push_back(resultExtent(window, lhs, rhs, i));
  test.result.push_back(rhs.back());
  for (int64_t i = 0; i < count(test.result); ++i)
    test.expected.push_back(
        reference(test, lhs, rhs, window, groups, indicesOf(i, test.result)));
  // Channels are always static.
  auto typeOf = [&](const Dims &dims) {
    std::string text = type(dims, unknown);
    if (unknown != Unknown::All)
      return text;
    text.replace(text.rfind('?'), 1, std::to_string(dims.back()));
    return text;
  };
  std::string bias =
      epilogue == Epilogue::None ? "" : ", %bias: " + type({rhs.back()});
  test.text = "func.func @" + name + "(%x: " + typeOf(lhs) +
              ", %y: " + type(rhs) + bias + ") -> " + typeOf(test.result) +
              " {\n  %0 = tenon.convolution %x, " + "%y strides " +
              list(window.strides) + " padding " + list(window.padding) +
              " lhs_dilation " + list(window.lhsDilation) + " rhs_dilation " +
              list(window.dilation) + " groups " + std::to_string(groups) +
              " : (" + typeOf(lhs) + ", " + type(rhs) + ") -> " +
              typeOf(test.result) + "\n" +
              finish(test, epilogue, typeOf(test.result));
  if (element == Element::Integer)
    toIntegers(test);
  return test;
}

/// The case with the dimensions of the input in another order, for example with
/// channels in planes: dimension d becomes dimension order[d].
Case inOrder(const Dims &order, Case test) {
  Dims from = test.dims[0], to(from.size());
  for (size_t d = 0; d < from.size(); ++d)
    to[order[d]] = from[d];
  std::vector<float> pixels = test.inputs[0];
  for (int64_t i = 0; i < count(from); ++i) {
    Dims at = indicesOf(i, from), there(at.size());
    for (size_t d = 0; d < at.size(); ++d)
      there[order[d]] = at[d];
    int64_t place = 0;
    for (size_t d = 0; d < to.size(); ++d)
      place = place * to[d] + there[d];
    test.inputs[0][place] = pixels[i];
  }
  test.dims[0] = to;
  const std::string start = "%x: tensor<", end = "xf32>";
  size_t first = test.text.find(start) + start.size();
  std::string known =
      test.text.substr(first, test.text.find(end, first) - first);
  llvm::SmallVector<llvm::StringRef> sizes, turned(from.size());
  llvm::StringRef(known).split(sizes, 'x');
  for (size_t d = 0; d < from.size(); ++d)
    turned[order[d]] = sizes[d];
  std::string there = "tensor<" + llvm::join(turned, "x") + end,
              here = "tensor<" + known + end;
  test.text.replace(test.text.find("%x: "), 4 + here.size(),
                    "%planes: " + there);
  test.text.insert(test.text.find("{\n") + 2,
                   "  %x = tenon.transpose %planes " + list(order) + " : (" +
                       there + ") -> " + here + "\n");
  return test;
}

const Dims planes{0, 2, 3, 1};
const Window whole{{1, 1}, {1, 1, 1, 1}, {1, 1}};
} // namespace

TEST(Convolution, ImagesInPlanes) {
  std::vector<Case> cases;
  const Window stem{{2, 2}, {1, 1, 1, 1}, {1, 1}};
  for (int64_t channels : {1, 2, 3, 4, 5}) {
    cases.push_back(
        inOrder(planes, convolutionCase(numbered("planes", {channels}),
                                        {2, 9, 11, channels},
                                        {3, 3, channels, 18}, stem)));
    cases.push_back(inOrder(
        planes,
        convolutionCase(numbered("pixels", {channels}), {2, 9, 11, channels},
                        {1, 1, channels, 18}, {{1, 1}, {0, 0, 0, 0}, {1, 1}}, 1,
                        Epilogue::BiasRelu)));
  }
  cases.push_back(
      inOrder(planes, convolutionCase("dilated", {2, 9, 11, 3}, {3, 3, 3, 18},
                                      {{1, 1}, {2, 2, 3, 1}, {2, 3}})));
  cases.push_back(inOrder(
      planes, convolutionCase("transposed", {2, 9, 11, 3}, {3, 3, 3, 18},
                              {{1, 1}, {2, 2, 1, 1}, {1, 1}, {2, 3}})));
  for (int64_t images : {0, 1, 3})
    cases.push_back(
        inOrder(planes, convolutionCase(numbered("open", {images}),
                                        {images, 9, 11, 3}, {3, 3, 3, 18}, stem,
                                        1, Epilogue::None, Unknown::Rows)));
  int64_t number = 0;
  for (const Dims &order :
       {Dims{0, 3, 2, 1}, {0, 1, 3, 2}, {3, 1, 2, 0}, {0, 2, 1, 3}})
    cases.push_back(
        inOrder(order, convolutionCase(numbered("order", {number++}),
                                       {2, 9, 11, 3}, {3, 3, 3, 18}, stem)));
  check(cases);
}

TEST(Convolution, Windows) {
  std::vector<Case> cases;
  int number = 0;
  for (Window window : {Window{{1, 1}, {0, 0, 0, 0}, {1, 1}},
                        whole,
                        {{2, 2}, {1, 1, 1, 1}, {1, 1}},
                        {{2, 1}, {0, 1, 2, 0}, {1, 1}},
                        {{1, 1}, {2, 2, 2, 2}, {2, 2}},
                        {{1, 2}, {0, 0, 1, 1}, {1, 2}},
                        {{1, 1}, {-1, 0, 0, -1}, {1, 1}}})
    for (int64_t channels : {3, 20})
      cases.push_back(convolutionCase(numbered("conv", {number++}),
                                      {2, 9, 11, channels},
                                      {3, 3, channels, 18}, window));
  cases.push_back(convolutionCase("stem", {1, 23, 23, 3}, {7, 7, 3, 64},
                                  {{2, 2}, {3, 3, 3, 3}, {1, 1}}));
  cases.push_back(
      convolutionCase("large", {1, 7, 7, 170}, {3, 3, 170, 130}, whole));
  for (int64_t channels : {64, 200, 256})
    cases.push_back(convolutionCase(numbered("blocks", {channels}),
                                    {1, 6, 7, channels}, {3, 3, channels, 20},
                                    whole));
  cases.push_back(convolutionCase("one", {1, 7, 7, 30}, {1, 1, 30, 50},
                                  {{1, 1}, {0, 0, 0, 0}, {1, 1}}));
  cases.push_back(convolutionCase("one_stride", {2, 8, 7, 30}, {1, 1, 30, 50},
                                  {{2, 2}, {0, 0, 0, 0}, {1, 1}}));
  cases.push_back(convolutionCase("epilogue", {1, 9, 9, 5}, {3, 3, 5, 20},
                                  whole, 1, Epilogue::BiasRelu));
  check(cases);
}

// Vectors of positions: strips that end inside a row, borders, all lengths of
// chains, and kernels in panels.
TEST(Convolution, FewOutputs) {
  std::vector<Case> cases;
  const Window windows[] = {
      {{1, 1}, {0, 0, 0, 0}, {1, 1}},  whole,
      {{2, 1}, {0, 1, 2, 0}, {1, 1}},  {{1, 1}, {2, 2, 2, 2}, {2, 2}},
      {{1, 1}, {1, 1, 40, 3}, {1, 3}}, {{1, 1}, {-1, 0, 0, -1}, {1, 1}}};
  for (int64_t outputs : {1, 2, 3, 7})
    for (const Window &window : windows) {
      constexpr int64_t widths[] = {40, 19, 150, 33, 61},
                        channels[] = {3, 20, 64, 200, 32, 70, 16};
      int64_t number = int64_t(cases.size()), depth = channels[number % 7];
      bool isOpen = number % 3 == 0, hasBias = !isOpen && number % 2;
      Case test = convolutionCase(numbered("few", {number, depth}),
                                  {2, 5, widths[number % 5], depth},
                                  {3, 3, depth, outputs}, window, 1,
                                  hasBias ? Epilogue::BiasRelu : Epilogue::None,
                                  isOpen ? Unknown::All : Unknown::None);
      cases.push_back(number % 4 == 2 ? packed(test, 3) : test);
    }
  cases.push_back(convolutionCase("few_one", {1, 3, 50, 130}, {1, 1, 130, 2},
                                  {{1, 1}, {0, 0, 0, 0}, {1, 1}}));
  cases.push_back(convolutionCase("few_wide", {1, 9, 70, 9}, {9, 9, 9, 3},
                                  {{1, 1}, {4, 4, 4, 4}, {1, 1}}));
  cases.push_back(
      convolutionCase("few_line", {2, 45, 9}, {5, 9, 3}, {{1}, {2, 2}, {1}}));
  cases.push_back(convolutionCase("few_volume", {1, 3, 4, 20, 5},
                                  {2, 3, 3, 5, 2},
                                  {{1, 2, 1}, {0, 1, 1, 1, 1, 1}, {1, 1, 1}}));
  check(cases);
}

TEST(Convolution, TilesThatFillLines) {
  std::vector<Case> cases;
  for (int64_t outputs : {16, 50})
    for (Window window : {whole,
                          {{2, 2}, {1, 1, 1, 1}, {1, 1}},
                          {{1, 1}, {2, 2, 0, 4}, {2, 2}},
                          {{1, 3}, {0, 1, 9, 0}, {1, 1}}})
      for (int64_t channels : {3, 70}) {
        // Each width is combined with each window, depth and number of outputs,
        // but not with every combination of them.
        constexpr int64_t widths[] = {32, 48, 31};
        int64_t number = int64_t(cases.size());
        int64_t width =
            widths[(number / 8 * 2 + number / 2 % 4 + number % 2) % 3];
        Case test =
            convolutionCase(numbered("lines", {number, width, channels}),
                            {2, 5, width, channels}, {3, 3, channels, outputs},
                            window, 1, Epilogue::BiasRelu);
        cases.push_back(channels == 3 ? inOrder(planes, test)
                                      : packed(test, 3));
      }
  // Remainders of rows that appear only at run time, up to all but one row of a
  // tile. One image has 15, 14 or 13 of 16 rows; with 25 pixels per line 13 of
  // 14.
  for (int64_t width : {19, 38, 41, 25})
    for (int64_t images : {1, 2, 3})
      cases.push_back(convolutionCase(numbered("rest", {width, images}),
                                      {images, 5, width, 3}, {3, 3, 3, 16},
                                      whole, 1, Epilogue::None, Unknown::Rows));
  check(cases);
}

// Tiles within a line and tiles that reach into the next one, with taps inside
// and outside; rows beside each other whose number only the run knows.
TEST(Convolution, OpenImages) {
  std::vector<Case> cases;
  for (Window window : {whole,
                        {{2, 2}, {1, 1, 1, 1}, {1, 1}},
                        {{1, 2}, {0, 2, 3, 0}, {1, 2}},
                        {{1, 1}, {0, 0, 0, 0}, {1, 1}}})
    for (int64_t channels : {3, 20})
      for (int64_t width : {5, 12, 13, 31, 50}) {
        int64_t number = int64_t(cases.size()), outputs = number % 2 ? 16 : 50;
        Case test = convolutionCase(
            numbered("image", {number, width}), {2, 5, width, channels},
            {3, 3, channels, outputs}, window, 1, Epilogue::None, Unknown::All);
        cases.push_back(channels == 3 ? inOrder(planes, test) : test);
      }
  for (int64_t width : {1, 7, 23, 40})
    cases.push_back(convolutionCase(
        numbered("point", {width}), {2, 5, width, 16}, {1, 1, 16, 64},
        {{1, 1}, {0, 0, 0, 0}, {1, 1}}, 1, Epilogue::None, Unknown::All));
  check(cases);
}

TEST(Convolution, KernelsInPanels) {
  std::vector<Case> cases;
  for (Window window : {Window{{1, 1}, {0, 0, 0, 0}, {1, 1}},
                        {{1, 1}, {1, 1, 1, 1}, {1, 1}},
                        {{2, 1}, {0, 1, 2, 0}, {1, 1}},
                        {{1, 1}, {2, 2, 2, 2}, {2, 2}}})
    for (int64_t channels : {3, 64, 160, 256})
      cases.push_back(packed(
          convolutionCase(numbered("conv", {int64_t(cases.size()), channels}),
                          {2, 7, 9, channels}, {3, 3, channels, 50}, window),
          3));
  cases.push_back(
      packed(convolutionCase("transposed", {1, 6, 5, 70}, {4, 3, 70, 50},
                             {{1, 1}, {2, 2, 1, 1}, {1, 1}, {2, 2}}),
             3));
  for (int64_t channels : {30, 256})
    cases.push_back(packed(
        convolutionCase(numbered("one", {channels}), {2, 7, 7, channels},
                        {1, 1, channels, 50}, {{1, 1}, {0, 0, 0, 0}, {1, 1}}),
        3));
  check(cases);
}

TEST(Convolution, Groups) {
  std::vector<Case> cases;
  int number = 0;
  for (Window window :
       {whole, {{2, 2}, {1, 1, 1, 1}, {1, 1}}, {{1, 1}, {0, 2, 2, 0}, {2, 1}}})
    for (auto [features, outputs] :
         {std::array<int64_t, 2>{4, 6}, {20, 17}, {1, 40}, {64, 64}})
      cases.push_back(convolutionCase(
          numbered("groups", {number++}), {2, 6, 7, 3 * features},
          {3, 3, features, 3 * outputs}, window, 3, Epilogue::BiasRelu));
  cases.push_back(convolutionCase("unknown", {2, 6, 9, 12}, {3, 3, 4, 18},
                                  whole, 3, Epilogue::None, Unknown::All));
  check(cases);
}

TEST(Convolution, Transposed) {
  std::vector<Case> cases;
  int number = 0;
  // Kernels that are and are not multiples of the phases, strides and dilations
  // with common factors, and phases without taps.
  for (Window window : {Window{{1, 1}, {1, 1, 1, 1}, {1, 1}, {2, 2}},
                        {{1, 1}, {2, 2, 2, 3}, {1, 1}, {2, 3}},
                        {{1, 1}, {0, 1, 0, 0}, {1, 1}, {1, 4}},
                        {{2, 3}, {2, 2, 1, 3}, {1, 1}, {3, 2}},
                        {{2, 1}, {2, 2, 2, 2}, {1, 2}, {4, 3}},
                        {{1, 1}, {-1, 2, 0, -2}, {1, 1}, {2, 2}}})
    for (auto [kernel, features] : {std::array<int64_t, 2>{3, 5}, {4, 64}})
      cases.push_back(convolutionCase(
          numbered("transposed", {number++}), {2, 6, 5, features},
          {kernel, kernel, features, 18}, window, 1, Epilogue::BiasRelu));
  Window twice{{1, 1}, {1, 1, 1, 1}, {1, 1}, {2, 2}};
  cases.push_back(
      convolutionCase("in_groups", {1, 6, 5, 12}, {3, 3, 4, 18}, twice, 3));
  cases.push_back(convolutionCase("single_tap", {1, 6, 5, 12}, {1, 1, 12, 18},
                                  {{1, 1}, {0, 0, 0, 0}, {1, 1}, {3, 2}}));
  cases.push_back(convolutionCase("unknown", {2, 6, 5, 12}, {3, 3, 12, 18},
                                  twice, 1, Epilogue::None, Unknown::All));
  cases.push_back(
      convolutionCase("line", {2, 9, 7}, {5, 7, 20}, {{1}, {2, 3}, {1}, {3}}));
  check(cases);
}

TEST(Convolution, Integers) {
  check({
      convolutionCase("plain", {1, 9, 9, 70}, {3, 3, 70, 20}, whole, 1,
                      Epilogue::None, Unknown::None, Element::Integer),
      convolutionCase("depthwise", {1, 9, 9, 20}, {3, 3, 1, 20}, whole, 20,
                      Epilogue::None, Unknown::None, Element::Integer),
      convolutionCase("groups", {1, 9, 9, 20}, {3, 3, 5, 12}, whole, 4,
                      Epilogue::None, Unknown::None, Element::Integer),
      convolutionCase("transposed", {1, 9, 9, 20}, {3, 3, 20, 12},
                      {{1, 1}, {1, 1, 1, 1}, {1, 1}, {2, 2}}, 1, Epilogue::None,
                      Unknown::None, Element::Integer),
  });
}

TEST(Convolution, Depthwise) {
  std::vector<Case> cases;
  int number = 0;
  for (Window window : {whole,
                        {{2, 2}, {1, 1, 1, 1}, {1, 1}},
                        {{1, 1}, {2, 2, 2, 2}, {2, 2}},
                        {{2, 2}, {0, 1, 0, 1}, {1, 1}},
                        {{1, 1}, {-1, 0, 0, -1}, {1, 1}},
                        {{3, 1}, {1, 0, 5, 4}, {1, 3}}})
    for (int64_t channels : {5, 16, 72})
      cases.push_back(convolutionCase(numbered("depth", {number++}),
                                      {2, 9, 11, channels}, {3, 3, 1, channels},
                                      window, channels));
  // Borders and whole tiles: widths near the number that fits in registers.
  for (int64_t width : {1, 2, 7, 8, 14, 17, 28, 41})
    cases.push_back(convolutionCase(
        numbered("width", {width}), {1, 5, width, 24}, {5, 5, 1, 24},
        {{1, 1}, {2, 2, 2, 2}, {1, 1}}, 24, Epilogue::BiasHardSwish));
  cases.push_back(
      convolutionCase("many_channels", {1, 7, 7, 520}, {5, 5, 1, 520},
                      {{2, 2}, {2, 2, 2, 2}, {1, 1}}, 520, Epilogue::BiasRelu));
  check(cases);
}

TEST(Convolution, DepthwiseOfOpenWidth) {
  std::vector<Case> cases;
  for (Window window : {whole,
                        {{2, 2}, {1, 1, 1, 1}, {1, 1}},
                        {{1, 1}, {0, 0, 8, 8}, {1, 4}},
                        {{1, 1}, {0, 0, 0, 0}, {1, 1}},
                        {{3, 1}, {1, 0, 5, 4}, {1, 3}}})
    for (int64_t width : {9, 15, 16, 17, 31}) {
      int64_t number = int64_t(cases.size()), channels = number % 2 ? 16 : 21;
      cases.push_back(convolutionCase(
          numbered("depth", {number, width}), {2, 4, width, channels},
          {3, 3, 1, channels}, window, channels, Epilogue::None, Unknown::All));
    }
  // Fewer columns than taps, and groups that share a vector.
  for (int64_t width : {1, 2, 5, 8, 13})
    cases.push_back(convolutionCase(
        numbered("narrow", {width}), {1, 3, width, 28}, {3, 5, 4, 21},
        {{1, 1}, {1, 1, 2, 2}, {1, 1}}, 7, Epilogue::None, Unknown::All));
  check(cases);
}

TEST(Convolution, DepthwiseMultiplied) {
  std::vector<Case> cases;
  for (auto [groups, multiplier] :
       {std::array<int64_t, 2>{6, 2}, {5, 3}, {9, 8}, {3, 5}, {2, 16}, {2, 40}})
    cases.push_back(convolutionCase(
        numbered("times", {groups, multiplier}), {1, 6, 11, groups},
        {3, 3, 1, groups * multiplier}, whole, groups, Epilogue::BiasRelu));
  check(cases);
}

TEST(Convolution, NarrowGroups) {
  std::vector<Case> cases;
  // Numbers of features and outputs per group. Several groups share a vector,
  // completely or partly, and the last vector has fewer groups.
  for (auto [features, outputs] :
       {std::array<int64_t, 2>{4, 4}, {8, 8}, {2, 1}, {3, 4}, {5, 3}, {12, 2}})
    for (int64_t groups : {2, 7, 16})
      cases.push_back(convolutionCase(
          numbered("narrow", {features, outputs, groups}),
          {1, 5, 11, groups * features}, {3, 3, features, groups * outputs},
          {{1, 2}, {1, 1, 1, 1}, {1, 1}}, groups, Epilogue::BiasRelu));
  cases.push_back(convolutionCase("unknown", {2, 6, 9, 20}, {3, 3, 4, 20},
                                  whole, 5, Epilogue::None, Unknown::All));
  cases.push_back(convolutionCase("long", {1, 3, 40, 20}, {1, 13, 4, 20},
                                  {{1, 1}, {0, 0, 6, 6}, {1, 1}}, 5));
  check(cases);
}

TEST(Convolution, DepthwiseRanksAndKernels) {
  check({
      convolutionCase("line", {2, 19, 18}, {3, 1, 18}, {{1}, {1, 1}, {1}}, 18),
      convolutionCase("volume", {1, 4, 5, 9, 17}, {2, 3, 3, 1, 17},
                      {{1, 2, 1}, {1, 0, 1, 1, 1, 1}, {1, 1, 2}}, 17),
      convolutionCase("point", {1, 5, 9, 20}, {1, 1, 1, 20},
                      {{1, 1}, {0, 0, 0, 0}, {1, 1}}, 20),
      convolutionCase("tall", {1, 12, 9, 20}, {7, 1, 1, 20},
                      {{1, 1}, {3, 3, 0, 0}, {1, 1}}, 20),
      convolutionCase("long", {1, 3, 40, 20}, {1, 13, 1, 20},
                      {{1, 1}, {0, 0, 6, 6}, {1, 1}}, 20),
      convolutionCase("long_stride", {1, 3, 60, 20}, {1, 13, 1, 20},
                      {{1, 3}, {0, 0, 6, 1}, {1, 2}}, 20),
      convolutionCase("far", {1, 4, 90, 8}, {3, 3, 1, 8},
                      {{1, 1}, {1, 1, 40, 40}, {1, 40}}, 8),
  });
}

TEST(Convolution, DepthwiseUnknownExtents) {
  std::vector<Case> cases;
  for (int64_t width : {1, 3, 9, 30}) {
    cases.push_back(convolutionCase(numbered("rows", {width}),
                                    {2, 6, width, 40}, {3, 3, 1, 40}, whole, 40,
                                    Epilogue::None, Unknown::Rows));
    cases.push_back(convolutionCase(
        numbered("all", {width}), {2, 6, width, 40}, {3, 3, 1, 40},
        {{2, 2}, {1, 1, 1, 1}, {1, 1}}, 40, Epilogue::None, Unknown::All));
    cases.push_back(convolutionCase(
        numbered("wide", {width}), {1, 3, width + 12, 12}, {1, 13, 1, 12},
        {{1, 1}, {0, 0, 2, 3}, {1, 1}}, 12, Epilogue::None, Unknown::All));
  }
  check(cases);
}
