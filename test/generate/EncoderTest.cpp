// Tests a model with an encoder: it reads the prompts, and the decoder begins
// after one token or continues prompts of its own. The model tells by its ids
// which sums it has computed, and which ones it keeps.
#include "test/generate/Chain.h"

using namespace tenon::test;

namespace {

struct Relay : Chain {
  explicit Relay(tenon_generator_options options = {})
      : Chain(options, TENON_TEST_RELAY) {
    set("max_new_tokens", 4);
  }
};

/// What the model makes of a source and a decoder's prompt.
Ids relayed(const Ids &source, const Ids &decoder = {7}) {
  Ids ids;
  for (int64_t i = 0; i < 4; ++i)
    ids.push_back((3 * sumOf(source) + sumOf(decoder) + i) % 64);
  return ids;
}

TEST(Encoder, ReadsThePrompts) {
  Relay relay;
  EXPECT_EQ(relay.ids({1, 2, 3}), relayed({1, 2, 3}));
  relay.set("decoder_start_token_id", 9);
  EXPECT_EQ(relay.ids({1, 2, 3}), relayed({1, 2, 3}, {9}));
}

TEST(Encoder, PromptsOfABatchHavePadsAfterThem) {
  Relay relay;
  ASSERT_EQ(relay.run({{1, 2, 3}, {4}, {5, 6}}), TENON_OK) << relay.text();
  EXPECT_EQ(relay.texts()[0].ids, relayed({1, 2, 3}));
  EXPECT_EQ(relay.texts()[1].ids, relayed({4}));
  EXPECT_EQ(relay.texts()[2].ids, relayed({5, 6}));
}

TEST(Encoder, TheDecoderContinuesPromptsOfItsOwn) {
  Relay relay;
  ASSERT_EQ(relay.run({{1, 2, 3}, {4}}, {{8}, {9, 10, 11}}), TENON_OK)
      << relay.text();
  EXPECT_EQ(relay.texts()[0].ids, relayed({1, 2, 3}, {8}));
  EXPECT_EQ(relay.texts()[1].ids, relayed({4}, {9, 10, 11}));
}

/// The state has the sums of the call before, which a call with another source
/// must compute again.
TEST(Encoder, EqualSourcesAreKept) {
  Relay relay;
  EXPECT_EQ(relay.ids({1, 2, 3}), relayed({1, 2, 3}));
  EXPECT_EQ(relay.ids({1, 2, 3}), relayed({1, 2, 3}));
  EXPECT_EQ(relay.ids({1, 2, 4}), relayed({1, 2, 4}));
  EXPECT_EQ(relay.ids({1, 2}), relayed({1, 2}));
  ASSERT_EQ(relay.run({{1}, {2}}), TENON_OK);
  EXPECT_EQ(relay.texts()[1].ids, relayed({2}));
  ASSERT_EQ(relay.run({{1}, {5}}), TENON_OK);
  EXPECT_EQ(relay.texts()[1].ids, relayed({5}));
  // The same columns, but other lengths: id 63 is the pad.
  ASSERT_EQ(relay.run({{1, 2}, {3}}), TENON_OK);
  ASSERT_EQ(relay.run({{1, 2}, {3, 63}}), TENON_OK);
  EXPECT_EQ(relay.texts()[1].ids, relayed({3, 63}));
}

TEST(Encoder, ALargerContextKeepsNothing) {
  Relay relay;
  EXPECT_EQ(relay.ids({1, 2, 3}), relayed({1, 2, 3}));
  relay.set("max_new_tokens", 40);
  ASSERT_EQ(relay.run({{1, 2, 3}}), TENON_OK) << relay.text();
  EXPECT_EQ(relay.texts()[0].ids[0], relayed({1, 2, 3})[0]);
}

TEST(Encoder, ItsPositionsAreLimited) {
  Relay relay;
  EXPECT_EQ(relay.ids(Ids(32, 1)), relayed(Ids(32, 1)));
  EXPECT_EQ(relay.run({Ids(33, 1)}), TENON_BAD_INPUT);
  EXPECT_EQ(relay.text(), "the call needs 33 encoder positions, the model "
                          "allows up to 32");
  EXPECT_EQ(relay.run({{1}}, {Ids(65, 1)}), TENON_BAD_INPUT);
  EXPECT_EQ(relay.text(), "the call needs 65 positions, the model allows up to "
                          "64");
  EXPECT_EQ(relay.run({{1}}, {{}}), TENON_BAD_INPUT);
  EXPECT_EQ(relay.text(), "decoder prompt 0 has no ids");
}

TEST(Encoder, ItsInputsAreNoOptions) {
  Relay relay;
  for (const char *name : {"encoder_ids", "encoder_lengths", "keep_encoder"})
    EXPECT_EQ(tenon_generator_set_i64(relay.generator, name, 1),
              TENON_BAD_INPUT)
        << name;
}

TEST(Encoder, OtherModelsHaveNoDecoderPrompts) {
  Chain chain;
  EXPECT_EQ(chain.run({{1}}, {{2}}), TENON_UNSUPPORTED);
  EXPECT_EQ(chain.text(), "decoder_prompts: the model has no encoder");
}

} // namespace
