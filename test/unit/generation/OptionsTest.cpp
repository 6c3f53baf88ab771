// Tests the table of options, the inputs of `start` and the limits of lists.
#include "compiler/import/huggingface/generation/OptionTable.h"
#include "compiler/oracle/Oracle.h"
#include "test/unit/generation/StepModule.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace tenon::test {
namespace {

using namespace hf;

class GenerationOptions : public testing::Test {
protected:
  GenerationOptions() : g(&context) { loadImportDialects(context); }

  SmallVector<EntryArgument> inputs(const GenerationConfig &defaults = {}) {
    return Options(g, defaults, 97).inputs();
  }

  EntryArgument input(Option option, const GenerationConfig &defaults) {
    return inputs(defaults)[size_t(option)];
  }

  template <typename T>
  std::vector<T> valuesOf(Option option, const GenerationConfig &defaults) {
    auto values = input(option, defaults).defaultValue.getValues<T>();
    return {values.begin(), values.end()};
  }

  /// Runs `start` with `defaults`, where option `changed` has `value` instead.
  std::string start(Option changed, HostTensor value,
                    const GenerationConfig &defaults, OracleState *state) {
    OwningOpRef<ModuleOp> module = makeStepModule(context, {}, 97);
    std::vector<HostTensor> values;
    for (const EntryArgument &input : inputs(defaults))
      values.push_back(cantFail(HostTensor::fromAttr(input.defaultValue)));
    values[size_t(changed)] = std::move(value);
    auto done = evaluate(module->lookupSymbol<func::FuncOp>("start"), values,
                         {}, {}, {}, state);
    return done ? "" : llvm::toString(done.takeError());
  }

  HostTensor integers(ArrayRef<int64_t> shape, int64_t value) {
    HostTensor tensor = HostTensor::zeros(g.i64(), shape);
    std::fill(tensor.ints.begin(), tensor.ints.end(), value);
    return tensor;
  }

  MLIRContext context;
  GraphBuilder g;
};

TEST_F(GenerationOptions, TheTableIsInTheOrderOfTheOptions) {
  for (auto [i, row] : llvm::enumerate(optionTable()))
    EXPECT_EQ(size_t(row.option), i) << row.name.str();
}

TEST_F(GenerationOptions, DefaultsAreWithinTheirRanges) {
  for (const EntryArgument &input : inputs()) {
    SCOPED_TRACE(input.name);
    EXPECT_TRUE(succeeded(
        verifyCompatibleShape(input.type, input.defaultValue.getType())));
    Type element = input.type.getElementType();
    EXPECT_EQ(!input.range, element.isInteger(1) || input.name == "seed");
    if (input.type.getRank() > 0 || !input.range)
      continue;
    if (element.isF32()) {
      auto [least, greatest] = input.range.floats();
      EXPECT_GE(*input.defaultValue.value_begin<float>(), least);
      EXPECT_LE(*input.defaultValue.value_begin<float>(), greatest);
    } else {
      auto [least, greatest] = input.range.integers();
      EXPECT_GE(*input.defaultValue.value_begin<int64_t>(), least);
      EXPECT_LE(*input.defaultValue.value_begin<int64_t>(), greatest);
    }
  }
}

TEST_F(GenerationOptions, DefaultsAreTheCheckpoints) {
  GenerationConfig config;
  EXPECT_EQ(valuesOf<int64_t>(Option::MaxLength, config),
            std::vector<int64_t>{-1});
  EXPECT_EQ(valuesOf<int64_t>(Option::PadTokenId, config),
            std::vector<int64_t>{0});
  config.endTokens = {5, 8};
  config.temperature = 0.5;
  config.earlyStopping = EarlyStopping::Never;
  config.badWords = {{3}, {1, 2, 4}};
  config.sequenceBias = {{{6, 7}, -1.5}};
  config.lengthDecay = {9, 1.25};
  EXPECT_EQ(valuesOf<int64_t>(Option::PadTokenId, config),
            std::vector<int64_t>{5});
  EXPECT_EQ(valuesOf<int64_t>(Option::EosTokenId, config),
            (std::vector<int64_t>{5, 8}));
  EXPECT_EQ(valuesOf<float>(Option::Temperature, config),
            std::vector<float>{0.5f});
  EXPECT_EQ(valuesOf<int64_t>(Option::EarlyStopping, config),
            std::vector<int64_t>{2});
  EXPECT_EQ(valuesOf<int64_t>(Option::BadWordsIds, config),
            (std::vector<int64_t>{-1, -1, 3, 1, 2, 4}));
  EXPECT_EQ(valuesOf<float>(Option::SequenceBias, config),
            std::vector<float>{-1.5f});
  EXPECT_EQ(valuesOf<int64_t>(Option::ExponentialDecayStart, config),
            std::vector<int64_t>{9});
}

TEST_F(GenerationOptions, ListsAreLimited) {
  OracleState state;
  EXPECT_EQ(start(Option::EosTokenId, integers({64}, 3), {}, &state), "");
  EXPECT_EQ(start(Option::BadWordsIds, integers({1024, 16}, 3), {}, &state),
            "");
  EXPECT_NE(start(Option::EosTokenId, integers({65}, 3), {}, &state)
                .find("input \"eos_token_id\""),
            std::string::npos);
  EXPECT_NE(start(Option::BadWordsIds, integers({1025, 1}, 3), {}, &state)
                .find("input \"bad_words_ids\""),
            std::string::npos);
  EXPECT_NE(start(Option::SequenceBiasIds, integers({1, 17}, 3), {}, &state)
                .find("input \"sequence_bias_ids\""),
            std::string::npos);
}

// A bad word that is only an end token would let no sequence end.
TEST_F(GenerationOptions, AnEndTokenIsNoBadWord) {
  GenerationConfig config;
  config.endTokens = {3};
  config.badWords = {{3}, {2, 3}, {4}};
  OracleState state;
  EXPECT_EQ(start(Option::Seed, integers({}, 1), config, &state), "");
  const std::vector<int64_t> &kept = state.at("call.option.bad_words_ids").ints;
  EXPECT_EQ(kept[maxWordTokens - 1], -1);
  EXPECT_EQ(kept[2 * maxWordTokens - 1], 3);
  EXPECT_EQ(kept[2 * maxWordTokens - 2], 2);
  EXPECT_EQ(kept[3 * maxWordTokens - 1], 4);
}

} // namespace
} // namespace tenon::test
