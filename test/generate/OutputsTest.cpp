// Tests that outputs of a model which was written by hand are checked before
// they are used.
#include "runtime/tenon_generate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace {

/// The numbers of wrong.mlir, in the order of its option.
enum Number {
  NewRows,
  NewColumns,
  NewId,
  Rows,
  Columns,
  Id,
  LengthRows,
  Length,
  ScoreRows,
  ReasonRows,
  Reason
};

class Outputs : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(tenon_open(TENON_TEST_WRONG, nullptr, &model), TENON_OK);
    char why[1024] = "";
    tenon_generator_options options = {};
    options.struct_size = sizeof options;
    options.error_text = why;
    options.error_text_bytes = sizeof why;
    ASSERT_EQ(tenon_generator_create(model, &options, &generator), TENON_OK)
        << why;
  }
  void TearDown() override {
    EXPECT_EQ(tenon_generator_destroy(generator), TENON_OK);
    EXPECT_EQ(tenon_close(model), TENON_OK);
  }

  /// Two prompts get the ids 5 5, but for one number.
  tenon_status run(Number at, int64_t number) {
    std::vector<int64_t> numbers{2, 1, 5, 2, 2, 5, 2, 2, 2, 2, 2};
    numbers[at] = number;
    EXPECT_EQ(tenon_generator_set_list(generator, "numbers", numbers.data(),
                                       numbers.size()),
              TENON_OK);
    int64_t id = 1;
    tenon_prompt prompts[] = {{&id, 1}, {&id, 1}};
    tenon_generation call = {};
    call.struct_size = sizeof call;
    call.prompts = prompts;
    call.num_prompts = 2;
    call.on_token = [](void *, size_t, int64_t) { return TENON_GO_ON; };
    return tenon_generator_run(generator, &call);
  }

  void refuses(Number at, int64_t number, const std::string &why) {
    EXPECT_EQ(run(at, number), TENON_UNSUPPORTED) << at << " " << number;
    EXPECT_EQ(tenon_generator_text(generator),
              "the model does not generate text: its function " + why);
    EXPECT_EQ(tenon_generator_num_sequences(generator), 0u);
    // A refused call leaves the generator usable.
    EXPECT_EQ(run(NewId, 5), TENON_OK) << tenon_generator_text(generator);
    EXPECT_EQ(tenon_generator_num_sequences(generator), 2u);
  }

  tenon_model *model = nullptr;
  tenon_generator *generator = nullptr;
};

TEST_F(Outputs, HaveARowForEachSequence) {
  for (int64_t rows : {0, 1, 3}) {
    std::string end = ": expected rows: 2, got " + std::to_string(rows);
    refuses(NewRows, rows, "\"advance\" gave the output \"ids\"" + end);
    refuses(Rows, rows, "\"result\" gave the output \"sequences\"" + end);
    refuses(LengthRows, rows, "\"result\" gave the output \"lengths\"" + end);
    refuses(ScoreRows, rows, "\"result\" gave the output \"scores\"" + end);
    refuses(ReasonRows, rows, "\"result\" gave the output \"reasons\"" + end);
  }
}

// This model has no input for masks.
TEST_F(Outputs, NeedMasksOnlyIfTheCallHasSome) {
  int64_t id = 1;
  tenon_prompt prompt = {&id, 1};
  tenon_generation call = {};
  call.struct_size = sizeof call;
  call.prompts = &prompt;
  call.num_prompts = 1;
  call.allow = [](void *, size_t, size_t, uint8_t *, size_t) { return 0; };
  EXPECT_EQ(tenon_generator_run(generator, &call), TENON_UNSUPPORTED);
  EXPECT_STREQ(tenon_generator_text(generator),
               "the model takes no masks of tokens: its function \"advance\" "
               "has no input \"allowed\" of bool, with the vocabulary as its "
               "second extent");
}

TEST_F(Outputs, HaveNoMoreIdsThanSteps) {
  refuses(NewColumns, 2,
          "\"advance\" gave the output \"ids\": expected columns up to 1, got "
          "2");
  EXPECT_EQ(run(NewColumns, 0), TENON_OK);
  // The ids of beams are known at the end.
  ASSERT_EQ(tenon_generator_set_i64(generator, "num_beams", 2), TENON_OK);
  EXPECT_EQ(run(NewColumns, 0), TENON_OK);
  EXPECT_EQ(run(NewColumns, 1), TENON_UNSUPPORTED);
  EXPECT_STREQ(tenon_generator_text(generator),
               "the model does not generate text: its function \"advance\" "
               "gave the output \"ids\": expected columns up to 0, got 1");
}

TEST_F(Outputs, HaveValuesInTheirRanges) {
  refuses(NewId, -1,
          "\"advance\" gave the output \"ids\": expected values of at least 0, "
          "got -1");
  refuses(Id, -3,
          "\"result\" gave the output \"sequences\": expected values of at "
          "least 0, got -3");
  refuses(Length, -1,
          "\"result\" gave the output \"lengths\": expected values of at least "
          "0, got -1");
  refuses(Length, 3,
          "\"result\" gave the output \"lengths\": expected values of at most "
          "2, got 3");
  refuses(Reason, 3,
          "\"result\" gave the output \"reasons\": expected values of at most "
          "2, got 3");
}

// Models compute the scores of texts without beams on demand.
TEST_F(Outputs, HaveScoresThatWereAskedFor) {
  auto score = [&] {
    EXPECT_EQ(run(NewColumns, 0), TENON_OK) << tenon_generator_text(generator);
    tenon_sequence one = {};
    EXPECT_EQ(tenon_generator_get_sequence(generator, 0, &one), TENON_OK);
    return one.score;
  };
  EXPECT_TRUE(std::isnan(score()));
  EXPECT_EQ(tenon_generator_set_i64(generator, "output_scores", 1), TENON_OK);
  EXPECT_EQ(score(), 0);
  EXPECT_EQ(tenon_generator_set_i64(generator, "output_scores", 0), TENON_OK);
  EXPECT_TRUE(std::isnan(score()));
  EXPECT_EQ(tenon_generator_set_i64(generator, "num_beams", 2), TENON_OK);
  EXPECT_EQ(score(), 0);
}

} // namespace
