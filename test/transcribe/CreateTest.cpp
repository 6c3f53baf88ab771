// Tests what is refused: models, options, calls and sounds.
#include "test/transcribe/Dictation.h"

#include <cmath>

using namespace tenon::test;

namespace {

TEST(Create, RefusesAModelOfText) {
  tenon_model *model = nullptr;
  ASSERT_EQ(tenon_open(TENON_TEST_STORY, nullptr, &model), TENON_OK);
  char text[256] = "";
  tenon_transcriber_options options = {};
  options.struct_size = sizeof options;
  options.error_text = text;
  options.error_text_bytes = sizeof text;
  tenon_transcriber *transcriber = nullptr;
  EXPECT_EQ(tenon_transcriber_create(model, &options, &transcriber),
            TENON_UNSUPPORTED);
  EXPECT_STREQ(
      text,
      "the model does not transcribe sound: it has no function \"features\"");
  EXPECT_EQ(transcriber, nullptr);
  EXPECT_EQ(tenon_transcriber_create(nullptr, &options, &transcriber),
            TENON_BAD_INPUT);
  EXPECT_EQ(tenon_transcriber_create(model, &options, nullptr),
            TENON_BAD_INPUT);
  options.struct_size = 1;
  EXPECT_EQ(tenon_transcriber_create(model, &options, &transcriber),
            TENON_BAD_INPUT);
  EXPECT_EQ(tenon_close(model), TENON_OK);
}

TEST(Create, RefusesOptionsThatACallSets) {
  Dictation dictation;
  EXPECT_EQ(tenon_transcriber_set_i64(dictation.transcriber, "do_sample", 1),
            TENON_BAD_INPUT);
  EXPECT_EQ(dictation.text(),
            "option \"do_sample\": transcription sets it itself");
  EXPECT_EQ(tenon_transcriber_set_f32(dictation.transcriber, "temperature", 1),
            TENON_BAD_INPUT);
  EXPECT_EQ(tenon_transcriber_unset(dictation.transcriber, "features"),
            TENON_BAD_INPUT);
  EXPECT_EQ(tenon_transcriber_set_i64(dictation.transcriber, "top_kk", 1),
            TENON_BAD_INPUT);
  EXPECT_EQ(dictation.text(),
            "option \"top_kk\": the model has no such option");
}

TEST(Create, SetsOptions) {
  Dictation dictation;
  dictation.call.language = "en";
  Sound sound(1);
  sound.say(0, {1, 2, 3, 4});
  ASSERT_EQ(
      tenon_transcriber_set_i64(dictation.transcriber, "max_new_tokens", 3),
      TENON_OK);
  EXPECT_EQ(dictation.ids(sound), (Ids{1, 2, 3}));
  int64_t end = 2;
  ASSERT_EQ(tenon_transcriber_set_list(dictation.transcriber, "eos_token_id",
                                       &end, 1),
            TENON_OK);
  EXPECT_EQ(dictation.ids(sound), Ids{1});
  ASSERT_EQ(tenon_transcriber_unset(dictation.transcriber, nullptr), TENON_OK);
  EXPECT_EQ(dictation.ids(sound), (Ids{1, 2, 3, 4}));
}

TEST(Create, RefusesBadCalls) {
  Dictation dictation;
  EXPECT_EQ(tenon_transcriber_run(nullptr, &dictation.call), TENON_BAD_INPUT);
  EXPECT_EQ(tenon_transcriber_run(dictation.transcriber, nullptr),
            TENON_BAD_INPUT);
  EXPECT_EQ(dictation.text(), "no call is given, or of an unknown struct_size");
  EXPECT_EQ(tenon_transcriber_run(dictation.transcriber, &dictation.call),
            TENON_BAD_INPUT);
  EXPECT_EQ(dictation.text(), "no sound is given");
  dictation.call.timestamps = 3;
  EXPECT_EQ(dictation.run(Sound(1)), TENON_BAD_INPUT);
  dictation.call.timestamps = 0;
  dictation.call.prompt_condition = 2;
  EXPECT_EQ(dictation.run(Sound(1)), TENON_BAD_INPUT);
  dictation.call.prompt_condition = 0;
  dictation.call.timeout_ns = -1;
  EXPECT_EQ(dictation.run(Sound(1)), TENON_BAD_INPUT);
  dictation.call.timeout_ns = 0;
  EXPECT_EQ(dictation.run(Sound(1)), TENON_OK) << dictation.text();
}

TEST(Create, RefusesBadSounds) {
  Dictation dictation;
  EXPECT_EQ(dictation.run(Sound(0)), TENON_BAD_INPUT);
  EXPECT_EQ(dictation.text(), "the sound has no samples");
  for (float wrong : {NAN, INFINITY, -INFINITY})
    for (int64_t seconds : {1, 40}) {
      Sound sound(static_cast<double>(seconds));
      sound.samples[sound.samples.size() - 5] = wrong;
      EXPECT_EQ(dictation.run(sound), TENON_BAD_INPUT);
      EXPECT_EQ(dictation.text(), "sample " +
                                      std::to_string(seconds * 16000 - 5) +
                                      " of the sound is no finite number");
    }
  Sound one(0);
  one.samples = {0.5f};
  EXPECT_EQ(dictation.run(one), TENON_OK) << dictation.text();
  EXPECT_EQ(tenon_transcriber_samples(dictation.transcriber), 1);
}

TEST(Create, RefusesASoundThatCannotBeRead) {
  Dictation dictation;
  dictation.call.read = [](void *, int64_t, float *, int64_t) -> int64_t {
    return -1;
  };
  EXPECT_EQ(tenon_transcriber_run(dictation.transcriber, &dictation.call),
            TENON_IO);
  EXPECT_EQ(dictation.text(), "the sound cannot be read");
  // A sound that ends earlier when it is read again.
  int64_t end = 40 * 16000;
  dictation.call.read_state = &end;
  dictation.call.read = [](void *state, int64_t at, float *samples,
                           int64_t count) -> int64_t {
    int64_t &end = *static_cast<int64_t *>(state);
    int64_t got = std::max<int64_t>(0, std::min(count, end - at));
    std::fill_n(samples, got, 0.f);
    if (got < count)
      end = 35 * 16000;
    return got;
  };
  EXPECT_EQ(tenon_transcriber_run(dictation.transcriber, &dictation.call),
            TENON_IO);
  EXPECT_EQ(dictation.text(), "the sound has become shorter");
}

} // namespace
