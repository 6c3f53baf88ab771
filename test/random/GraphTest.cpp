// Random graphs are valid, are evaluated without error, mean the same after
// canonicalization and with composites decomposed, and are reproducible.
#include "test/random/Agreement.h"
#include "test/random/RandomGraph.h"

#include "compiler/oracle/Oracle.h"
#include "dialects/tenon/TenonDialect.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "gtest/gtest.h"

#include <set>

using namespace mlir;
using namespace tenon;

namespace {

std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out);
  return text;
}

class RandomGraphTest : public testing::TestWithParam<RandomGraphOptions> {
protected:
  RandomGraphTest() { loadGraphDialects(context); }

  std::vector<HostTensor> evaluateMain(RandomGraph &graph, bool round) {
    OracleOptions options;
    options.roundToType = round;
    auto results =
        evaluate(graph.main(), graph.inputs, graph.weightLoader(), options);
    if (results)
      return std::move(*results);
    ADD_FAILURE() << llvm::toString(results.takeError()) << "\n"
                  << textOf(*graph.module);
    return {};
  }

  std::vector<Expectation> expectations(RandomGraph &graph) {
    std::vector<HostTensor> ideal = evaluateMain(graph, false);
    std::vector<HostTensor> rounded = evaluateMain(graph, true);
    std::vector<Expectation> expected;
    ValueRange outputs = graph.main().front().getTerminator()->getOperands();
    for (size_t i = 0; i < std::min(ideal.size(), rounded.size()); ++i)
      expected.push_back(
          {ideal[i], rounded[i], graph.exact[i], coarsestRoundoff(outputs[i])});
    return expected;
  }

  void expectSame(const std::vector<Expectation> &expected,
                  const std::vector<HostTensor> &actual, uint64_t seed,
                  RandomGraph &graph) {
    ASSERT_EQ(expected.size(), actual.size());
    for (auto [i, value] : llvm::enumerate(actual))
      EXPECT_EQ(disagreement(expected[i], value), "")
          << "seed " << seed << ", output " << i << "\n"
          << textOf(*graph.module);
  }

  MLIRContext context;
};

TEST_P(RandomGraphTest, MeanTheSameInEveryForm) {
  std::set<std::string> ops;
  for (uint64_t seed = 0; seed < 150 && !HasFailure(); ++seed) {
    RandomGraph graph = buildRandomGraph(context, seed, GetParam());
    ASSERT_TRUE(succeeded(verify(*graph.module))) << "seed " << seed;
    graph.module->walk(
        [&](Operation *op) { ops.insert(op->getName().getStringRef().str()); });
    std::vector<Expectation> expected = expectations(graph);
    // Rounded at every op, an exact output keeps its bits.
    for (Expectation &output : expected)
      if (output.exact) {
        EXPECT_EQ(output.ideal.ints, output.rounded.ints) << "seed " << seed;
        EXPECT_EQ(disagreement(output, output.rounded), "") << "seed " << seed;
      }

    llvm::SmallVector<CompositeOp> composites;
    graph.module->walk([&](CompositeOp op) { composites.push_back(op); });
    for (CompositeOp op : composites) {
      OpBuilder builder(op);
      op->replaceAllUsesWith(op.decompose(builder));
      op->erase();
    }
    ASSERT_TRUE(succeeded(verify(*graph.module))) << "seed " << seed;
    expectSame(expected, evaluateMain(graph, true), seed, graph);

    PassManager passes(&context);
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createCSEPass());
    ASSERT_TRUE(succeeded(passes.run(*graph.module))) << "seed " << seed;
    expectSame(expected, evaluateMain(graph, true), seed, graph);
  }
  // Most of the dialect has been among them.
  EXPECT_GE(ops.size(), 70u);
}

TEST_P(RandomGraphTest, AreReproducible) {
  RandomGraph a = buildRandomGraph(context, 5, GetParam());
  RandomGraph b = buildRandomGraph(context, 5, GetParam());
  RandomGraph c = buildRandomGraph(context, 6, GetParam());
  EXPECT_EQ(textOf(*a.module), textOf(*b.module));
  EXPECT_NE(textOf(*a.module), textOf(*c.module));
}

INSTANTIATE_TEST_SUITE_P(
    Graphs, RandomGraphTest,
    testing::Values(RandomGraphOptions{},
                    RandomGraphOptions{.steps = 30, .dynamic = true},
                    RandomGraphOptions{.steps = 8,
                                       .dynamic = true,
                                       .dataDependent = true,
                                       .narrowFloats = false}));

TEST(AgreementTest, NamesTheElementThatDiffers) {
  MLIRContext context;
  Builder builder(&context);
  auto floats = [&](std::vector<double> values) {
    return HostTensor{
        builder.getF32Type(), {int64_t(values.size())}, values, {}};
  };
  double nan = std::numeric_limits<double>::quiet_NaN();
  Expectation close{floats({1, nan, 0}), floats({1 + 0x1p-20, nan, 0}), false};
  EXPECT_EQ(disagreement(close, floats({1 + 0x1p-19, nan, -0.0})), "");
  EXPECT_NE(disagreement(close, floats({1 + 0x1p-15, nan, 0})), "");
  EXPECT_NE(disagreement(close, floats({1, 2, 0})), "");
  EXPECT_NE(disagreement(close, floats({1, nan})), "");
  Expectation exact{floats({1}), floats({1}), true};
  EXPECT_EQ(disagreement(exact, floats({1})), "");
  EXPECT_NE(disagreement(exact, floats({1 + 0x1p-23})), "");
  HostTensor i{builder.getI32Type(), {1}, {}, {3}}, j = i;
  j.ints[0] = 4;
  // What was computed in f16 keeps its error in f32.
  close.roundoff = 0x1p-10;
  EXPECT_EQ(disagreement(close, floats({1 + 0x1p-9, nan, 0})), "");
  EXPECT_NE(disagreement(close, floats({1 + 0x1p-6, nan, 0})), "");
  EXPECT_EQ(disagreement({i, i, true}, j), "element 0: expected 3, got 4");
}

} // namespace
