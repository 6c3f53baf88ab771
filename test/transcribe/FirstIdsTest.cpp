// Tests the ids before a text: language, task, times and prompts. The model
// repeats the ids of its prompt.
#include "test/transcribe/Dictation.h"

using namespace tenon::test;

namespace {

/// A sound that says the last `count` ids of the prompt.
Sound repeating(int64_t count, int64_t language = French) {
  Sound sound(2);
  sound.speak(language);
  Ids ids;
  for (int64_t i = count; i-- > 0;)
    ids.push_back(SayPrompt + i);
  sound.say(0, ids);
  return sound;
}

TEST(FirstIds, FindsTheLanguageAndKeepsTheModelsTask) {
  Dictation dictation;
  EXPECT_EQ(dictation.ids(repeating(4)),
            (Ids{Start, French, Transcribe, NoTimes}));
  EXPECT_EQ(dictation.language(), "fr");
  EXPECT_EQ(dictation.ids(repeating(4, German)),
            (Ids{Start, German, Transcribe, NoTimes}));
  // Only languages are allowed: 7 is nearest to the first one.
  EXPECT_EQ(dictation.ids(repeating(4, 7)),
            (Ids{Start, English, Transcribe, NoTimes}));
  EXPECT_EQ(dictation.language(), "en");
}

TEST(FirstIds, TakesALanguageByAnyOfItsNames) {
  Dictation dictation;
  for (const char *name : {"de", "<|de|>", "german", "German"}) {
    dictation.call.language = name;
    EXPECT_EQ(dictation.ids(repeating(4)),
              (Ids{Start, German, Transcribe, NoTimes}))
        << name;
    EXPECT_EQ(dictation.language(), "de");
  }
}

TEST(FirstIds, TakesATask) {
  Dictation dictation;
  dictation.call.task = "translate";
  EXPECT_EQ(dictation.ids(repeating(4)),
            (Ids{Start, French, Translate, NoTimes}));
  dictation.call.language = "en";
  EXPECT_EQ(dictation.ids(repeating(4)),
            (Ids{Start, English, Translate, NoTimes}));
}

TEST(FirstIds, LeavesOutNoTimesIfTimesAreWanted) {
  Dictation dictation;
  dictation.call.timestamps = TENON_TIMESTAMPS_ON;
  dictation.call.language = "en";
  Sound sound(2);
  sound.say(
      0, {FirstTime, SayPrompt + 3, SayPrompt + 2, SayPrompt + 1, SayPrompt});
  // There are three ids, so the first one is repeated.
  EXPECT_EQ(dictation.ids(sound),
            (Ids{FirstTime, Start, Start, English, Transcribe}));
}

TEST(FirstIds, PutsAPromptBeforeThem) {
  Dictation dictation;
  Ids prompt = {Previous, 5, 6};
  dictation.call.prompt_ids = prompt.data();
  dictation.call.num_prompt_ids = prompt.size();
  dictation.call.language = "en";
  EXPECT_EQ(dictation.ids(repeating(7)),
            (Ids{Previous, 5, 6, Start, English, Transcribe, NoTimes}));
  // The columns of the call before are those of another sound.
  EXPECT_EQ(dictation.ids(repeating(6)),
            (Ids{5, 6, Start, English, Transcribe, NoTimes}));
}

TEST(FirstIds, RefusesUnknownNames) {
  Dictation dictation;
  dictation.call.language = "klingon";
  EXPECT_EQ(dictation.run(repeating(1)), TENON_BAD_INPUT);
  EXPECT_EQ(dictation.text(), "language \"klingon\": the model has en, de, fr");
  dictation.call.language = "polish";
  EXPECT_EQ(dictation.run(repeating(1)), TENON_BAD_INPUT);
  dictation.call.language = nullptr;
  dictation.call.task = "sing";
  EXPECT_EQ(dictation.run(repeating(1)), TENON_BAD_INPUT);
  EXPECT_EQ(dictation.text(),
            "task \"sing\": the model has transcribe, translate");
}

TEST(FirstIds, RefusesAPromptThatIsTooLong) {
  Dictation dictation;
  Ids prompt(446, 5);
  dictation.call.prompt_ids = prompt.data();
  dictation.call.num_prompt_ids = prompt.size();
  dictation.call.language = "en";
  EXPECT_EQ(dictation.run(repeating(1)), TENON_BAD_INPUT);
  EXPECT_EQ(dictation.text(), "the prompt has 446 ids and the first ids are 4, "
                              "the model has 448 positions");
  dictation.call.num_prompt_ids = 430;
  EXPECT_EQ(
      tenon_transcriber_set_i64(dictation.transcriber, "max_new_tokens", 15),
      TENON_OK);
  EXPECT_EQ(dictation.run(repeating(1)), TENON_BAD_INPUT);
  EXPECT_EQ(dictation.text(), "434 ids before the text and max_new_tokens 15 "
                              "are more than the model's 448 positions");
  EXPECT_EQ(
      tenon_transcriber_set_i64(dictation.transcriber, "max_new_tokens", 14),
      TENON_OK);
  EXPECT_EQ(dictation.run(repeating(1)), TENON_OK) << dictation.text();
}

} // namespace
