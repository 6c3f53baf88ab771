// Tests that a backend with a known fault is detected, however it fails, and
// that its graph is reduced to the faulty op.
#include "test/random/GraphCase.h"

#include "compiler/oracle/Oracle.h"
#include "dialects/tenon/TenonDialect.h"

#include "gtest/gtest.h"

#include <csignal>
#include <unistd.h>

using namespace mlir;
using namespace tenon;

namespace {

llvm::Expected<std::vector<HostTensor>> evaluateMain(RandomGraph &graph) {
  OracleOptions options;
  options.roundToType = true;
  return evaluate(graph.main(), graph.inputs, graph.weightLoader(), options);
}

bool hasTanh(RandomGraph &graph) {
  return graph.module->walk([](TanhOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Computes something else for every tanh.
llvm::Expected<std::vector<HostTensor>> withoutTanh(RandomGraph &graph) {
  graph.module->walk([](TanhOp op) {
    OpBuilder builder(op);
    op.replaceAllUsesWith(
        LogisticOp::create(builder, op.getLoc(), op.getOperand()).getResult());
  });
  return evaluateMain(graph);
}

class GraphCaseTest : public testing::Test {
protected:
  GraphCaseTest() : context(MLIRContext::Threading::DISABLED) {
    loadGraphDialects(context);
    // Find a graph of many ops whose outputs depend on a tanh.
    for (uint64_t seed = 1; seed < 200; ++seed) {
      graph = buildRandomGraph(context, seed, {.steps = 20});
      if (hasTanh(graph) &&
          runAndCompare(graph, withoutTanh, 20).verdict == Verdict::Differs)
        break;
    }
  }

  void expectTanhAlone(const Backend &backend, Verdict verdict) {
    ASSERT_EQ(runAndCompare(graph, backend, 20).verdict, verdict);
    RandomGraph least = reduce(graph, backend, 20, verdict);
    EXPECT_TRUE(hasTanh(least));
    func::FuncOp main = least.main();
    // Three ops remain at most: the tanh on an input, and the return.
    EXPECT_LE(main.front().getOperations().size(), 3u);
    EXPECT_EQ(least.inputs.size(), main.getNumArguments());
  }

  MLIRContext context;
  RandomGraph graph;
};

TEST_F(GraphCaseTest, AgreesWithItself) {
  Outcome outcome = runAndCompare(graph, evaluateMain, 20);
  EXPECT_EQ(outcome.verdict, Verdict::Agrees) << outcome.text;
}

TEST_F(GraphCaseTest, FindsAWrongOp) {
  expectTanhAlone(withoutTanh, Verdict::Differs);
}

TEST_F(GraphCaseTest, FindsARefusal) {
  expectTanhAlone(
      [](RandomGraph &graph) -> llvm::Expected<std::vector<HostTensor>> {
        if (hasTanh(graph))
          return llvm::createStringError("no tanh here");
        return evaluateMain(graph);
      },
      Verdict::Refused);
}

TEST_F(GraphCaseTest, SurvivesACrash) {
  expectTanhAlone(
      [](RandomGraph &graph) {
        if (hasTanh(graph))
          raise(SIGKILL);
        return evaluateMain(graph);
      },
      Verdict::Crashed);
}

TEST_F(GraphCaseTest, EndsWhatDoesNotEnd) {
  Outcome outcome = runAndCompare(
      graph,
      [](RandomGraph &graph) {
        pause();
        return evaluateMain(graph);
      },
      1);
  EXPECT_EQ(outcome.verdict, Verdict::Crashed);
}

} // namespace
