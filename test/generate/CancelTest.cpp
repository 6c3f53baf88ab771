// Tests calls that end early: cancelled by a callback or another thread, or
// past their deadline. What was made until then is there.
#include "test/generate/Chain.h"
#include "test/runtime/Tensors.h"

#include <algorithm>
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

/// Runs of the chain's entries with two prompts, of which one ends at its
/// sixth id. `advance` is cancelled after a chosen kernel.
class CancelledSteps {
public:
  CancelledSteps() {
    tenon_extent extents[] = {{"rows", 2}, {"positions", 16}};
    tenon_context_options options = {};
    options.struct_size = sizeof options;
    options.extents = extents;
    options.num_extents = 2;
    EXPECT_EQ(tenon_context_create(chain.model, &options, &context), TENON_OK);
    tenon_context_set_profile(
        context,
        [](void *state, int32_t, int32_t ended, int64_t, int64_t) {
          auto *steps = static_cast<CancelledSteps *>(state);
          if (ended && --steps->left == 0)
            tenon_cancel(steps->context);
        },
        this);
  }
  ~CancelledSteps() { EXPECT_EQ(tenon_context_destroy(context), TENON_OK); }

  /// Cancels after `kernels`; 0: never.
  tenon_status advance(int64_t kernels) {
    Ids ids = prompts, lengths = {1, 1}, eos = {chainAfter(1, 6).back()};
    Ids column = {2, 1}, two = {2}, one = {1}, scalar, steps = {8};
    left = 0;
    EXPECT_EQ(
        run("start",
            {tensorOn(ids, column, "ids"), tensorOn(lengths, two, "lengths"),
             tensorOn(eos, one, "eos_token_id")},
            1),
        TENON_OK)
        << tenon_context_text(context);
    left = kernels;
    return run("advance", {tensorOn(steps, scalar, "steps")}, 2);
  }

  /// Compares the texts with the chain's; returns the number of steps.
  size_t check() {
    left = 0;
    EXPECT_EQ(run("result", {}, 4), TENON_OK) << tenon_context_text(context);
    auto values = [&](size_t output) {
      return static_cast<const int64_t *>(outputs[output].data);
    };
    auto steps = static_cast<size_t>(outputs[0].dims[1]);
    for (size_t row = 0; row < 2; ++row) {
      Ids expected = chainAfter(prompts[row], steps);
      bool ends = row == 0 && steps >= 6;
      if (ends)
        expected.resize(6);
      EXPECT_EQ(values(1)[row], static_cast<int64_t>(expected.size()));
      EXPECT_EQ(values(3)[row], ends ? TENON_REASON_EOS : TENON_REASON_NONE);
      const int64_t *ids = values(0) + row * steps;
      EXPECT_EQ(Ids(ids, ids + expected.size()), expected);
    }
    return steps;
  }

private:
  tenon_status run(const char *function, std::vector<tenon_tensor> inputs,
                   size_t numOutputs) {
    outputs.assign(numOutputs, ownedOutput());
    return tenon_run(context, function, inputs.data(), inputs.size(),
                     outputs.data(), numOutputs);
  }

  Chain chain;
  Ids prompts = {1, 11};
  tenon_context *context = nullptr;
  int64_t left = 0;
  std::vector<tenon_tensor> outputs;
};

// Whatever kernel a step ends after, the result is that of whole steps.
TEST(Cancel, AfterEachKernel) {
  CancelledSteps steps;
  ASSERT_EQ(steps.advance(0), TENON_OK);
  EXPECT_EQ(steps.check(), 8u);
  size_t most = 0;
  int64_t kernels = 1;
  for (; steps.advance(kernels) == TENON_CANCELLED; ++kernels) {
    size_t made = steps.check();
    EXPECT_GE(made, most);
    most = std::max(most, made);
  }
  EXPECT_GE(most, 7u);
  EXPECT_GT(kernels, 8);
  EXPECT_EQ(steps.check(), 8u);
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
