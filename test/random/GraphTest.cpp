// Tests that random graphs are valid and reproducible, are evaluated without
// error, and keep their meaning under canonicalization and decomposition.
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

  std::vector<HostTensor> evaluateMain(RandomGraph &graph) {
    OracleOptions options;
    options.roundToType = true;
    auto results =
        evaluate(graph.main(), graph.inputs, graph.weightLoader(), options);
    if (results)
      return std::move(*results);
    ADD_FAILURE() << llvm::toString(results.takeError()) << "\n"
                  << textOf(*graph.module);
    return {};
  }

  void expectSame(const std::vector<HostTensor> &expected,
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
    auto bounded = boundedOutputs(graph);
    ASSERT_TRUE(bool(bounded)) << llvm::toString(bounded.takeError());
    std::vector<HostTensor> expected = std::move(*bounded);
    expectSame(expected, evaluateMain(graph), seed, graph);

    llvm::SmallVector<CompositeOp> composites;
    graph.module->walk([&](CompositeOp op) { composites.push_back(op); });
    for (CompositeOp op : composites) {
      OpBuilder builder(op);
      op->replaceAllUsesWith(op.decompose(builder));
      op->erase();
    }
    ASSERT_TRUE(succeeded(verify(*graph.module))) << "seed " << seed;
    expectSame(expected, evaluateMain(graph), seed, graph);

    PassManager passes(&context);
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createCSEPass());
    ASSERT_TRUE(succeeded(passes.run(*graph.module))) << "seed " << seed;
    expectSame(expected, evaluateMain(graph), seed, graph);
  }
  // The graphs must cover most of the dialect.
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

} // namespace
