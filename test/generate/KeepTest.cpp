// Tests prompts that continue the call before: the columns that the context
// holds are not computed again. The chain reads kept columns from its memory,
// so a wrong number of them gives another text.
#include "test/generate/Chain.h"

using namespace tenon::test;

namespace {

size_t kept(const Chain &chain) {
  return tenon_generator_kept(chain.generator);
}

TEST(Keep, APromptThatContinuesATextKeepsIt) {
  Chain chain(tenon_generator_options{0, nullptr, 0, 0, 1, 200});
  chain.set("max_new_tokens", 8);
  Ids prompt{3, 1, 4, 1, 5}, text = chain.ids(prompt);
  EXPECT_EQ(kept(chain), 0u);
  // The newest id was not computed.
  Ids next = joined(joined(prompt, text), {9, 2});
  EXPECT_EQ(chain.ids(next), chainAfter(sumOf(next), 8));
  EXPECT_EQ(kept(chain), 12u);
  // The text before is also kept in part.
  Ids other = joined(prompt, {text[0], text[1], 33});
  EXPECT_EQ(chain.ids(other), chainAfter(sumOf(other), 8));
  EXPECT_EQ(kept(chain), 7u);
  EXPECT_EQ(chain.ids({60, 1, 4}), chainAfter(65, 8));
  EXPECT_EQ(kept(chain), 0u);
}

TEST(Keep, TheSamePromptIsComputedForItsLastColumn) {
  Chain chain;
  Ids prompt{3, 1, 4, 1, 5}, text = chain.ids(prompt);
  EXPECT_EQ(chain.ids(prompt), text);
  EXPECT_EQ(kept(chain), 4u);
  EXPECT_EQ(chain.ids({3, 1}), chainAfter(4, 20));
  EXPECT_EQ(kept(chain), 1u);
}

TEST(Keep, ALargerContextHoldsNothing) {
  Chain chain;
  Ids prompt{3, 1, 4, 1, 5}, text = chain.ids(prompt);
  Ids next = joined(prompt, text);
  EXPECT_EQ(chain.ids(next), chainAfter(sumOf(next), 20));
  EXPECT_EQ(kept(chain), 0u);
}

TEST(Keep, PromptsOfABatchAreKeptIfTheirPadsAre) {
  Chain chain(tenon_generator_options{0, nullptr, 0, 0, 2, 200});
  chain.set("max_new_tokens", 3);
  ASSERT_EQ(chain.run({{1, 2, 3}, {4}}), TENON_OK);
  Ids first = joined(joined({1, 2, 3}, chain.texts()[0].ids), {7}),
      second = joined(joined({4}, chain.texts()[1].ids), {8});
  ASSERT_EQ(chain.run({first, second}), TENON_OK);
  EXPECT_EQ(kept(chain), 5u);
  EXPECT_EQ(chain.texts()[0].ids, chainAfter(sumOf(first), 3));
  EXPECT_EQ(chain.texts()[1].ids, chainAfter(sumOf(second), 3));
  // With another number of pads the second row has no column in common.
  Ids longer = joined(second, {1});
  ASSERT_EQ(chain.run({first, longer}), TENON_OK);
  EXPECT_EQ(kept(chain), 0u);
  EXPECT_EQ(chain.texts()[1].ids, chainAfter(sumOf(longer), 3));
  ASSERT_EQ(chain.run({first}), TENON_OK);
  EXPECT_EQ(kept(chain), 0u);
}

// After the end of a row the columns have pads, which the model need not hold.
TEST(Keep, ColumnsAfterTheEndOfARowAreNotKept) {
  Chain chain(tenon_generator_options{0, nullptr, 0, 0, 2, 200});
  chain.set("max_new_tokens", 9);
  Ids first = chainAfter(2, 4);
  ASSERT_EQ(
      tenon_generator_set_list(chain.generator, "eos_token_id", &first[3], 1),
      TENON_OK);
  ASSERT_EQ(chain.run({{2}, {30}}), TENON_OK);
  ASSERT_EQ(chain.texts()[1].ids, chainAfter(30, 9));
  std::vector<Ids> prompts{joined(joined({2}, first), {63, 63, 63, 63, 63, 5}),
                           joined(joined({30}, chain.texts()[1].ids), {6})};
  ASSERT_EQ(chain.run(prompts), TENON_OK);
  EXPECT_EQ(kept(chain), 4u);
  EXPECT_EQ(chain.texts()[1].ids[0], chainAfter(sumOf(prompts[1]), 1)[0]);
}

TEST(Keep, SequencesOfBeamsAreNotKept) {
  Chain chain(tenon_generator_options{0, nullptr, 0, 0, 4, 200});
  chain.set("num_beams", 4);
  chain.ids({3, 4});
  Ids next{3, 4, 5};
  EXPECT_EQ(chain.ids(next), chainAfter(12, 20));
  EXPECT_EQ(kept(chain), 0u);
  chain.set("num_beams", 1);
  EXPECT_EQ(chain.ids(next), chainAfter(12, 20));
  EXPECT_EQ(kept(chain), 0u);
  EXPECT_EQ(chain.ids(next), chainAfter(12, 20));
  EXPECT_EQ(kept(chain), 2u);
}

TEST(Keep, AfterARefusalNothingIsHeld) {
  Chain chain;
  chain.ids({3, 4, 5});
  EXPECT_EQ(chain.run({{3, 4, 64}}), TENON_BAD_INPUT);
  EXPECT_EQ(chain.ids({3, 4, 5}), chainAfter(12, 20));
  EXPECT_EQ(kept(chain), 0u);
}

} // namespace
