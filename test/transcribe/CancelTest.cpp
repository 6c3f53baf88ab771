// Tests calls that end early: by the callback, another thread or a deadline.
#include "test/transcribe/Dictation.h"

#include <atomic>
#include <thread>

using namespace tenon::test;

namespace {

Sound speech(int64_t windows) {
  Sound sound(static_cast<double>(windows) * 30);
  for (int64_t i = 0; i < windows; ++i)
    sound.say(3000 * i, {1, 2});
  return sound;
}

TEST(Cancel, StopsByTheCallback) {
  Dictation dictation;
  dictation.call.language = "en";
  int told = 0;
  dictation.onSegment = [&] { return ++told == 2; };
  EXPECT_EQ(dictation.run(speech(4)), TENON_CANCELLED);
  EXPECT_EQ(dictation.text(), "stopped by the callback");
  EXPECT_EQ(dictation.segments.size(), 2u);
  dictation.onSegment = nullptr;
  EXPECT_EQ(dictation.run(speech(4)), TENON_OK) << dictation.text();
  EXPECT_EQ(dictation.segments.size(), 4u);
}

TEST(Cancel, EndsTheCallOrTheNextOne) {
  Dictation dictation;
  dictation.call.language = "en";
  dictation.onSegment = [&] {
    tenon_transcriber_cancel(dictation.transcriber);
    return 0;
  };
  EXPECT_EQ(dictation.run(speech(3)), TENON_CANCELLED);
  EXPECT_EQ(dictation.text(), "cancelled");
  EXPECT_EQ(dictation.segments.size(), 1u);
  dictation.onSegment = nullptr;
  tenon_transcriber_cancel(dictation.transcriber);
  EXPECT_EQ(dictation.run(speech(1)), TENON_CANCELLED);
  EXPECT_EQ(dictation.segments.size(), 0u);
  EXPECT_EQ(dictation.run(speech(1)), TENON_OK) << dictation.text();
}

TEST(Cancel, EndsTheCallFromAnotherThread) {
  Dictation dictation;
  dictation.call.language = "en";
  Sound sound = speech(6);
  std::atomic<int> told = 0;
  std::atomic<bool> isDone = false;
  std::thread other([&] {
    while (told < 2 && !isDone)
      std::this_thread::yield();
    tenon_transcriber_cancel(dictation.transcriber);
  });
  // The call has no end of its own.
  dictation.onSegment = [&] {
    ++told;
    return 0;
  };
  tenon_status status = TENON_OK;
  while (status == TENON_OK)
    status = dictation.run(sound);
  isDone = true;
  other.join();
  EXPECT_EQ(status, TENON_CANCELLED);
  EXPECT_EQ(dictation.text(), "cancelled");
}

TEST(Cancel, EndsAtTheDeadline) {
  Dictation dictation;
  dictation.call.language = "en";
  dictation.call.timeout_ns = 1;
  EXPECT_EQ(dictation.run(speech(1)), TENON_CANCELLED);
  EXPECT_EQ(dictation.text(), "past the deadline of 0.000 ms");
  dictation.call.timeout_ns = 50'000'000;
  dictation.onSegment = [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    return 0;
  };
  EXPECT_EQ(dictation.run(speech(3)), TENON_CANCELLED);
  EXPECT_EQ(dictation.text(), "past the deadline of 50.000 ms");
  dictation.call.timeout_ns = INT64_MAX;
  dictation.onSegment = nullptr;
  EXPECT_EQ(dictation.run(speech(2)), TENON_OK) << dictation.text();
}

// Transcribers of one model have nothing in common but the model.
TEST(Cancel, LetsOtherTranscribersGoOn) {
  Dictation first, second;
  ASSERT_EQ(tenon_transcriber_destroy(second.transcriber), TENON_OK);
  ASSERT_EQ(tenon_transcriber_create(first.model, nullptr, &second.transcriber),
            TENON_OK);
  Sound sound = speech(3);
  sound.speak(German);
  first.onSegment = [&] {
    tenon_transcriber_cancel(first.transcriber);
    return 0;
  };
  std::thread other([&] {
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(second.run(sound), TENON_OK) << second.text();
      EXPECT_EQ(second.segments.size(), 3u);
      EXPECT_EQ(second.language(), "de");
    }
  });
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(first.run(sound), TENON_CANCELLED);
    EXPECT_EQ(first.text(), "cancelled");
  }
  other.join();
  // The first model closes after its transcribers.
  ASSERT_EQ(tenon_transcriber_destroy(second.transcriber), TENON_OK);
  second.transcriber = nullptr;
}

TEST(Cancel, AnswersNoOtherCallMeanwhile) {
  Dictation dictation;
  dictation.call.language = "en";
  tenon_transcription inner = dictation.call;
  dictation.onSegment = [&] {
    EXPECT_EQ(tenon_transcriber_run(dictation.transcriber, &inner),
              TENON_BAD_INPUT);
    EXPECT_EQ(tenon_transcriber_set_i64(dictation.transcriber, "seed", 1),
              TENON_BAD_INPUT);
    EXPECT_EQ(tenon_transcriber_destroy(dictation.transcriber),
              TENON_BAD_INPUT);
    return 0;
  };
  EXPECT_EQ(dictation.run(speech(1)), TENON_OK) << dictation.text();
}

} // namespace
