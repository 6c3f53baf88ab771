// Tests which temperature is kept, and which windows are skipped.
#include "test/transcribe/Dictation.h"

#include <cmath>

using namespace tenon::test;

namespace {

struct Fallback : testing::Test {
  Dictation dictation;
  float temperatures[3] = {0, 0.25f, 0.5f};
  float ratio = 1.35f, logprob = -1, noSpeech = 0.6f;
  Sound sound = Sound(31);

  Fallback() {
    dictation.call.language = "en";
    dictation.call.temperatures = temperatures;
    dictation.call.num_temperatures = 3;
    sound.say(0, {1, 2, 3});
    sound.say(0, {4, 5, SaySeed}, /*isSampled=*/true);
  }

  const Segment &first() {
    EXPECT_EQ(dictation.run(sound), TENON_OK) << dictation.text();
    EXPECT_FALSE(dictation.segments.empty());
    return dictation.segments.front();
  }
};

TEST_F(Fallback, IsOffWithoutThresholds) {
  sound.cost(0, -9, 4);
  EXPECT_EQ(first().ids, (Ids{1, 2, 3}));
  EXPECT_EQ(first().temperature, 0);
  EXPECT_TRUE(std::isnan(first().logprob));
  EXPECT_TRUE(std::isnan(first().ratio));
  EXPECT_TRUE(std::isnan(first().noSpeech));
}

// The end of the text counts: four ids of -0.75 each.
TEST_F(Fallback, KeepsALikelyText) {
  dictation.call.logprob_threshold = &logprob;
  sound.cost(0, -1, 4);
  EXPECT_EQ(first().ids, (Ids{1, 2, 3}));
  EXPECT_FLOAT_EQ(first().logprob, -1);
}

TEST_F(Fallback, TriesTemperaturesUntilATextIsLikely) {
  dictation.call.logprob_threshold = &logprob;
  sound.cost(0, -1.25f, 4);
  // The model's costs at the temperature 0.25 are three quarters.
  EXPECT_EQ(first().temperature, 0.25f);
  EXPECT_FLOAT_EQ(first().logprob, -1.25f * 0.75f);
  EXPECT_EQ(first().ids, (Ids{4, 5, 1}));
  sound.cost(0, -1.75f, 4);
  EXPECT_EQ(first().temperature, 0.5f);
  EXPECT_FLOAT_EQ(first().logprob, -0.875f);
  // The last temperature stands. Each attempt has a seed of its own.
  sound.cost(0, -7, 4);
  EXPECT_EQ(first().temperature, 0.5f);
  EXPECT_EQ(first().ids, (Ids{4, 5, 2}));
}

TEST_F(Fallback, CountsSeedsFromTheOption) {
  float temperature = 0.25f;
  dictation.call.temperatures = &temperature;
  dictation.call.num_temperatures = 1;
  ASSERT_EQ(tenon_transcriber_set_i64(dictation.transcriber, "seed", 3),
            TENON_OK);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(first().ids, (Ids{4, 5, 4}));
  }
}

TEST_F(Fallback, RejectsATextThatRepeatsItself) {
  dictation.call.compression_ratio_threshold = &ratio;
  EXPECT_EQ(first().temperature, 0);
  EXPECT_LT(first().ratio, ratio);
  sound.say(0, Ids(40, 7));
  EXPECT_EQ(first().temperature, 0.25f);
  EXPECT_EQ(first().ids[0], 4);
  // 41 ids of two bytes; zlib makes 15 bytes of them.
  dictation.call.num_temperatures = 1;
  EXPECT_EQ(first().temperature, 0);
  EXPECT_NEAR(first().ratio, 82.0 / 15, 0.4);
}

TEST_F(Fallback, SkipsAWindowThatIsUnlikelyAndSilent) {
  dictation.call.logprob_threshold = &logprob;
  dictation.call.no_speech_threshold = &noSpeech;
  sound.cost(0, -2, 4);
  sound.silence(0, 0.5f);
  EXPECT_EQ(first().temperature, 0.5f);
  EXPECT_FLOAT_EQ(first().noSpeech, 0.5f);
  sound.silence(0, 0.75f);
  ASSERT_EQ(dictation.run(sound), TENON_OK) << dictation.text();
  // Only the second window is told.
  ASSERT_EQ(dictation.segments.size(), 1u);
  EXPECT_EQ(dictation.segments[0].seek, 3000);
  // A likely text is kept.
  sound.cost(0, -0.5f, 4);
  EXPECT_EQ(first().ids, (Ids{1, 2, 3}));
  EXPECT_FLOAT_EQ(first().noSpeech, 0.75f);
}

TEST_F(Fallback, SkipsNothingWithOneThreshold) {
  dictation.call.no_speech_threshold = &noSpeech;
  sound.cost(0, -2, 4);
  sound.silence(0, 0.75f);
  EXPECT_EQ(first().temperature, 0);
  EXPECT_FLOAT_EQ(first().noSpeech, 0.75f);
}

// A window's probability comes from a sample beside it.
TEST_F(Fallback, FindsNoSpeechInEachWindow) {
  dictation.call.logprob_threshold = &logprob;
  dictation.call.no_speech_threshold = &noSpeech;
  sound.say(3000, {8});
  sound.cost(3000, -2, 2);
  sound.silence(3000, 0.75f);
  ASSERT_EQ(dictation.run(sound), TENON_OK) << dictation.text();
  EXPECT_EQ(dictation.segments.size(), 1u);
}

TEST_F(Fallback, ForgetsTextOfHighTemperatures) {
  dictation.call.logprob_threshold = &logprob;
  dictation.call.condition_on_prev_tokens = 1;
  sound.say(3000, {SayPrompt + 3});
  for (float cost : {-1.25f, -1.75f}) {
    sound.cost(0, cost, 4);
    sound.say(0, {4, 5, 6}, /*isSampled=*/true);
    ASSERT_EQ(dictation.run(sound), TENON_OK) << dictation.text();
    bool isKept = dictation.segments[0].temperature < 0.5f;
    EXPECT_EQ(isKept, cost > -1.5f);
    EXPECT_EQ(dictation.segments[1].ids, Ids{isKept ? 6 : Start});
  }
}

TEST_F(Fallback, SearchesWithBeamsOnlyWithoutSampling) {
  ASSERT_EQ(tenon_transcriber_set_i64(dictation.transcriber, "num_beams", 3),
            TENON_OK);
  dictation.call.logprob_threshold = &logprob;
  // The score of a search is a mean already; this model's is a sum of four.
  sound.cost(0, -0.5f, 4);
  EXPECT_EQ(first().temperature, 0.25f);
  EXPECT_FLOAT_EQ(first().logprob, -0.375f);
  sound.cost(0, -0.25f, 4);
  EXPECT_FLOAT_EQ(first().logprob, -1);
  EXPECT_EQ(first().temperature, 0);
}

TEST_F(Fallback, RefusesWrongValues) {
  for (float wrong : {-0.5f, NAN, INFINITY}) {
    temperatures[1] = wrong;
    EXPECT_EQ(dictation.run(sound), TENON_BAD_INPUT);
    EXPECT_EQ(dictation.text(), "a temperature is negative or no number");
  }
  temperatures[1] = 0;
  dictation.call.num_temperatures = 0;
  EXPECT_EQ(dictation.run(sound), TENON_BAD_INPUT);
  dictation.call.num_temperatures = 1;
  ratio = NAN;
  dictation.call.compression_ratio_threshold = &ratio;
  EXPECT_EQ(dictation.run(sound), TENON_BAD_INPUT);
  EXPECT_EQ(dictation.text(), "a threshold is no number");
}

} // namespace
