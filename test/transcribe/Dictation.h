// Common parts of the tests: the dictation model, whose sound spells the ids,
// an open transcriber, and the segments of a call.
#ifndef TENON_TEST_TRANSCRIBE_DICTATION_H
#define TENON_TEST_TRANSCRIBE_DICTATION_H

#include "runtime/tenon_transcribe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace tenon::test {

using Ids = std::vector<int64_t>;

// Ids of the dictation model.
enum : int64_t {
  End = 40,
  Start = 41,
  English = 42,
  German = 43,
  French = 44,
  Translate = 45,
  Transcribe = 46,
  Previous = 47,
  NoTimes = 49,
  FirstTime = 50,
  SayGreatest = 1560,
  SaySeed = 1561,
  SayPrompt = 1600 ///< and so many ids before the prompt's last
};

/// The id of a time in seconds.
inline int64_t timeId(double seconds) {
  return FirstTime + static_cast<int64_t>(seconds * 50 + 0.5);
}

/// A sound that spells what the model says in each window.
struct Sound {
  std::vector<float> samples;

  explicit Sound(double seconds)
      : samples(static_cast<size_t>(seconds * 16000 + 0.5)) {}

  /// Writes a value at sample `at` of a frame of the sound.
  void put(int64_t frame, int64_t at, float value) {
    size_t sample = static_cast<size_t>(160 * frame + at);
    if (sample < samples.size())
      samples[sample] = value / 2048;
  }

  /// The ids that the window at frame `seek` says without sampling, or with it.
  void say(int64_t seek, const Ids &ids, bool isSampled = false) {
    for (size_t i = 0; i < ids.size(); ++i)
      put(seek + 1 + static_cast<int64_t>(i), isSampled ? 40 : 0,
          static_cast<float>(ids[i]));
  }

  void speak(int64_t language) { put(0, 40, static_cast<float>(language)); }

  /// The logarithm of the probability of each step of the window at `seek`.
  void cost(int64_t seek, float logprob, int64_t steps) {
    for (int64_t i = 1; i <= steps; ++i)
      put(seek + i, 80, -logprob * 256);
  }

  /// The no-speech probability of the window at `seek`, which is in the sample
  /// beside it.
  void silence(int64_t seek, float probability) {
    put(seek, seek ? -40 : 0, probability * 256);
  }
};

struct Segment {
  double start, end;
  Ids ids;
  int64_t seek;
  float temperature, logprob, ratio, noSpeech;
};

struct Dictation {
  tenon_model *model = nullptr;
  tenon_transcriber *transcriber = nullptr;
  tenon_transcription call = {};
  std::vector<Segment> segments;
  std::function<int()> onSegment;

  Dictation() {
    char text[1024] = "";
    tenon_open_options open = {};
    open.struct_size = sizeof open;
    open.error_text = text;
    open.error_text_bytes = sizeof text;
    EXPECT_EQ(tenon_open(TENON_TEST_DICTATION, &open, &model), TENON_OK)
        << text;
    tenon_transcriber_options options = {};
    options.struct_size = sizeof options;
    options.error_text = text;
    options.error_text_bytes = sizeof text;
    EXPECT_EQ(tenon_transcriber_create(model, &options, &transcriber), TENON_OK)
        << text;
    call.struct_size = sizeof call;
  }
  Dictation(const Dictation &) = delete;
  ~Dictation() {
    EXPECT_EQ(tenon_transcriber_destroy(transcriber), TENON_OK);
    EXPECT_EQ(tenon_close(model), TENON_OK);
  }

  std::string text() const { return tenon_transcriber_text(transcriber); }

  std::string language() const {
    const char *name = tenon_transcriber_language(transcriber);
    return name ? name : "";
  }

  tenon_status run(const Sound &sound) {
    struct State {
      const Sound &sound;
      Dictation &dictation;
    } state = {sound, *this};
    segments.clear();
    call.read = [](void *pointer, int64_t at, float *to, int64_t count) {
      const Sound &sound = static_cast<State *>(pointer)->sound;
      auto size = static_cast<int64_t>(sound.samples.size());
      count = std::max<int64_t>(0, std::min(count, size - at));
      std::copy_n(sound.samples.begin() + std::min(at, size), count, to);
      return count;
    };
    call.read_state = &state;
    call.on_segment = [](void *pointer, const tenon_segment *one) {
      Dictation &self = *static_cast<Dictation *>(pointer);
      self.segments.push_back({one->start, one->end,
                               Ids(one->ids, one->ids + one->count), one->seek,
                               one->temperature, one->mean_logprob,
                               one->compression_ratio, one->no_speech});
      return self.onSegment ? self.onSegment() : 0;
    };
    call.on_segment_state = this;
    return tenon_transcriber_run(transcriber, &call);
  }

  /// The ids of the only segment.
  Ids ids(const Sound &sound) {
    EXPECT_EQ(run(sound), TENON_OK) << text();
    EXPECT_EQ(segments.size(), 1u);
    return segments.empty() ? Ids() : segments[0].ids;
  }
};

} // namespace tenon::test

#endif // TENON_TEST_TRANSCRIBE_DICTATION_H
