// Tests that a correct evaluation in any order agrees, and that a wrong
// element, a missing term or permuted elements do not.
#include "test/random/Agreement.h"

#include "compiler/oracle/RandomTensor.h"
#include "dialects/tenon/TenonDialect.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <limits>

using namespace mlir;
using namespace tenon;

namespace {

struct AgreementTest : testing::Test {
  AgreementTest() { loadGraphDialects(context); }

  RandomGraph graphOf(const std::string &text, std::vector<HostTensor> inputs) {
    RandomGraph graph;
    graph.module = parseSourceString<ModuleOp>(text, &context);
    graph.inputs = std::move(inputs);
    EXPECT_TRUE(graph.module) << text;
    return graph;
  }
  HostTensor expectedOf(const RandomGraph &graph) {
    auto outputs = boundedOutputs(graph);
    EXPECT_TRUE(bool(outputs)) << llvm::toString(outputs.takeError());
    return (*outputs)[0];
  }
  HostTensor floats(std::vector<double> values) {
    return {builder.getF32Type(), {int64_t(values.size())}, values, {}};
  }
  HostTensor drawn(llvm::ArrayRef<int64_t> shape, double low, double high) {
    return randomTensor(random, builder.getF32Type(), shape, low, high);
  }

  MLIRContext context;
  Builder builder{&context};
  RandomStream random{7};
};

TEST_F(AgreementTest, NamesTheElementThatDiffers) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  HostTensor close = floats({1, nan, 0});
  close.errors = {0x1p-20, 0, 0};
  EXPECT_EQ(disagreement(close, floats({1 + 0x1p-20, nan, -0.0})), "");
  EXPECT_NE(disagreement(close, floats({1 + 0x1p-19, nan, 0})), "");
  EXPECT_NE(disagreement(close, floats({1, 2, 0})), "");
  EXPECT_NE(disagreement(close, floats({1, nan, 0x1p-60})), "");
  EXPECT_NE(disagreement(close, floats({1, nan})), "");
  EXPECT_EQ(disagreement(floats({1}), floats({1})), "");
  EXPECT_NE(disagreement(floats({1}), floats({1 + 0x1p-23})), "");
  HostTensor i{builder.getI32Type(), {1}, {}, {3}}, j = i;
  j.ints[0] = 4;
  EXPECT_EQ(disagreement(i, j), "element 0: expected 3, got 4");
}

TEST_F(AgreementTest, TellsAWrongProductFromARoundedOne) {
  HostTensor a = drawn({4, 64}, 0.5, 2), b = drawn({64, 5}, 0.5, 2);
  RandomGraph graph = graphOf(R"(
    func.func @main(%a: tensor<4x64xf32>, %b: tensor<64x5xf32>) -> tensor<4x5xf32> {
      %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] : (tensor<4x64xf32>, tensor<64x5xf32>) -> tensor<4x5xf32>
      return %0 : tensor<4x5xf32>
    })",
                              {a, b});
  HostTensor expected = expectedOf(graph);
  // Single precision, summed from the last term to the first.
  auto product = [&](int64_t terms) {
    HostTensor result = HostTensor::zeros(builder.getF32Type(), {4, 5});
    for (int64_t i = 0; i < 20; ++i) {
      float sum = 0;
      for (int64_t k = terms; k-- > 0;)
        sum += float(a.floats[i / 5 * 64 + k]) * float(b.floats[k * 5 + i % 5]);
      result.floats[i] = sum;
    }
    return result;
  };
  EXPECT_EQ(disagreement(expected, product(64)), "");
  EXPECT_NE(disagreement(expected, product(63)), "");
  for (int64_t i = 0; i < 20; ++i) {
    HostTensor wrong = product(64);
    wrong.floats[i] *= 1 + 1e-4;
    EXPECT_NE(disagreement(expected, wrong), "") << i;
  }
  HostTensor exchanged = product(64);
  std::swap(exchanged.floats[3], exchanged.floats[4]);
  EXPECT_NE(disagreement(expected, exchanged), "");
}

TEST_F(AgreementTest, AllowsWhatCancellationLeaves) {
  RandomGraph graph = graphOf(R"(
    func.func @main(%x: tensor<3x2xf32>) -> tensor<2xf32> {
      %0 = tenon.reduce add %x over [0] : (tensor<3x2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    })",
                              {});
  HostTensor x = floats({1e6, 1, 0.3, 0.3, -1e6, -1});
  x.shape = {3, 2};
  graph.inputs = {x};
  HostTensor expected = expectedOf(graph);
  // (1e6 + 0.3) - 1e6 is 0.3125 in single precision.
  EXPECT_EQ(disagreement(expected, floats({0.3125, 0.3})), "");
  EXPECT_NE(disagreement(expected, floats({0.3, 0.3125})), "");
}

TEST_F(AgreementTest, CarriesErrorsThroughOps) {
  RandomGraph graph = graphOf(R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tenon.sqrt %x : (tensor<4xf32>) -> tensor<4xf32>
      %1 = tenon.convert %0 to f16 : (tensor<4xf32>) -> tensor<4xf16>
      %2 = tenon.convert %1 to f32 : (tensor<4xf16>) -> tensor<4xf32>
      %3 = tenon.reverse %2 [0] : tensor<4xf32>
      return %3 : tensor<4xf32>
    })",
                              {floats({2, 3, 5, 7})});
  HostTensor expected = expectedOf(graph), other = expected;
  // A value rounded to f16 keeps its error, one unit of f16, as f32.
  other.floats[3] *= 1 + 0x1p-22;
  EXPECT_EQ(disagreement(expected, expected), "");
  other.floats[3] *= 1 + 0x1p-8;
  EXPECT_NE(disagreement(expected, other), "");
  // Moved elements have no error.
  RandomGraph moves = graphOf(R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tenon.reverse %x [0] : tensor<4xf32>
      return %0 : tensor<4xf32>
    })",
                              {floats({2, 3, 5, 7})});
  expected = expectedOf(moves);
  EXPECT_EQ(disagreement(expected, floats({7, 5, 3, 2})), "");
  EXPECT_NE(disagreement(expected, floats({7, 5, 3, 2 + 0x1p-22})), "");
}

// The logarithm's operand may be negative, so its product with zero may be NaN:
// nothing is known about it or about results computed from it.
TEST_F(AgreementTest, AllowsAnythingBehindAnUnboundedError) {
  RandomGraph graph =
      graphOf(R"(
    func.func @main(%x: tensor<3xf32>, %w: tensor<2x1xf32>) -> tensor<2xf32> {
      %0 = tenon.reduce add %x over [0] : (tensor<3xf32>) -> tensor<f32>
      %1 = tenon.log %0 : (tensor<f32>) -> tensor<f32>
      %2 = tenon.reshape %1 sizes [1] : (tensor<f32>) -> tensor<1xf32>
      %3 = tenon.dot_general %w, %2 batch [] x [] contract [1] x [0] : (tensor<2x1xf32>, tensor<1xf32>) -> tensor<2xf32>
      return %3 : tensor<2xf32>
    })",
              {floats({1, 1e8, -1e8}),
               HostTensor{builder.getF32Type(), {2, 1}, {0, 1}, {}}});
  HostTensor expected = expectedOf(graph);
  double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(expected.errors, std::vector<double>({infinity, infinity}));
  EXPECT_EQ(disagreement(expected, floats({0, 5})), "");
}

TEST_F(AgreementTest, KnowsWhatSixteenBitSumsAreKeptIn) {
  auto halves = [&](llvm::ArrayRef<int64_t> shape, std::vector<double> values) {
    return HostTensor{builder.getF16Type(),
                      llvm::SmallVector<int64_t>(shape),
                      std::move(values),
                      {}};
  };
  // In f16 2048 + 1 gives 2048; summed in f32 the three terms give 2050.
  RandomGraph reduced = graphOf(R"(
    func.func @main(%x: tensor<3xf16>) -> tensor<f16> {
      %0 = tenon.reduce add %x over [0] : (tensor<3xf16>) -> tensor<f16>
      return %0 : tensor<f16>
    })",
                                {halves({3}, {2048, 1, 1})});
  HostTensor expected = expectedOf(reduced);
  EXPECT_EQ(disagreement(expected, halves({}, {2050})), "");
  EXPECT_NE(disagreement(expected, halves({}, {2048})), "");
  RandomGraph scattered = graphOf(R"(
    func.func @main(%x: tensor<1xf16>, %u: tensor<2xf16>) -> tensor<1xf16> {
      %i = tenon.constant dense<0> : tensor<2x1xi64>
      %0 = tenon.scatter add %x, %i, %u window_dims [] inserted [0] batching [] x [] map [0] vector_dim 1 : (tensor<1xf16>, tensor<2x1xi64>, tensor<2xf16>) -> tensor<1xf16>
      return %0 : tensor<1xf16>
    })",
                                  {halves({1}, {2048}), halves({2}, {1, 1})});
  expected = expectedOf(scattered);
  EXPECT_EQ(disagreement(expected, halves({1}, {2048})), "");
  EXPECT_NE(disagreement(expected, halves({1}, {1024})), "");
}

TEST_F(AgreementTest, CatchesSmallChangesInMostElements) {
  // Each output counts equally, however many elements it has.
  double shares = 0;
  int64_t outputs = 0, elements = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    RandomGraph graph =
        buildRandomGraph(context, seed, {.narrowFloats = false});
    auto bounded = boundedOutputs(graph);
    ASSERT_TRUE(bool(bounded)) << llvm::toString(bounded.takeError());
    for (const HostTensor &output : *bounded) {
      int64_t caught = 0, all = 0;
      for (auto [i, value] : llvm::enumerate(output.floats)) {
        if (!std::isfinite(value) || value == 0)
          continue;
        ++all;
        caught += output.errorAt(i) < 1e-4 * std::fabs(value);
      }
      if (all == 0)
        continue;
      ++outputs;
      elements += all;
      shares += double(caught) / double(all);
    }
  }
  EXPECT_GT(elements, 1000);
  EXPECT_GT(shares, 0.9 * double(outputs)) << outputs;
  RecordProperty("percent", int(100 * shares / double(outputs)));
}

} // namespace
