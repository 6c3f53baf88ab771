// Tests calls of the generator: what comes back, and what is refused.
#include "test/generate/Chain.h"

#include <cmath>

using namespace tenon::test;

namespace {

TEST(Generate, MakesIdsUntilTheLength) {
  Chain chain;
  chain.set("max_new_tokens", 5);
  ASSERT_EQ(chain.run({{3, 4}}), TENON_OK) << chain.text();
  std::vector<Text> texts = chain.texts();
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_EQ(texts[0].ids, chainAfter(7, 5));
  EXPECT_EQ(texts[0].reason, TENON_REASON_LENGTH);
  EXPECT_EQ(texts[0].score, -5);
  EXPECT_EQ(chain.text(), "");
}

TEST(Generate, EndsAtAnEosId) {
  Chain chain;
  Ids expected = chainAfter(0, 7);
  int64_t eos[] = {63, expected[6]};
  ASSERT_EQ(tenon_generator_set_list(chain.generator, "eos_token_id", eos, 2),
            TENON_OK);
  ASSERT_EQ(chain.run({{0}}), TENON_OK) << chain.text();
  EXPECT_EQ(chain.texts()[0].ids, expected);
  EXPECT_EQ(chain.texts()[0].reason, TENON_REASON_EOS);
}

// Without any length there are 20 new ids. The chain's eos is 32.
TEST(Generate, HasTheDefaultsOfTheModel) {
  Chain chain;
  EXPECT_EQ(chain.ids({1}), chainAfter(1, 20));
  ASSERT_EQ(tenon_generator_unset(chain.generator, "eos_token_id"), TENON_OK);
  int64_t told = 0;
  chain.onToken = [&](size_t sequence, int64_t) {
    told += sequence == 0;
    return TENON_GO_ON;
  };
  ASSERT_EQ(chain.run({{4}, {1}}), TENON_OK) << chain.text();
  EXPECT_EQ(chain.texts()[0].ids, chainAfter(4, 4));
  EXPECT_EQ(chain.texts()[0].ids.back(), 32);
  EXPECT_EQ(chain.texts()[0].reason, TENON_REASON_EOS);
  EXPECT_EQ(told, 4);
}

TEST(Generate, CallsBackForEachIdOfEachSequence) {
  Chain chain;
  chain.set("max_new_tokens", 9);
  // The first row ends after four ids, at its eos.
  Ids first = chainAfter(2, 4), second = chainAfter(30, 9);
  ASSERT_EQ(
      tenon_generator_set_list(chain.generator, "eos_token_id", &first[3], 1),
      TENON_OK);
  std::vector<Ids> told(2);
  chain.onToken = [&](size_t sequence, int64_t id) {
    told.at(sequence).push_back(id);
    return TENON_GO_ON;
  };
  ASSERT_EQ(chain.run({{2}, {10, 20}}), TENON_OK) << chain.text();
  EXPECT_EQ(told[0], first);
  EXPECT_EQ(told[1], second);
  EXPECT_EQ(chain.texts()[0].ids, first);
  EXPECT_EQ(chain.texts()[0].reason, TENON_REASON_EOS);
  EXPECT_EQ(chain.texts()[1].ids, second);
  EXPECT_EQ(chain.texts()[1].reason, TENON_REASON_LENGTH);
}

TEST(Generate, StopsOneSequence) {
  Chain chain;
  chain.set("max_new_tokens", 6);
  int calls = 0;
  chain.onToken = [&](size_t sequence, int64_t) {
    calls += sequence == 0;
    return sequence == 0 && calls == 2 ? TENON_STOP_SEQUENCE : TENON_GO_ON;
  };
  ASSERT_EQ(chain.run({{2}, {3}}), TENON_OK) << chain.text();
  EXPECT_EQ(calls, 2);
  Text first = chain.texts()[0];
  EXPECT_EQ(first.ids, chainAfter(2, 2));
  EXPECT_EQ(first.reason, TENON_REASON_STOPPED);
  EXPECT_TRUE(std::isnan(first.score));
  EXPECT_EQ(chain.texts()[1].ids, chainAfter(3, 6));
}

TEST(Generate, StopsAll) {
  Chain chain;
  int calls = 0;
  chain.onToken = [&](size_t, int64_t) {
    return ++calls == 5 ? TENON_STOP_ALL : TENON_GO_ON;
  };
  ASSERT_EQ(chain.run({{2}, {3}}), TENON_OK) << chain.text();
  EXPECT_EQ(calls, 5);
  EXPECT_EQ(chain.texts()[0].ids, chainAfter(2, 3));
  // Its third id was made but not told.
  EXPECT_EQ(chain.texts()[1].ids, chainAfter(3, 2));
  EXPECT_EQ(chain.texts()[1].reason, TENON_REASON_STOPPED);
}

TEST(Generate, GivesSeveralSequencesOfEachPrompt) {
  Chain chain;
  chain.set("max_new_tokens", 3);
  chain.set("num_return_sequences", 2);
  std::vector<Ids> told(4);
  chain.onToken = [&](size_t sequence, int64_t id) {
    told.at(sequence).push_back(id);
    return TENON_GO_ON;
  };
  ASSERT_EQ(chain.run({{1}, {40}}), TENON_OK) << chain.text();
  std::vector<Text> texts = chain.texts();
  ASSERT_EQ(texts.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(texts[i].ids, chainAfter((i < 2 ? 1 : 40) + i % 2, 3)) << i;
    EXPECT_EQ(told[i], texts[i].ids) << i;
  }
}

TEST(Generate, TellsBeamsAtTheEnd) {
  Chain chain;
  chain.set("max_new_tokens", 40);
  chain.set("num_beams", 4);
  chain.set("num_return_sequences", 2);
  chain.onToken = [&](size_t, int64_t) {
    ADD_FAILURE() << "the ids of beams are not known";
    return TENON_GO_ON;
  };
  ASSERT_EQ(chain.run({{1}}), TENON_OK) << chain.text();
  ASSERT_EQ(chain.texts().size(), 2u);
  EXPECT_EQ(chain.texts()[1].ids, chainAfter(2, 40));
}

// A text ends at the model's last position.
TEST(Generate, EndsAtTheLastPosition) {
  Chain chain;
  chain.set("max_new_tokens", 100);
  Ids prompt(4095, 1);
  ASSERT_EQ(chain.run({prompt}), TENON_OK) << chain.text();
  EXPECT_EQ(chain.texts()[0].ids, chainAfter(4095, 1));
  EXPECT_EQ(chain.texts()[0].reason, TENON_REASON_LENGTH);
  prompt.push_back(1);
  ASSERT_EQ(chain.run({prompt}), TENON_OK) << chain.text();
  EXPECT_EQ(chain.texts()[0].ids, Ids());
}

TEST(Generate, RefusesPrompts) {
  Chain chain;
  EXPECT_EQ(chain.run({}), TENON_BAD_INPUT);
  EXPECT_EQ(chain.text(), "no prompt is given");
  EXPECT_EQ(chain.run({{1}, {}}), TENON_BAD_INPUT);
  EXPECT_EQ(chain.text(), "prompt 1 has no ids");
  EXPECT_EQ(chain.run({Ids(4097, 1)}), TENON_BAD_INPUT);
  EXPECT_EQ(chain.text(),
            "the call needs 4097 positions, the model allows up to 4096");
  EXPECT_EQ(chain.run(std::vector<Ids>(257, {1})), TENON_BAD_INPUT);
  EXPECT_EQ(chain.text(),
            "the call needs 257 rows, for prompts times sequences of each, the "
            "model allows up to 256");
  for (int64_t id : {int64_t(-1), int64_t(64), int64_t(1) << 31}) {
    EXPECT_EQ(chain.run({{1, id}}), TENON_BAD_INPUT);
    EXPECT_EQ(chain.text(), "start: ids: index " + std::to_string(id) +
                                " is not allowed; expected 0 to 63");
    EXPECT_EQ(chain.texts().size(), 0u);
  }
  // A refused call leaves the generator usable.
  EXPECT_EQ(chain.ids({1}), chainAfter(1, 20));
}

// The context is replaced only if a call needs a larger one.
TEST(Generate, GrowsItsContext) {
  Chain chain;
  chain.ids({1});
  tenon_context *context = tenon_generator_context(chain.generator);
  int64_t sizes[2];
  ASSERT_EQ(tenon_context_get_extents(context, sizes, 2), TENON_OK);
  EXPECT_EQ(sizes[0], 1);
  EXPECT_EQ(sizes[1], 21);
  ASSERT_EQ(chain.run({{1, 2, 3}, {4, 5, 6}, {7}}), TENON_OK);
  context = tenon_generator_context(chain.generator);
  ASSERT_EQ(tenon_context_get_extents(context, sizes, 2), TENON_OK);
  EXPECT_EQ(sizes[0], 3);
  EXPECT_EQ(sizes[1], 42);
  ASSERT_EQ(chain.run({{1, 2}, {3}}), TENON_OK);
  EXPECT_EQ(tenon_generator_context(chain.generator), context);
}

TEST(Generate, BeginsWithTheWantedSizes) {
  tenon_generator_options options = {};
  options.rows = 4;
  options.positions = 100000;
  Chain chain(options);
  chain.ids({1});
  int64_t sizes[2];
  ASSERT_EQ(tenon_context_get_extents(tenon_generator_context(chain.generator),
                                      sizes, 2),
            TENON_OK);
  EXPECT_EQ(sizes[0], 4);
  EXPECT_EQ(sizes[1], 4096);
}

TEST(Generate, ObeysTheMemoryLimit) {
  tenon_generator_options options = {};
  options.memory_limit = 100000;
  Chain chain(options);
  EXPECT_EQ(chain.ids({1}), chainAfter(1, 20));
  EXPECT_EQ(chain.run({Ids(4000, 1), {1}, {1}, {1}}), TENON_LIMIT);
  EXPECT_NE(chain.text().find("memory_limit"), std::string::npos)
      << chain.text();
  EXPECT_EQ(chain.ids({1}), chainAfter(1, 20));
}

// A context that grows gets twice its size if the limit allows it, and else the
// size of the call.
TEST(Generate, GrowsToTheMemoryLimit) {
  auto needed = [](int64_t positions) {
    uint64_t least = 0, enough = 1 << 20;
    while (enough - least > 1) {
      tenon_generator_options options = {};
      options.positions = positions;
      options.memory_limit = (least + enough) / 2;
      Chain chain(options);
      bool runs = chain.run({Ids(60, 1)}) == TENON_OK;
      (runs ? enough : least) = options.memory_limit;
    }
    return enough;
  };
  uint64_t exact = needed(80), doubled = needed(120);
  ASSERT_LT(exact, doubled);
  for (uint64_t limit : {exact, doubled - 1, doubled}) {
    tenon_generator_options options = {};
    options.memory_limit = limit;
    Chain chain(options);
    chain.set("max_new_tokens", 59);
    chain.ids({1});
    tenon_generator_unset(chain.generator, "max_new_tokens");
    ASSERT_EQ(chain.ids(Ids(60, 1)), chainAfter(60, 20)) << limit;
    int64_t sizes[2];
    ASSERT_EQ(tenon_context_get_extents(
                  tenon_generator_context(chain.generator), sizes, 2),
              TENON_OK);
    EXPECT_EQ(sizes[1], limit < doubled ? 80 : 120) << limit;
  }
}

} // namespace
