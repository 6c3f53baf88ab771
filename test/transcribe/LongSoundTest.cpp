// Tests sounds of many windows: where windows begin, what precedes them, and
// which features they have.
#include "test/transcribe/Dictation.h"

using namespace tenon::test;

namespace {

/// Text with a time before and after it.
Ids timed(double start, Ids text, double end) {
  text.insert(text.begin(), timeId(start));
  text.push_back(timeId(end));
  return text;
}

Ids operator+(Ids first, const Ids &second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

TEST(LongSound, BeginsWindowsAtTheLastPairOfTimes) {
  Dictation dictation;
  dictation.call.language = "en";
  Sound sound(75);
  // Two segments and an unfinished one: the next window begins at 21.5 s.
  sound.say(0, timed(0, {1, 2}, 10.02) + timed(12, {3}, 21.5) +
                   Ids{timeId(21.5), 9});
  // Ends with one time: all of the window is done, up to 51.5 s.
  sound.say(2150, timed(1, {4}, 5) + timed(5, {5, 6}, 7.5));
  // No pair: one segment up to its last time.
  sound.say(5150, timed(0, {7}, 3));
  ASSERT_EQ(dictation.run(sound), TENON_OK) << dictation.text();
  ASSERT_EQ(dictation.segments.size(), 5u);
  double times[][2] = {
      {0, 10.02}, {12, 21.5}, {22.5, 26.5}, {26.5, 29}, {51.5, 54.5}};
  Ids ids[] = {timed(0, {1, 2}, 10.02),
               timed(12, {3}, 21.5) + Ids{timeId(21.5)}, timed(1, {4}, 5),
               timed(5, {5, 6}, 7.5), timed(0, {7}, 3)};
  int64_t seeks[] = {0, 0, 2150, 2150, 5150};
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(dictation.segments[i].start, times[i][0], 1e-9);
    EXPECT_NEAR(dictation.segments[i].end, times[i][1], 1e-9);
    EXPECT_EQ(dictation.segments[i].ids, ids[i]);
    EXPECT_EQ(dictation.segments[i].seek, seeks[i]);
  }
  EXPECT_EQ(tenon_transcriber_samples(dictation.transcriber), 75 * 16000);
}

TEST(LongSound, TakesAllOfAWindowWithoutTimes) {
  Dictation dictation;
  dictation.call.language = "en";
  Sound sound(30.07);
  sound.say(0, {1, 2});
  sound.say(3000, {3});
  ASSERT_EQ(dictation.run(sound), TENON_OK) << dictation.text();
  ASSERT_EQ(dictation.segments.size(), 2u);
  EXPECT_NEAR(dictation.segments[0].end, 30, 1e-9);
  EXPECT_NEAR(dictation.segments[1].start, 30, 1e-9);
  // Seven frames, rounded down to 0.02 s.
  EXPECT_NEAR(dictation.segments[1].end, 30.06, 1e-9);
}

TEST(LongSound, HasTheGreatestFeatureOfAllItsWindows) {
  Dictation dictation;
  dictation.call.language = "en";
  for (int64_t frame : {10, 2999, 3000, 5999, 6000, 6404}) {
    Sound sound(64.05);
    sound.say(0, {SayGreatest});
    sound.put(frame, 0, 1563); // more than any id that is said
    ASSERT_EQ(dictation.run(sound), TENON_OK) << dictation.text();
    EXPECT_EQ(dictation.segments[0].ids, Ids{1 + 1563 % 8}) << frame;
  }
}

// Every length near the limits of windows and neighbours.
TEST(LongSound, ReadsSoundsOfAnyLength) {
  Dictation dictation;
  dictation.call.language = "en";
  for (int64_t more : {-161, -160, -1, 0, 1, 159, 160, 161, 199, 200, 201, 359,
                       360, 361, 400, 640})
    for (int64_t windows : {1, 2}) {
      Sound sound(30 * static_cast<double>(windows));
      sound.samples.resize(sound.samples.size() + static_cast<size_t>(more));
      int64_t frames = static_cast<int64_t>(sound.samples.size()) / 160;
      sound.say(0, {5});
      sound.say(3000, {6});
      ASSERT_EQ(dictation.run(sound), TENON_OK)
          << windows << " " << more << dictation.text();
      size_t count =
          frames <= 3000 ? 1 : static_cast<size_t>((frames + 2999) / 3000);
      ASSERT_EQ(dictation.segments.size(), count) << windows << " " << more;
      EXPECT_EQ(dictation.segments[0].ids, Ids{5});
      if (count > 1 && frames > 3001) {
        EXPECT_EQ(dictation.segments[1].ids, Ids{6});
      }
    }
}

TEST(LongSound, HasTimesInAShortSoundIfTheyAreWanted) {
  Dictation dictation;
  dictation.call.language = "en";
  dictation.call.timestamps = TENON_TIMESTAMPS_ON;
  Sound sound(4);
  sound.say(0, timed(0, {1}, 2) + Ids{timeId(2), 3});
  sound.say(200, timed(0, {4}, 1));
  ASSERT_EQ(dictation.run(sound), TENON_OK) << dictation.text();
  ASSERT_EQ(dictation.segments.size(), 2u);
  EXPECT_NEAR(dictation.segments[1].start, 2, 1e-9);
  EXPECT_NEAR(dictation.segments[1].end, 3, 1e-9);
  EXPECT_EQ(dictation.segments[1].ids, timed(0, {4}, 1));
}

TEST(LongSound, IsRefusedWithoutTimes) {
  Dictation dictation;
  dictation.call.timestamps = TENON_TIMESTAMPS_OFF;
  EXPECT_EQ(dictation.run(Sound(31)), TENON_BAD_INPUT);
  EXPECT_EQ(dictation.text(),
            "a sound of more than 30 s needs timestamps, which are off");
  EXPECT_EQ(dictation.run(Sound(30)), TENON_OK) << dictation.text();
}

// A pair of the time 0.00 would begin the same window again.
TEST(LongSound, GoesOnAfterAPairAtTheBegin) {
  Dictation dictation;
  dictation.call.language = "en";
  Sound sound(31);
  sound.say(0, {1, FirstTime, FirstTime});
  ASSERT_EQ(dictation.run(sound), TENON_OK) << dictation.text();
  EXPECT_EQ(dictation.segments.size(), 2u);
  EXPECT_EQ(dictation.segments[1].seek, 3000);
}

/// Says what precedes the text of the second window.
Sound repeatingSecond(const Ids &first, int64_t count) {
  Sound sound(40);
  sound.say(0, first);
  Ids ids;
  for (int64_t i = count; i-- > 0;)
    ids.push_back(SayPrompt + i);
  sound.say(2000, ids);
  return sound;
}

TEST(LongSound, PutsEarlierTextBeforeAWindow) {
  Dictation dictation;
  dictation.call.language = "en";
  Sound sound = repeatingSecond(timed(0, {1}, 20) + Ids{timeId(20)}, 7);
  ASSERT_EQ(dictation.run(sound), TENON_OK) << dictation.text();
  Ids plain(4, Start);
  EXPECT_EQ(dictation.segments[1].ids,
            (plain + Ids{Start, English, Transcribe}));
  dictation.call.condition_on_prev_tokens = 1;
  ASSERT_EQ(dictation.run(sound), TENON_OK) << dictation.text();
  // The second time of the pair is left out.
  EXPECT_EQ(dictation.segments[1].ids.size(), 7u);
  EXPECT_EQ(dictation.segments[1].ids, (Ids{Previous, timeId(0), 1, timeId(20),
                                            Start, English, Transcribe}));
}

TEST(LongSound, PutsAPromptBeforeEarlierText) {
  Dictation dictation;
  dictation.call.language = "en";
  Ids prompt = {Previous, 8, 9};
  dictation.call.prompt_ids = prompt.data();
  dictation.call.num_prompt_ids = prompt.size();
  Sound sound = repeatingSecond({timeId(0), 1, timeId(20), timeId(20)}, 9);
  Ids first = {Start, English, Transcribe};
  Ids earlier = {timeId(0), 1, timeId(20)};
  ASSERT_EQ(dictation.run(sound), TENON_OK) << dictation.text();
  EXPECT_EQ(dictation.segments[1].ids, Ids(3, Previous) + prompt + first);
  // The prompt is the first of the earlier segments, or it precedes them.
  for (int32_t condition :
       {TENON_PROMPT_FIRST_SEGMENT, TENON_PROMPT_ALL_SEGMENTS}) {
    dictation.call.condition_on_prev_tokens = 1;
    dictation.call.prompt_condition = condition;
    ASSERT_EQ(dictation.run(sound), TENON_OK) << dictation.text();
    EXPECT_EQ(dictation.segments[1].ids, prompt + earlier + first);
  }
}

TEST(LongSound, KeepsHalfOfThePositionsOfEarlierText) {
  Dictation dictation;
  dictation.call.language = "en";
  dictation.call.condition_on_prev_tokens = 1;
  Ids prompt(300, 7);
  prompt[0] = Previous;
  dictation.call.prompt_ids = prompt.data();
  dictation.call.num_prompt_ids = prompt.size();
  Sound sound(40);
  sound.say(0, {timeId(0), 1, timeId(20), timeId(20)});
  // The id that marks earlier text, 223 ids, three first ids.
  sound.say(2000,
            {SayPrompt + 226, SayPrompt + 225, SayPrompt + 4, SayPrompt + 3});
  ASSERT_EQ(dictation.run(sound), TENON_OK) << dictation.text();
  EXPECT_EQ(dictation.segments[1].ids, (Ids{Previous, 7, 1, timeId(20)}));
  dictation.call.prompt_condition = TENON_PROMPT_ALL_SEGMENTS;
  dictation.call.condition_on_prev_tokens = 0;
  EXPECT_EQ(dictation.run(sound), TENON_BAD_INPUT);
}

} // namespace
