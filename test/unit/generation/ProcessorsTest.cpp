// Tests processors and warpers by random options: what the oracle and compiled
// code compute against the reference.
#include "compiler/oracle/Oracle.h"
#include "test/unit/generation/CompiledStep.h"
#include "test/unit/generation/RandomStep.h"
#include "test/unit/generation/StepModule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

using namespace mlir;

namespace tenon::test {
namespace {

/// Runs an entry of a module on inputs.
using Runner = std::function<std::vector<HostTensor>(
    func::FuncOp entry, ArrayRef<HostTensor> inputs)>;

class Processors : public testing::Test {
protected:
  /// Runs `start` for the options of the step.
  void start(const RandomStep &step, ModuleOp module, const Runner &runner) {
    GraphBuilder g(&context);
    std::vector<HostTensor> inputs;
    for (const EntryArgument &input :
         hf::Options(g, step.options, step.vocabulary).inputs())
      inputs.push_back(cantFail(HostTensor::fromAttr(input.defaultValue)));
    runner(module.lookupSymbol<func::FuncOp>("start"), inputs);
  }

  /// Runs `entry` on all rows of the step.
  std::vector<Row> change(const char *entry, const RandomStep &step,
                          ArrayRef<Row> rows, ModuleOp module,
                          const Runner &runner) {
    Builder b(&context);
    Type i64 = b.getI64Type();
    HostTensor ids = HostTensor::zeros(i64, {step.rows, step.positions});
    ids.ints = step.ids;
    HostTensor scores =
        HostTensor::zeros(b.getF32Type(), {step.rows, step.vocabulary});
    scores.floats.clear();
    for (const Row &row : rows)
      llvm::append_range(scores.floats, row);
    std::vector<HostTensor> inputs = {scores,
                                      ids,
                                      HostTensor::scalar(i64, step.length),
                                      HostTensor::scalar(i64, step.prompt),
                                      HostTensor::scalar(i64, step.maxLength),
                                      HostTensor::scalar(i64, step.beams)};
    auto function = module.lookupSymbol<func::FuncOp>(entry);
    if (function.getNumArguments() > inputs.size()) {
      inputs.push_back(HostTensor::zeros(i64, {step.rows, step.sourceColumns}));
      inputs.back().ints = step.source;
    }
    return rowsOf(runner(function, inputs)[0]);
  }

  static std::vector<Row> rowsOf(const HostTensor &tensor) {
    std::vector<Row> rows;
    for (int64_t row = 0; row < tensor.shape[0]; ++row) {
      auto first = tensor.floats.begin() + row * tensor.shape[1];
      rows.emplace_back(first, first + tensor.shape[1]);
    }
    return rows;
  }

  /// Equal up to the rounding of a few operations.
  static testing::AssertionResult agree(const Row &found, const Row &expected) {
    for (size_t i = 0; i < expected.size(); ++i) {
      float a = found[i], b = expected[i];
      bool equal = std::isfinite(b)
                       ? std::abs(a - b) <= 2e-6f * std::max(1.f, std::abs(b))
                       : a == b || (std::isnan(a) && std::isnan(b));
      if (!equal)
        return testing::AssertionFailure()
               << "token " << i << ": " << a << ", expected " << b;
    }
    return testing::AssertionSuccess();
  }

  void expectProcessed(const RandomStep &step, const RowStep &at,
                       const Row &scores, const Row &found, int64_t row) {
    Warped wanted{referenceProcessed(step.options, at, scores)};
    if (step.options.speech)
      wanted = referenceTimestamps(step.options, at, wanted.scores);
    if (wanted.isClear) {
      EXPECT_TRUE(agree(found, wanted.scores))
          << (at.source ? "processors with a source, row " : "processors, row ")
          << row;
    }
  }

  void expectReference(const RandomStep &step, ModuleOp module,
                       const Runner &runner) {
    start(step, module, runner);
    std::vector<Row> scores;
    for (int64_t i = 0; i < step.rows; ++i)
      scores.push_back(step.scoresOf(i));
    std::vector<Row> processed =
        change("process", step, scores, module, runner);
    std::vector<Row> withSource =
        change("process_with_source", step, scores, module, runner);
    std::vector<Row> warped = change("warp", step, processed, module, runner);
    for (int64_t i = 0; i < step.rows; ++i) {
      RowStep at = step.row(i);
      expectProcessed(step, at, scores[i], processed[i], i);
      expectProcessed(step, step.rowWithSource(i), scores[i], withSource[i], i);
      Warped expected = referenceWarped(step.options, at, processed[i]);
      ++rows;
      if (!expected.isClear)
        continue;
      ++clearRows;
      if (step.options.renormalize)
        expected.scores = referenceLogSoftmax(expected.scores);
      EXPECT_TRUE(agree(warped[i], expected.scores)) << "warpers, row " << i;
    }
  }

  void expectReference(int64_t vocabulary, int count, const Runner &runner,
                       ModuleOp module,
                       const hf::GenerationConfig &defaults = {}) {
    for (int seed = 0; seed < count && !HasFailure(); ++seed) {
      SCOPED_TRACE("vocabulary " + std::to_string(vocabulary) + ", seed " +
                   std::to_string(seed));
      RandomStep step(seed, vocabulary);
      if (defaults.speech)
        step.writeSpeech(*defaults.speech, seed);
      expectReference(step, module, runner);
    }
  }

  /// A row of few tokens has often none that is left.
  void TearDown() override { EXPECT_GT(clearRows, rows / 2); }

  MLIRContext context;
  int rows = 0, clearRows = 0;
};

TEST_F(Processors, AreTheReferencesInTheOracle) {
  for (int64_t vocabulary : {1, 5, 97}) {
    OwningOpRef<ModuleOp> module = makeStepModule(context, {}, vocabulary);
    ASSERT_TRUE(module);
    OracleState state;
    expectReference(
        vocabulary, 150,
        [&](func::FuncOp entry, ArrayRef<HostTensor> inputs) {
          OracleOptions options;
          options.roundToType = true;
          return cantFail(evaluate(entry, inputs, {}, options, {}, &state));
        },
        *module);
  }
}

TEST_F(Processors, AreTheReferencesInCompiledCode) {
  for (int64_t vocabulary : {5, 97, 3001}) {
    OwningOpRef<ModuleOp> module = makeStepModule(context, {}, vocabulary);
    ASSERT_TRUE(module);
    CompiledStep compiled(*module);
    expectReference(
        vocabulary, 300,
        [&](func::FuncOp entry, ArrayRef<HostTensor> inputs) {
          return compiled.run(entry.getName().str(), inputs,
                              entry.getResultTypes());
        },
        *module);
  }
}

TEST_F(Processors, KeepTimestampRules) {
  for (int64_t vocabulary : {13, 97, 3001}) {
    hf::GenerationConfig defaults;
    defaults.speech.emplace();
    // The end among the defaults is that of calls without one.
    defaults.endTokens = {vocabulary};
    defaults.speech->noTimestamps = vocabulary - vocabulary / 3 - 1;
    OwningOpRef<ModuleOp> module =
        makeStepModule(context, defaults, vocabulary);
    ASSERT_TRUE(module);
    OracleState state;
    if (vocabulary < 100)
      expectReference(
          vocabulary, 150,
          [&](func::FuncOp entry, ArrayRef<HostTensor> inputs) {
            OracleOptions options;
            options.roundToType = true;
            return cantFail(evaluate(entry, inputs, {}, options, {}, &state));
          },
          *module, defaults);
    CompiledStep compiled(*module);
    expectReference(
        vocabulary, 400,
        [&](func::FuncOp entry, ArrayRef<HostTensor> inputs) {
          return compiled.run(entry.getName().str(), inputs,
                              entry.getResultTypes());
        },
        *module, defaults);
  }
}

} // namespace
} // namespace tenon::test
