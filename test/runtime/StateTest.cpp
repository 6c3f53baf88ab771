// Tests the state of contexts: its initial values, that each context has its
// own, and its values after runs that fail.
#include "test/runtime/Session.h"

#include <chrono>
#include <cstring>
#include <thread>

using namespace tenon::test;

namespace {

/// Runs `keep` on `context`. Returns the reported total, or -1.
int64_t keep(tenon_context *context, int64_t steps,
             tenon_status expected = TENON_OK) {
  tenon_tensor input = {sizeof input, nullptr, TENON_I64, 0,
                        nullptr,      &steps,  8,         TENON_ON_HOST};
  tenon_tensor output = ownedOutput();
  tenon_status status = tenon_run(context, "keep", &input, 1, &output, 1);
  EXPECT_EQ(status, expected) << tenon_context_text(context);
  return status == TENON_OK ? *static_cast<int64_t *>(output.data) : -1;
}

int64_t totalOf(tenon_context *context) {
  return *static_cast<int64_t *>(tenon_context_state(context));
}
float *rowOf(tenon_context *context) {
  return reinterpret_cast<float *>(
      static_cast<char *>(tenon_context_state(context)) + 64);
}

TEST(State, StartsWithZerosOrWeightsAndStays) {
  Session session;
  EXPECT_EQ(totalOf(session.context), 0);
  EXPECT_EQ(rowOf(session.context)[3], 2.0f);
  EXPECT_EQ(keep(session.context, 3), 3);
  EXPECT_EQ(keep(session.context, 4), 7);
  EXPECT_EQ(rowOf(session.context)[3], 6.0f);
}

TEST(State, WeightsOfAFileToo) {
  Session session(artifact("external/hand-external.so"));
  EXPECT_EQ(rowOf(session.context)[1], 1.0f);
}

TEST(State, EachContextHasItsOwn) {
  Session session;
  tenon_context *other = nullptr;
  EXPECT_EQ(keep(session.context, 5), 5);
  ASSERT_EQ(tenon_context_create(session.model, nullptr, &other), TENON_OK);
  EXPECT_EQ(keep(other, 1), 1);
  EXPECT_EQ(keep(session.context, 1), 6);
  std::thread first([&] {
    for (int i = 0; i < 1000; ++i)
      keep(session.context, 1);
  });
  for (int i = 0; i < 500; ++i)
    keep(other, 1);
  first.join();
  EXPECT_EQ(keep(session.context, 0), 1006);
  EXPECT_EQ(keep(other, 0), 501);
  EXPECT_EQ(tenon_context_destroy(other), TENON_OK);
}

TEST(State, ResetGivesTheFirstValues) {
  Session session;
  keep(session.context, 5);
  EXPECT_EQ(tenon_context_reset_state(session.context), TENON_OK);
  EXPECT_EQ(totalOf(session.context), 0);
  EXPECT_EQ(rowOf(session.context)[0], 0.5f);
  EXPECT_EQ(keep(session.context, 2), 2);
  EXPECT_EQ(tenon_context_reset_state(nullptr), TENON_BAD_INPUT);
  EXPECT_EQ(tenon_context_state(nullptr), nullptr);
}

TEST(State, CanBeSavedAndPutBack) {
  Session session;
  keep(session.context, 5);
  char saved[128];
  memcpy(saved, tenon_context_state(session.context), sizeof saved);
  keep(session.context, 5);
  memcpy(tenon_context_state(session.context), saved, sizeof saved);
  EXPECT_EQ(keep(session.context, 1), 6);
}

// A refused run changes nothing. A run that is stopped keeps what it has
// written until then, and the next run continues from there.
TEST(State, AfterRunsThatFail) {
  Session session;
  keep(session.context, 5);
  tenon_tensor output = ownedOutput();
  EXPECT_EQ(tenon_run(session.context, "keep", nullptr, 0, &output, 1),
            TENON_BAD_INPUT);
  tenon_cancel(session.context);
  keep(session.context, 1, TENON_CANCELLED);
  EXPECT_EQ(totalOf(session.context), 5);

  std::thread canceller([&] {
    while (totalOf(session.context) < 100)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    tenon_cancel(session.context);
  });
  keep(session.context, INT64_MAX, TENON_CANCELLED);
  canceller.join();
  int64_t reached = totalOf(session.context);
  EXPECT_GE(reached, 100);
  EXPECT_EQ(rowOf(session.context)[3], 4.0f);
  EXPECT_EQ(keep(session.context, 1), reached + 1);
  EXPECT_EQ(tenon_context_reset_state(session.context), TENON_OK);
  EXPECT_EQ(keep(session.context, 1), 1);
}

TEST(State, CountsAgainstTheLimit) {
  Session session;
  EXPECT_GE(tenon_context_memory(session.context), 128u);
  char text[256] = "";
  tenon_context_options options = {};
  options.struct_size = sizeof options;
  options.error_text = text;
  options.error_text_bytes = sizeof text;
  options.memory_limit = 127;
  tenon_context *context = nullptr;
  EXPECT_EQ(tenon_context_create(session.model, &options, &context),
            TENON_LIMIT);
  EXPECT_EQ(context, nullptr);
  EXPECT_STREQ(text,
               "the state alone is larger than memory_limit: it has 128 bytes");
  options.memory_limit = 128 + 8;
  ASSERT_EQ(tenon_context_create(session.model, &options, &context), TENON_OK);
  EXPECT_EQ(keep(context, 1), 1);
  EXPECT_EQ(tenon_context_destroy(context), TENON_OK);
}

} // namespace
