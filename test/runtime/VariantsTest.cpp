// Tests the counts of the variants that runs have taken: per function and per
// model, for all contexts together.
#include "test/runtime/Session.h"

#include <thread>

namespace tenon::test {
namespace {

std::vector<uint64_t> callsOf(const tenon_model *model, const char *function,
                              size_t count) {
  std::vector<uint64_t> calls(count);
  EXPECT_EQ(tenon_get_calls(model, function, calls.data(), count), TENON_OK);
  return calls;
}

TEST(Variants, CallsAreCounted) {
  Session session;
  EXPECT_EQ(callsOf(session.model, "main", 2), (std::vector<uint64_t>{0, 0}));
  for (int64_t rows : {1, 3, 1, 8, 1}) {
    MainCall call(rows);
    EXPECT_EQ(call.run(session.context), TENON_OK);
  }
  EXPECT_EQ(callsOf(session.model, nullptr, 2), (std::vector<uint64_t>{2, 3}));
  EXPECT_EQ(callsOf(session.model, "pick", 1), (std::vector<uint64_t>{0}));
}

TEST(Variants, WhatIsRefusedOrPlannedIsNoCall) {
  Session session;
  MainCall call(9);
  EXPECT_EQ(call.run(session.context), TENON_BAD_INPUT);
  MainCall planned(1);
  tenon_tensor inputs[] = {tensorOn(planned.a, planned.aDims),
                           tensorOn(planned.b, planned.bDims)};
  tenon_tensor output = ownedOutput();
  EXPECT_EQ(tenon_plan(session.context, "main", inputs, 2, &output, 1, nullptr),
            TENON_OK);
  EXPECT_EQ(callsOf(session.model, "main", 2), (std::vector<uint64_t>{0, 0}));
}

TEST(Variants, ContextsAtOnceCountTogether) {
  Session session;
  auto work = [&] {
    tenon_context *context = nullptr;
    EXPECT_EQ(tenon_context_create(session.model, nullptr, &context), TENON_OK);
    for (int i = 0; i < 500; ++i) {
      MainCall call(i % 2 + 1);
      EXPECT_EQ(call.run(context), TENON_OK);
    }
    EXPECT_EQ(tenon_context_destroy(context), TENON_OK);
  };
  std::thread other(work);
  work();
  other.join();
  EXPECT_EQ(callsOf(session.model, "main", 2),
            (std::vector<uint64_t>{500, 500}));
}

TEST(Variants, WrongQuestions) {
  Session session;
  uint64_t calls[3];
  EXPECT_EQ(tenon_get_calls(nullptr, nullptr, calls, 2), TENON_BAD_INPUT);
  EXPECT_EQ(tenon_get_calls(session.model, "none", calls, 2), TENON_BAD_INPUT);
  EXPECT_EQ(tenon_get_calls(session.model, "main", nullptr, 2),
            TENON_BAD_INPUT);
  EXPECT_EQ(tenon_get_calls(session.model, "main", calls, 1), TENON_BAD_INPUT);
  EXPECT_EQ(tenon_get_calls(session.model, "main", calls, 3), TENON_BAD_INPUT);
}

TEST(Variants, AreDescribed) {
  Session session;
  const tenon_function_desc *main = tenon_find_function(session.model, "main");
  ASSERT_EQ(main->num_variants, 1);
  EXPECT_STREQ(main->variants[0].name, "N=1");
  ASSERT_EQ(main->variants[0].num_sizes, 1);
  EXPECT_STREQ(main->variants[0].sizes[0].dim, "N");
  EXPECT_EQ(main->variants[0].sizes[0].size, 1);
}

} // namespace
} // namespace tenon::test
