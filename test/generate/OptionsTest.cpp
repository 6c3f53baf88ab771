// Tests the options of a generator: set by name and type, and given to the
// model.
#include "test/generate/Chain.h"

#include <cmath>

using namespace tenon::test;

namespace {

TEST(Options, AreSetByName) {
  Chain chain;
  chain.set("do_sample", 1);
  chain.set("seed", 2);
  chain.set("max_new_tokens", 3);
  ASSERT_EQ(tenon_generator_set_f32(chain.generator, "temperature", 0.5f),
            TENON_OK);
  // With a seed the chain adds 4 for each of it.
  Ids expected;
  for (int64_t id = 1; expected.size() < 3;)
    expected.push_back(id = (5 * id + 9) % 64);
  ASSERT_EQ(chain.run({{1}}), TENON_OK) << chain.text();
  EXPECT_EQ(chain.texts()[0].ids, expected);
  EXPECT_EQ(chain.texts()[0].score, -1.5f);
  ASSERT_EQ(tenon_generator_unset(chain.generator, "do_sample"), TENON_OK);
  EXPECT_EQ(chain.ids({1}), chainAfter(1, 3));
  ASSERT_EQ(tenon_generator_unset(chain.generator, nullptr), TENON_OK);
  EXPECT_EQ(chain.ids({1}), chainAfter(1, 20));
}

TEST(Options, AreTensorsOfAnyRank) {
  Chain chain;
  chain.set("max_new_tokens", 3);
  Ids plain = chainAfter(1, 4);
  int64_t words[] = {-1, plain[1], 7, plain[0]}, dims[] = {2, 2};
  tenon_tensor value = {sizeof value, "bad_words_ids", TENON_I64,    2, dims,
                        words,        sizeof words,    TENON_ON_HOST};
  ASSERT_EQ(tenon_generator_set(chain.generator, &value), TENON_OK)
      << chain.text();
  // The value is copied.
  words[1] = words[3] = 0;
  // The first two ids are banned, each in its turn.
  EXPECT_NE(chain.ids({1}), Ids(plain.begin(), plain.begin() + 3));
  EXPECT_EQ(chain.ids({1})[0], plain[1]);
  dims[0] = 0;
  ASSERT_EQ(tenon_generator_set(chain.generator, &value), TENON_OK);
  EXPECT_EQ(chain.ids({1}), chainAfter(1, 3));
}

TEST(Options, AreRefused) {
  Chain chain;
  tenon_generator *generator = chain.generator;
  for (const char *name : {"temprature", "ids", "lengths", "keep", ""}) {
    EXPECT_EQ(tenon_generator_set_i64(generator, name, 1), TENON_BAD_INPUT);
    EXPECT_EQ(chain.text(), "option \"" + std::string(name) +
                                "\": the model has no such option");
  }
  EXPECT_EQ(tenon_generator_set_i64(generator, nullptr, 1), TENON_BAD_INPUT);
  EXPECT_EQ(tenon_generator_unset(generator, "a\nb"), TENON_BAD_INPUT);
  EXPECT_EQ(chain.text(), "option \"a\\x0ab\": the model has no such option");
  EXPECT_EQ(tenon_generator_set_i64(generator, "temperature", 1),
            TENON_BAD_INPUT);
  EXPECT_EQ(
      chain.text(),
      "option \"temperature\": expected f32 of rank 0, got i64 of rank 0");
  EXPECT_EQ(tenon_generator_set_f32(generator, "seed", 1), TENON_BAD_INPUT);
  EXPECT_EQ(tenon_generator_set_i64(generator, "do_sample", 2),
            TENON_BAD_INPUT);
  EXPECT_EQ(chain.text(), "option \"do_sample\": expected 0 or 1, got 2");
  EXPECT_EQ(tenon_generator_set_list(generator, "seed", nullptr, 0),
            TENON_BAD_INPUT);
  int64_t dims[] = {2, 3}, words[5] = {};
  tenon_tensor value = {sizeof value, "bad_words_ids", TENON_I64,    2, dims,
                        words,        sizeof words,    TENON_ON_HOST};
  EXPECT_EQ(tenon_generator_set(generator, &value), TENON_BAD_INPUT);
  EXPECT_EQ(chain.text(),
            "option \"bad_words_ids\": its extents need 48 bytes, got 40");
  dims[0] = -1;
  EXPECT_EQ(tenon_generator_set(generator, &value), TENON_BAD_INPUT);
  EXPECT_EQ(tenon_generator_set(generator, nullptr), TENON_BAD_INPUT);
}

// The model's tables have the ranges.
TEST(Options, AreWithinTheirRanges) {
  Chain chain;
  for (float value : {0.f, -1.f, NAN, 1e30f}) {
    ASSERT_EQ(tenon_generator_set_f32(chain.generator, "temperature", value),
              TENON_OK);
    EXPECT_EQ(chain.run({{1}}), TENON_BAD_INPUT) << value;
    EXPECT_EQ(chain.text().find("input \"temperature\": expected 1e-06 to "
                                "1e+06, got "),
              0u)
        << chain.text();
  }
  tenon_generator_unset(chain.generator, nullptr);
  for (int64_t value : {int64_t(-2), INT64_MAX, INT64_MIN}) {
    chain.set("max_new_tokens", value);
    EXPECT_EQ(chain.run({{1}}), TENON_BAD_INPUT) << value;
  }
  tenon_generator_unset(chain.generator, nullptr);
  for (int64_t value : {int64_t(0), int64_t(-5), INT64_MAX}) {
    chain.set("num_return_sequences", value);
    EXPECT_EQ(chain.run({{1}, {2}}), TENON_BAD_INPUT) << value;
  }
  tenon_generator_unset(chain.generator, nullptr);
  EXPECT_EQ(chain.ids({1}), chainAfter(1, 20));
}

TEST(Options, NeedAGenerationModel) {
  tenon_generator *generator = nullptr;
  EXPECT_EQ(tenon_generator_create(nullptr, nullptr, &generator),
            TENON_BAD_INPUT);
  EXPECT_EQ(tenon_generator_create(nullptr, nullptr, nullptr), TENON_BAD_INPUT);
  EXPECT_EQ(tenon_generator_set_i64(nullptr, "seed", 1), TENON_BAD_INPUT);
  EXPECT_EQ(tenon_generator_destroy(nullptr), TENON_OK);
  Chain chain;
  tenon_generator_options options = {};
  options.struct_size = sizeof options;
  options.rows = -1;
  EXPECT_EQ(tenon_generator_create(chain.model, &options, &generator),
            TENON_BAD_INPUT);
  EXPECT_EQ(generator, nullptr);
}

} // namespace
