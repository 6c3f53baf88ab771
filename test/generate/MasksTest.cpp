// Tests the callback that restricts the next tokens.
#include "test/generate/Chain.h"

using namespace tenon::test;

namespace {

// The chain takes the lowest id that is allowed for one that is not.
TEST(Masks, RestrictEachStep) {
  Chain chain;
  chain.set("max_new_tokens", 4);
  std::vector<size_t> steps;
  chain.allow = [&](size_t sequence, size_t step, uint8_t *mask) {
    EXPECT_EQ(sequence, 0u);
    steps.push_back(step);
    if (step == 1)
      return 0; // all are allowed, whatever the mask has
    for (int i = 0; i < 64; ++i)
      EXPECT_EQ(mask[i], 0) << i;
    // Any byte but zero allows.
    mask[step + 10] = mask[60] = 200;
    return 1;
  };
  Ids expected{10, 51, 12, 13};
  EXPECT_EQ(chain.ids({1}), expected);
  EXPECT_EQ(steps, (std::vector<size_t>{0, 1, 2, 3}));
  // An id that the model chooses itself may be allowed.
  chain.allow = [](size_t, size_t, uint8_t *mask) {
    std::fill(mask + 1, mask + 64, 1);
    return 1;
  };
  EXPECT_EQ(chain.ids({1}), chainAfter(1, 4));
  chain.allow = nullptr;
  EXPECT_EQ(chain.ids({1}), chainAfter(1, 4));
}

TEST(Masks, AreOfSequences) {
  Chain chain;
  chain.set("max_new_tokens", 3);
  chain.set("num_return_sequences", 2);
  // The first sequence ends by its eos, the third by the callback.
  int64_t eos = 9;
  ASSERT_EQ(tenon_generator_set_list(chain.generator, "eos_token_id", &eos, 1),
            TENON_OK);
  std::vector<std::pair<size_t, size_t>> asked;
  chain.allow = [&](size_t sequence, size_t step, uint8_t *mask) {
    asked.push_back({sequence, step});
    mask[sequence == 0 ? 9 : 20 + 10 * step + sequence] = 1;
    return sequence != 3;
  };
  chain.onToken = [](size_t sequence, int64_t) {
    return sequence == 2 ? TENON_STOP_SEQUENCE : TENON_GO_ON;
  };
  ASSERT_EQ(chain.run({{1}, {40}}), TENON_OK) << chain.text();
  std::vector<Text> texts = chain.texts();
  ASSERT_EQ(texts.size(), 4u);
  EXPECT_EQ(texts[0].ids, Ids{9});
  EXPECT_EQ(texts[0].reason, TENON_REASON_EOS);
  EXPECT_EQ(texts[1].ids, (Ids{21, 31, 41}));
  EXPECT_EQ(texts[2].ids, Ids{22});
  EXPECT_EQ(texts[3].ids, chainAfter(41, 3));
  EXPECT_EQ(
      asked,
      (std::vector<std::pair<size_t, size_t>>{
          {0, 0}, {1, 0}, {2, 0}, {3, 0}, {1, 1}, {3, 1}, {1, 2}, {3, 2}}));
}

// The beams of a prompt have one mask.
TEST(Masks, AreOfPromptsInBeamSearch) {
  Chain chain;
  chain.set("max_new_tokens", 2);
  chain.set("num_beams", 4);
  chain.set("num_return_sequences", 2);
  chain.allow = [](size_t prompt, size_t step, uint8_t *mask) {
    EXPECT_LT(prompt, 2u);
    mask[3 + 10 * prompt + step] = 1;
    return 1;
  };
  ASSERT_EQ(chain.run({{1}, {2}}), TENON_OK) << chain.text();
  std::vector<Text> texts = chain.texts();
  ASSERT_EQ(texts.size(), 4u);
  for (size_t i = 0; i < 4; ++i)
    EXPECT_EQ(texts[i].ids, i < 2 ? (Ids{3, 4}) : (Ids{13, 14})) << i;
}

TEST(Masks, WithoutATokenAreRefused) {
  Chain chain;
  chain.allow = [](size_t sequence, size_t step, uint8_t *) {
    return sequence == 1 && step == 2;
  };
  EXPECT_EQ(chain.run({{1}, {2}}), TENON_BAD_INPUT);
  EXPECT_EQ(chain.text(), "the callback allows no token for sequence 1");
  EXPECT_EQ(chain.texts().size(), 0u);
  chain.set("num_beams", 2);
  chain.allow = [](size_t, size_t, uint8_t *) { return 1; };
  EXPECT_EQ(chain.run({{1}, {2}}), TENON_BAD_INPUT);
  EXPECT_EQ(chain.text(), "the callback allows no token for prompt 0");
}

TEST(Masks, MayCancel) {
  Chain chain;
  chain.allow = [&](size_t, size_t step, uint8_t *) {
    if (step == 3)
      tenon_generator_cancel(chain.generator);
    return 0;
  };
  EXPECT_EQ(chain.run({{1}}), TENON_CANCELLED);
  ASSERT_EQ(chain.texts().size(), 1u);
  EXPECT_EQ(chain.texts()[0].ids, chainAfter(1, 3));
}

// A caller that was built before there were masks gives a shorter struct.
TEST(Masks, AreUnknownToOlderCallers) {
  Chain chain;
  int64_t id = 1;
  tenon_prompt prompt = {&id, 1};
  tenon_generation call = {};
  call.struct_size = offsetof(tenon_generation, allow);
  call.prompts = &prompt;
  call.num_prompts = 1;
  call.allow = [](void *, size_t, size_t, uint8_t *, size_t) -> int {
    ADD_FAILURE() << "the struct has no masks";
    return 0;
  };
  EXPECT_EQ(tenon_generator_run(chain.generator, &call), TENON_OK);
  --call.struct_size;
  EXPECT_EQ(tenon_generator_run(chain.generator, &call), TENON_BAD_INPUT);
  EXPECT_EQ(chain.text(), "no call is given, or of an unknown struct_size");
}

} // namespace
