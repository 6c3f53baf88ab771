// Tests calls that end early: cancelled by a callback or another thread, or
// past their deadline. What was made until then is there.
#include "test/generate/Chain.h"

#include <atomic>
#include <thread>

using namespace tenon::test;

namespace {

TEST(Cancel, InACallback) {
  Chain chain;
  int calls = 0;
  chain.onToken = [&](size_t, int64_t) {
    if (++calls == 4)
      tenon_generator_cancel(chain.generator);
    return TENON_GO_ON;
  };
  EXPECT_EQ(chain.run({{1}}), TENON_CANCELLED);
  EXPECT_EQ(chain.text(), "cancelled");
  EXPECT_EQ(calls, 4);
  ASSERT_EQ(chain.texts().size(), 1u);
  EXPECT_EQ(chain.texts()[0].ids, chainAfter(1, 4));
  EXPECT_EQ(chain.texts()[0].reason, TENON_REASON_NONE);
  // The next call is not concerned. It keeps what the cancelled one computed.
  calls = 100;
  Ids next = joined({1}, chainAfter(1, 4));
  ASSERT_EQ(chain.run({next}), TENON_OK) << chain.text();
  EXPECT_EQ(chain.texts()[0].ids, chainAfter(sumOf(next), 20));
}

TEST(Cancel, BeforeACall) {
  Chain chain;
  tenon_generator_cancel(chain.generator);
  EXPECT_EQ(chain.run({{1}}), TENON_CANCELLED);
  EXPECT_EQ(chain.texts().size(), 0u);
  EXPECT_EQ(chain.ids({1}), chainAfter(1, 20));
}

TEST(Cancel, FromAnotherThread) {
  Chain chain;
  chain.set("max_new_tokens", 4000);
  for (int i = 0; i < 20; ++i) {
    std::atomic<bool> began = false, ended = false;
    std::thread canceller([&] {
      while (!began)
        std::this_thread::yield();
      tenon_generator_cancel(chain.generator);
      ended = true;
    });
    chain.onToken = [&](size_t, int64_t) {
      began = true;
      return TENON_GO_ON;
    };
    tenon_status status = chain.run({{1}});
    canceller.join();
    // The call may have been faster.
    ASSERT_TRUE(status == TENON_CANCELLED || status == TENON_OK)
        << chain.text();
    Ids ids = chain.texts().at(0).ids;
    EXPECT_EQ(ids, chainAfter(1, ids.size()));
    if (status == TENON_OK) {
      EXPECT_EQ(ids.size(), 4000u);
      // A cancellation after the end is for the next call.
      chain.run({{1}});
    }
  }
  chain.onToken = nullptr;
  EXPECT_EQ(chain.ids({1}), chainAfter(1, 4000));
}

TEST(Cancel, WithoutACallback) {
  Chain chain;
  chain.set("max_new_tokens", 4000);
  std::atomic<bool> done = false;
  std::thread canceller([&] {
    while (!done)
      tenon_generator_cancel(chain.generator);
  });
  for (int i = 0; i < 50; ++i) {
    // The first calls may be faster than the thread.
    tenon_status status = chain.run({{1}});
    ASSERT_TRUE(status == TENON_CANCELLED || status == TENON_OK)
        << chain.text();
    for (const Text &text : chain.texts())
      EXPECT_EQ(text.ids, chainAfter(1, text.ids.size()));
  }
  done = true;
  canceller.join();
  chain.run({{1}});
  EXPECT_EQ(chain.ids({1}), chainAfter(1, 4000));
}

TEST(Cancel, TheLongestDeadline) {
  Chain chain;
  chain.timeout = INT64_MAX;
  EXPECT_EQ(chain.run({{1}}), TENON_OK) << chain.text();
}

TEST(Cancel, PastTheDeadline) {
  Chain chain;
  chain.timeout = 1;
  EXPECT_EQ(chain.run({{1}}), TENON_CANCELLED);
  EXPECT_EQ(chain.text(), "past the deadline of 0.000 ms");
  EXPECT_EQ(chain.texts().size(), 0u);
  chain.timeout = 200000000;
  size_t calls = 0;
  chain.onToken = [&](size_t, int64_t) {
    if (++calls == 3)
      std::this_thread::sleep_for(std::chrono::milliseconds(250));
    return TENON_GO_ON;
  };
  EXPECT_EQ(chain.run({{1}}), TENON_CANCELLED);
  EXPECT_EQ(chain.text(), "past the deadline of 200.000 ms");
  ASSERT_LE(calls, 3u);
  if (calls > 0)
    EXPECT_EQ(chain.texts().at(0).ids, chainAfter(1, calls));
  chain.timeout = -1;
  EXPECT_EQ(chain.run({{1}}), TENON_BAD_INPUT);
  chain.timeout = 0;
  EXPECT_EQ(chain.ids({1}), chainAfter(1, 20));
}

// A callback may not call the generator.
TEST(Cancel, AGeneratorServesOneCall) {
  Chain chain;
  chain.onToken = [&](size_t, int64_t) {
    tenon_generation call = {};
    call.struct_size = sizeof call;
    EXPECT_EQ(tenon_generator_run(chain.generator, &call), TENON_BAD_INPUT);
    EXPECT_EQ(tenon_generator_set_i64(chain.generator, "seed", 1),
              TENON_BAD_INPUT);
    EXPECT_EQ(tenon_generator_destroy(chain.generator), TENON_BAD_INPUT);
    return TENON_GO_ON;
  };
  EXPECT_EQ(chain.ids({1}), chainAfter(1, 20));
}

} // namespace
