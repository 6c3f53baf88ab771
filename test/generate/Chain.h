// Common parts of the tests: an open chain model with a generator, calls with
// prompts of vectors, and the ids that the chain gives.
#ifndef TENON_TEST_GENERATE_CHAIN_H
#define TENON_TEST_GENERATE_CHAIN_H

#include "runtime/tenon_generate.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace tenon::test {

using Ids = std::vector<int64_t>;

/// The chain's ids after a prompt of this sum.
inline Ids chainAfter(int64_t sum, size_t count) {
  Ids ids;
  for (size_t i = 0; i < count; ++i)
    ids.push_back(sum = (5 * sum + 1) % 64);
  return ids;
}

inline int64_t sumOf(const Ids &ids) {
  return std::accumulate(ids.begin(), ids.end(), int64_t(0));
}

/// `first` and then `second`.
inline Ids joined(Ids first, const Ids &second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// What a call gives for one sequence.
struct Text {
  Ids ids;
  float score = 0;
  int32_t reason = 0;
};

/// The texts of most tests do not end at an eos id.
struct Chain {
  tenon_model *model = nullptr;
  tenon_generator *generator = nullptr;

  explicit Chain(tenon_generator_options options = {},
                 const char *artifact = TENON_TEST_CHAIN) {
    char text[1024] = "";
    tenon_open_options open = {};
    open.struct_size = sizeof open;
    open.error_text = text;
    open.error_text_bytes = sizeof text;
    EXPECT_EQ(tenon_open(artifact, &open, &model), TENON_OK) << text;
    options.struct_size = sizeof options;
    options.error_text = text;
    options.error_text_bytes = sizeof text;
    EXPECT_EQ(tenon_generator_create(model, &options, &generator), TENON_OK)
        << text;
    EXPECT_EQ(tenon_generator_set_list(generator, "eos_token_id", nullptr, 0),
              TENON_OK);
  }
  Chain(const Chain &) = delete;
  ~Chain() {
    EXPECT_EQ(tenon_generator_destroy(generator), TENON_OK);
    EXPECT_EQ(tenon_close(model), TENON_OK);
  }

  void set(const char *name, int64_t value) {
    EXPECT_EQ(tenon_generator_set_i64(generator, name, value), TENON_OK)
        << text();
  }

  std::string text() const { return tenon_generator_text(generator); }

  /// Called for each new id.
  std::function<tenon_token_answer(size_t, int64_t)> onToken;
  int64_t timeout = 0;

  /// Called for the mask of each step, with a byte for each of the 64 ids.
  std::function<int(size_t, size_t, uint8_t *)> allow;

  static std::vector<tenon_prompt> given(const std::vector<Ids> &prompts) {
    std::vector<tenon_prompt> given;
    for (const Ids &prompt : prompts)
      given.push_back({prompt.data(), prompt.size()});
    return given;
  }

  /// `decoder` has what the decoder continues, or is empty.
  tenon_status run(const std::vector<Ids> &prompts,
                   const std::vector<Ids> &decoder = {}) {
    std::vector<tenon_prompt> given = this->given(prompts),
                              continued = this->given(decoder);
    tenon_generation call = {};
    call.struct_size = sizeof call;
    call.prompts = given.data();
    call.num_prompts = given.size();
    call.timeout_ns = timeout;
    call.decoder_prompts = decoder.empty() ? nullptr : continued.data();
    if (onToken) {
      call.on_token = [](void *state, size_t sequence, int64_t id) {
        return static_cast<Chain *>(state)->onToken(sequence, id);
      };
      call.on_token_state = this;
    }
    if (allow) {
      call.allow = [](void *state, size_t sequence, size_t step, uint8_t *mask,
                      size_t vocabulary) {
        EXPECT_EQ(vocabulary, 64u);
        return static_cast<Chain *>(state)->allow(sequence, step, mask);
      };
      call.allow_state = this;
    }
    return tenon_generator_run(generator, &call);
  }

  std::vector<Text> texts() const {
    std::vector<Text> all;
    for (size_t i = 0; i < tenon_generator_num_sequences(generator); ++i) {
      tenon_sequence one = {};
      EXPECT_EQ(tenon_generator_get_sequence(generator, i, &one), TENON_OK);
      all.push_back({Ids(one.ids, one.ids + one.count), one.score, one.reason});
    }
    return all;
  }

  /// The ids of the only sequence.
  Ids ids(const Ids &prompt) {
    EXPECT_EQ(run({prompt}), TENON_OK) << text();
    std::vector<Text> all = texts();
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? Ids() : all[0].ids;
  }
};

} // namespace tenon::test

#endif // TENON_TEST_GENERATE_CHAIN_H
