// Products and convolutions against one scalar reference, bit by bit: every
// element is a chain of fused multiply-adds over ascending sums, whatever the
// extents, the vector width and the split into tasks.
#include "test/unit/contraction/JitGraph.h"

#include "gtest/gtest.h"
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

using namespace tenon;

namespace {

using Dims = std::vector<int64_t>;

int64_t count(const Dims &dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t(1),
                         std::multiplies<>());
}

std::string list(const Dims &dims) {
  std::string text;
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? ", " : "") + std::to_string(dims[i]);
  return "[" + text + "]";
}

/// Extents not known at compile time.
enum class Unknown { None, Rows, All };

/// `tensor<?x2xf32>`: rows are the first extent.
std::string type(const Dims &dims, Unknown unknown = Unknown::None) {
  std::string text = "tensor<";
  for (size_t i = 0; i < dims.size(); ++i) {
    bool hidden = unknown == Unknown::All || (unknown == Unknown::Rows && !i);
    text += (hidden ? "?" : std::to_string(dims[i])) + "x";
  }
  return text + "f32>";
}

std::vector<float> randomFloats(int64_t size, uint32_t seed) {
  std::vector<float> values(size);
  for (float &value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = float(int32_t(seed)) / float(1u << 30);
  }
  return values;
}

/// A result with elements behind its end, which
/// no kernel may write.
struct Guarded {
  std::vector<float> values;
  explicit Guarded(int64_t size) : values(size + 64, 12345.0f) {}
  bool untouched(int64_t size) const {
    for (size_t i = size; i < values.size(); ++i)
      if (values[i] != 12345.0f)
        return false;
    return true;
  }
};

/// Offsets of all index tuples of some dimensions of a row-major tensor.
std::vector<int64_t> offsets(const Dims &shape, const Dims &dims) {
  Dims strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  std::vector<int64_t> result{0};
  for (int64_t dim : dims) {
    std::vector<int64_t> next;
    for (int64_t base : result)
      for (int64_t i = 0; i < shape[dim]; ++i)
        next.push_back(base + i * strides[dim]);
    result = next;
  }
  return result;
}

Dims freeDims(size_t rank, const Dims &batch, const Dims &contract) {
  Dims free;
  for (size_t i = 0; i < rank; ++i)
    if (std::find(batch.begin(), batch.end(), i) == batch.end() &&
        std::find(contract.begin(), contract.end(), i) == contract.end())
      free.push_back(i);
  return free;
}

enum class Epilogue { None, BiasRelu };

struct Case {
  std::string name, text;
  std::vector<std::vector<float>> inputs;
  std::vector<Dims> dims;
  Dims result;
  std::vector<float> expected;
};

/// The epilogue on `%0` as text, its operand and its effect on `expected`.
std::string finish(Case &test, Epilogue epilogue, Unknown unknown) {
  std::string full = type(test.result, unknown);
  if (epilogue == Epilogue::None)
    return "  return %0 : " + full + "\n}\n";
  int64_t width = test.result.back();
  std::vector<float> bias = randomFloats(width, 77);
  for (size_t i = 0; i < test.expected.size(); ++i)
    test.expected[i] = std::max(0.0f, test.expected[i] + bias[i % width]);
  test.inputs.push_back(bias);
  test.dims.push_back({width});
  return "  %b = tenon.broadcast_in_dim %bias dims [" +
         std::to_string(test.result.size() - 1) + "] sizes " +
         list(test.result) + " : (" + type({width}) + ") -> " + full +
         "\n  %s = tenon.add %0, %b : (" + full + ", " + full + ") -> " + full +
         "\n  %z = tenon.constant dense<0.0> : " + full +
         "\n  %m = tenon.maximum %s, %z : (" + full + ", " + full + ") -> " +
         full + "\n  return %m : " + full + "\n}\n";
}

/// A sum of products as the numerics contract has it: chains of `block`
/// products (0: one chain), their sums added in order.
class BlockedSum {
public:
  explicit BlockedSum(int64_t block) : block(block) {}
  void add(float x, float y) {
    part = std::fma(x, y, part);
    if (block && ++count == block)
      endBlock();
  }
  /// Blocks do not go on across this point.
  void endBlock() {
    if (!block)
      return;
    sum += part;
    part = 0;
    count = 0;
  }
  float value() {
    if (block && count)
      endBlock();
    return block ? sum : part;
  }

private:
  int64_t block, count = 0;
  float sum = 0, part = 0;
};

Case dotCase(const std::string &name, Dims lhs, Dims rhs, Dims lhsBatch,
             Dims rhsBatch, Dims lhsContract, Dims rhsContract,
             Epilogue epilogue = Epilogue::None,
             Unknown unknown = Unknown::None) {
  Case test{name, {}, {}, {lhs, rhs}, {}, {}};
  test.inputs = {randomFloats(count(lhs), 1), randomFloats(count(rhs), 2)};
  Dims lhsFree = freeDims(lhs.size(), lhsBatch, lhsContract),
       rhsFree = freeDims(rhs.size(), rhsBatch, rhsContract);
  for (int64_t d : lhsBatch)
    test.result.push_back(lhs[d]);
  for (int64_t d : lhsFree)
    test.result.push_back(lhs[d]);
  for (int64_t d : rhsFree)
    test.result.push_back(rhs[d]);
  auto lb = offsets(lhs, lhsBatch), rb = offsets(rhs, rhsBatch),
       lf = offsets(lhs, lhsFree), rf = offsets(rhs, rhsFree),
       lk = offsets(lhs, lhsContract), rk = offsets(rhs, rhsContract);
  for (size_t batch = 0; batch < lb.size(); ++batch)
    for (int64_t m : lf)
      for (int64_t n : rf) {
        BlockedSum sum(lk.size() > 128 ? 128 : 0);
        for (size_t k = 0; k < lk.size(); ++k)
          sum.add(test.inputs[0][lb[batch] + m + lk[k]],
                  test.inputs[1][rb[batch] + n + rk[k]]);
        test.expected.push_back(sum.value());
      }
  std::string bias = epilogue == Epilogue::None
                         ? ""
                         : ", %bias: " + type({test.result.back()});
  Unknown right = unknown == Unknown::Rows ? Unknown::None : unknown;
  std::string types = "(" + type(lhs, unknown) + ", " + type(rhs, right) +
                      ") -> " + type(test.result, unknown);
  test.text = "func.func @" + name + "(%x: " + type(lhs, unknown) +
              ", %y: " + type(rhs, right) + bias + ") -> " +
              type(test.result, unknown) + " {\n  %0 = tenon.dot_general %x, " +
              "%y batch " + list(lhsBatch) + " x " + list(rhsBatch) +
              " contract " + list(lhsContract) + " x " + list(rhsContract) +
              " : " + types + "\n" + finish(test, epilogue, unknown);
  return test;
}

struct Window {
  Dims strides, padding, dilation;
};

/// A convolution of two spatial extents.
Case convolutionCase(const std::string &name, Dims lhs, Dims rhs, Window window,
                     int64_t groups = 1, Epilogue epilogue = Epilogue::None) {
  Case test{name, {}, {}, {lhs, rhs}, {}, {}};
  test.inputs = {randomFloats(count(lhs), 3), randomFloats(count(rhs), 4)};
  // A weight that is not finite must not reach pixels whose window it leaves.
  test.inputs[1][0] = std::numeric_limits<float>::infinity();
  auto extent = [&](int i) {
    return (lhs[i + 1] + window.padding[2 * i] + window.padding[2 * i + 1] -
            (rhs[i] - 1) * window.dilation[i] - 1) /
               window.strides[i] +
           1;
  };
  int64_t height = extent(0), width = extent(1), outputs = rhs[3];
  test.result = {lhs[0], height, width, outputs};
  for (int64_t n = 0; n < lhs[0]; ++n)
    for (int64_t y = 0; y < height; ++y)
      for (int64_t x = 0; x < width; ++x)
        for (int64_t o = 0; o < outputs; ++o) {
          BlockedSum sum(rhs[2] < 64 || groups != 1 ? 0
                         : rhs[2] <= 192            ? rhs[2]
                                                    : 128);
          for (int64_t i = 0; i < rhs[0]; ++i)
            for (int64_t j = 0; j < rhs[1]; ++j) {
              int64_t row = y * window.strides[0] - window.padding[0] +
                            i * window.dilation[0],
                      column = x * window.strides[1] - window.padding[2] +
                               j * window.dilation[1];
              if (row < 0 || row >= lhs[1] || column < 0 || column >= lhs[2])
                continue;
              for (int64_t c = 0; c < rhs[2]; ++c) {
                int64_t feature = o / (outputs / groups) * rhs[2] + c;
                sum.add(
                    test.inputs[0][((n * lhs[1] + row) * lhs[2] + column) *
                                       lhs[3] +
                                   feature],
                    test.inputs[1]
                               [((i * rhs[1] + j) * rhs[2] + c) * outputs + o]);
              }
              sum.endBlock();
            }
          test.expected.push_back(sum.value());
        }
  std::string bias =
      epilogue == Epilogue::None ? "" : ", %bias: " + type({outputs});
  test.text = "func.func @" + name + "(%x: " + type(lhs) +
              ", %y: " + type(rhs) + bias + ") -> " + type(test.result) +
              " {\n  %0 = tenon.convolution %x, " + "%y strides " +
              list(window.strides) + " padding " + list(window.padding) +
              " lhs_dilation [1, 1] rhs_dilation " + list(window.dilation) +
              " groups " + std::to_string(groups) + " : (" + type(lhs) + ", " +
              type(rhs) + ") -> " + type(test.result) + "\n" +
              finish(test, epilogue, Unknown::None);
  return test;
}

/// Compiles all cases together and compares each.
void check(std::vector<Case> cases) {
  std::string text;
  for (const Case &test : cases)
    text += test.text;
  for (JitTarget target : jitTargets()) {
    JitGraph graph(text, target);
    for (Case &test : cases)
      for (int64_t step : {1, 1000}) {
        std::vector<JitTensor> inputs;
        for (size_t i = 0; i < test.inputs.size(); ++i)
          inputs.push_back({test.inputs[i].data(), test.dims[i]});
        Guarded output(test.expected.size());
        graph.run(test.name, inputs, {output.values.data(), test.result}, step);
        EXPECT_TRUE(output.untouched(test.expected.size())) << test.name;
        for (size_t i = 0; i < test.expected.size(); ++i) {
          auto bits = [](float f) { return std::bit_cast<uint32_t>(f); };
          if (std::isnan(test.expected[i]) && std::isnan(output.values[i]))
            continue;
          if (bits(test.expected[i]) == bits(output.values[i]))
            continue;
          ADD_FAILURE() << test.name << " for " << target.cpu << ", element "
                        << i << ": expected " << test.expected[i] << ", got "
                        << output.values[i];
          break;
        }
      }
  }
}

std::string numbered(const char *name, std::initializer_list<int64_t> numbers) {
  std::string result = name;
  for (int64_t number : numbers)
    result += "_" + std::to_string(number);
  return result;
}

const Dims oddRows{1, 3, 7, 8, 17, 50, 129};
const Dims oddColumns{1, 3, 8, 16, 17, 48, 50, 64, 65, 129};
const Dims oddSums{1, 3, 16, 17, 50, 129};

/// Pairs each row count with two column counts and a depth.
template <typename Make> std::vector<Case> oddCases(Make make) {
  std::vector<Case> cases;
  size_t n = 0, k = 0;
  for (int64_t rows : oddRows)
    for (int i = 0; i < 3; ++i)
      cases.push_back(make(rows, oddColumns[n++ % oddColumns.size()],
                           oddSums[k++ % oddSums.size()]));
  return cases;
}
} // namespace

TEST(Contraction, PlainProducts) {
  check(oddCases([](int64_t m, int64_t n, int64_t k) {
    return dotCase(numbered("plain", {m, n, k}), {m, k}, {k, n}, {}, {}, {1},
                   {0});
  }));
}

TEST(Contraction, TransposedRight) {
  check(oddCases([](int64_t m, int64_t n, int64_t k) {
    return dotCase(numbered("right", {m, n, k}), {m, k}, {n, k}, {}, {}, {1},
                   {1});
  }));
}

TEST(Contraction, TransposedLeft) {
  check(oddCases([](int64_t m, int64_t n, int64_t k) {
    return dotCase(numbered("left", {m, n, k}), {k, m}, {k, n}, {}, {}, {0},
                   {0});
  }));
}

TEST(Contraction, DynamicExtents) {
  std::vector<Case> cases;
  for (auto [m, n, k] : {std::array<int64_t, 3>{1, 50, 17},
                         {17, 65, 129},
                         {9, 1, 5},
                         {130, 129, 3},
                         {7, 16, 0},
                         {0, 3, 3}}) {
    cases.push_back(dotCase(numbered("plain", {m, n, k}), {m, k}, {k, n}, {},
                            {}, {1}, {0}, Epilogue::None, Unknown::All));
    cases.push_back(dotCase(numbered("right", {m, n, k}), {m, k}, {n, k}, {},
                            {}, {1}, {1}, Epilogue::None, Unknown::All));
  }
  check(cases);
}

TEST(Contraction, DynamicRows) {
  std::vector<Case> cases;
  for (int64_t rows : {1, 5, 23, 24, 101}) {
    cases.push_back(dotCase(numbered("small", {rows}), {rows, 33}, {33, 70}, {},
                            {}, {1}, {0}, Epilogue::None, Unknown::Rows));
    cases.push_back(dotCase(numbered("large", {rows}), {rows, 600}, {600, 350},
                            {}, {}, {1}, {0}, Epilogue::None, Unknown::Rows));
  }
  check(cases);
}

TEST(Contraction, BatchesAndSeveralDimensions) {
  check({
      dotCase("batch", {3, 17, 20}, {3, 20, 33}, {0}, {0}, {2}, {1}),
      dotCase("heads", {2, 9, 3, 32}, {2, 11, 3, 32}, {0, 2}, {0, 2}, {3}, {3}),
      dotCase("values", {2, 3, 9, 11}, {2, 11, 3, 32}, {0, 1}, {0, 2}, {3},
              {1}),
      dotCase("rows", {4, 5, 20}, {20, 18}, {}, {}, {2}, {0}),
      dotCase("columns", {6, 20}, {20, 3, 18}, {}, {}, {1}, {0}),
      dotCase("sums", {6, 4, 5}, {4, 5, 18}, {}, {}, {1, 2}, {0, 1}),
      dotCase("crossed", {6, 4, 5}, {5, 4, 18}, {}, {}, {1, 2}, {1, 0}),
      dotCase("crossed_packed", {6, 4, 5}, {18, 5, 4}, {}, {}, {1, 2}, {2, 1}),
      dotCase("vector", {70, 33}, {33}, {}, {}, {1}, {0}),
      dotCase("covector", {33}, {33, 70}, {}, {}, {0}, {0}),
      dotCase("scalar", {33}, {33}, {}, {}, {0}, {0}),
      dotCase("outer", {5}, {19}, {}, {}, {}, {}),
      dotCase("narrow", {70, 33}, {33, 2}, {}, {}, {1}, {0}),
      dotCase("one_column", {70, 33}, {33, 1}, {}, {}, {1}, {0}),
      dotCase("large", {50, 600}, {600, 350}, {}, {}, {1}, {0}),
      dotCase("deep", {9, 1000}, {70, 1000}, {}, {}, {1}, {1}),
  });
}

TEST(Contraction, Epilogues) {
  check({
      dotCase("plain", {50, 17}, {17, 65}, {}, {}, {1}, {0},
              Epilogue::BiasRelu),
      dotCase("right", {50, 17}, {65, 17}, {}, {}, {1}, {1},
              Epilogue::BiasRelu),
      dotCase("narrow", {50, 17}, {17, 2}, {}, {}, {1}, {0},
              Epilogue::BiasRelu),
      dotCase("row", {1, 17}, {17, 300}, {}, {}, {1}, {0}, Epilogue::BiasRelu),
      convolutionCase("image", {1, 9, 9, 5}, {3, 3, 5, 20},
                      {{1, 1}, {1, 1, 1, 1}, {1, 1}}, 1, Epilogue::BiasRelu),
  });
}

TEST(Contraction, Convolutions) {
  std::vector<Case> cases;
  int number = 0;
  for (Window window : {Window{{1, 1}, {0, 0, 0, 0}, {1, 1}},
                        {{1, 1}, {1, 1, 1, 1}, {1, 1}},
                        {{2, 2}, {1, 1, 1, 1}, {1, 1}},
                        {{2, 1}, {0, 1, 2, 0}, {1, 1}},
                        {{1, 1}, {2, 2, 2, 2}, {2, 2}},
                        {{1, 2}, {0, 0, 1, 1}, {1, 2}},
                        {{1, 1}, {-1, 0, 0, -1}, {1, 1}}})
    for (int64_t channels : {3, 20}) {
      std::string name = "conv_" + std::to_string(number++);
      cases.push_back(convolutionCase(name, {2, 9, 11, channels},
                                      {3, 3, channels, 18}, window));
    }
  cases.push_back(convolutionCase("stem", {1, 23, 23, 3}, {7, 7, 3, 64},
                                  {{2, 2}, {3, 3, 3, 3}, {1, 1}}));
  cases.push_back(convolutionCase("large", {1, 7, 7, 170}, {3, 3, 170, 130},
                                  {{1, 1}, {1, 1, 1, 1}, {1, 1}}));
  for (int64_t channels : {64, 200, 256})
    cases.push_back(convolutionCase("blocks_" + std::to_string(channels),
                                    {1, 6, 7, channels}, {3, 3, channels, 20},
                                    {{1, 1}, {1, 1, 1, 1}, {1, 1}}));
  cases.push_back(convolutionCase("one", {1, 7, 7, 30}, {1, 1, 30, 50},
                                  {{1, 1}, {0, 0, 0, 0}, {1, 1}}));
  cases.push_back(convolutionCase("one_stride", {2, 8, 7, 30}, {1, 1, 30, 50},
                                  {{2, 2}, {0, 0, 0, 0}, {1, 1}}));
  check(cases);
}

TEST(Contraction, GroupedConvolutions) {
  std::vector<Case> cases;
  int number = 0;
  for (Window window : {Window{{1, 1}, {1, 1, 1, 1}, {1, 1}},
                        {{2, 2}, {1, 1, 1, 1}, {1, 1}},
                        {{1, 1}, {2, 2, 2, 2}, {2, 2}},
                        {{2, 2}, {0, 1, 0, 1}, {1, 1}}})
    for (int64_t channels : {5, 16, 72})
      cases.push_back(convolutionCase("depth_" + std::to_string(number++),
                                      {2, 9, 11, channels}, {3, 3, 1, channels},
                                      window, channels));
  cases.push_back(convolutionCase("groups", {1, 9, 11, 12}, {3, 3, 4, 18},
                                  {{1, 1}, {1, 1, 1, 1}, {1, 1}}, 3));
  cases.push_back(convolutionCase("multiplied", {1, 9, 11, 6}, {3, 3, 1, 12},
                                  {{1, 1}, {1, 1, 1, 1}, {1, 1}}, 6));
  check(cases);
}

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
