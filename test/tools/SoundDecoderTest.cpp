// Tests sound files of every kind: samples at any place, and damaged files,
// which are refused, end early with a reason, or are read.
#include "tools/tenon/transcribe/SoundDecoder.h"

#include "test/tools/WavBytes.h"
#include "tools/tenon/transcribe/WavLength.h"

#include <cmath>
#include <sanitizer/lsan_interface.h>
#include <sndfile.h>

using namespace tenon::cli;
using namespace tenon::test;

namespace {

constexpr int64_t frames = 9000;

/// A tone, each channel softer than the one before.
std::vector<float> tone(int channels) {
  std::vector<float> samples;
  for (int64_t i = 0; i < frames; ++i)
    for (int c = 0; c < channels; ++c)
      samples.push_back(0.5f * std::sin(0.05f * static_cast<float>(i)) /
                        static_cast<float>(c + 1));
  return samples;
}

std::string encoded(int format, int channels) {
  MemoryFile file("");
  SF_INFO info = {};
  info.samplerate = 16000;
  info.channels = channels;
  info.format = format;
  SNDFILE *handle = sf_open_fd(file.descriptor, SFM_WRITE, &info, 0);
  EXPECT_NE(handle, nullptr) << sf_strerror(nullptr);
  std::vector<float> samples = tone(channels);
  // libsndfile's encoder of Ogg overflows its stack on one long block.
  for (int64_t at = 0; at < frames; at += 1000)
    EXPECT_EQ(sf_writef_float(handle, samples.data() + at * channels, 1000),
              1000);
  sf_close(handle);
  std::string bytes(lseek(file.descriptor, 0, SEEK_END), '\0');
  EXPECT_EQ(pread(file.descriptor, bytes.data(), bytes.size(), 0),
            static_cast<ssize_t>(bytes.size()));
  return bytes;
}

struct Kind {
  const char *name;
  int format;
  double error;
};
const Kind kinds[] = {
    {"WAV", SF_FORMAT_WAV | SF_FORMAT_PCM_16, 1e-4},
    {"WAV of floats", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 1e-7},
    {"FLAC", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 1e-4},
    {"Ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS, 0.05},
};

TEST(SoundDecoder, ReadsEveryKind) {
  for (const Kind &kind : kinds)
    for (int channels : {1, 3}) {
      SCOPED_TRACE(kind.name);
      MemoryFile file(encoded(kind.format, channels));
      SoundDecoder decoder;
      ASSERT_EQ(decoder.open(dup(file.descriptor)), "");
      EXPECT_EQ(decoder.channels(), channels);
      EXPECT_EQ(decoder.rate(), 16000);
      std::vector<float> samples(frames + 5), all = tone(1);
      std::string why;
      ASSERT_EQ(decoder.read(0, samples.data(), frames + 5, why), frames);
      double mean = channels == 1 ? 1 : (1 + 1 / 2. + 1 / 3.) / 3;
      for (int64_t i = 0; i < frames; ++i)
        ASSERT_NEAR(samples[i], all[i] * mean, kind.error) << i;
      EXPECT_EQ(decoder.read(frames, samples.data(), 5, why), 0);
      if (!decoder.findsPlaces())
        continue;
      std::mt19937 random(2);
      for (int k = 0; k < 50; ++k) {
        std::vector<float> part(300);
        int64_t at = random() % frames;
        int64_t got = decoder.read(at, part.data(), 300, why);
        ASSERT_EQ(got, std::min<int64_t>(300, frames - at)) << at;
        for (int64_t i = 0; i < got; ++i)
          ASSERT_EQ(part[i], samples[at + i]) << at;
      }
    }
}

TEST(SoundDecoder, RefusesOrReadsDamagedFiles) {
  std::mt19937 random(3);
  for (const Kind &kind : kinds) {
    SCOPED_TRACE(kind.name);
    std::string whole = encoded(kind.format, 2);
    int refused = 0, failed = 0, read = 0;
    for (int i = 0; i < 500; ++i) {
      MemoryFile file(damaged(whole, 100, random));
      checkWavLength(file.descriptor);
      SoundDecoder decoder;
      // libsndfile leaks what it knows of an Ogg file that it refuses.
      __lsan_disable();
      std::string why = decoder.open(dup(file.descriptor));
      __lsan_enable();
      if (!why.empty() || decoder.channels() > 16) {
        ++refused;
        continue;
      }
      std::vector<float> samples(1000);
      int64_t at = 0, got = 0;
      // A header may announce more than there is, but no file has so much.
      for (; at < 1000 * frames; at += got)
        if ((got = decoder.read(at, samples.data(), 1000, why)) <= 0)
          break;
      ASSERT_LT(at, 1000 * frames);
      EXPECT_EQ(got < 0, !why.empty());
      ++(got < 0 ? failed : read);
    }
    // In Ogg most damage is found by a checksum.
    EXPECT_GT(refused, 5);
    EXPECT_GT(failed + read, 5);
  }
}

} // namespace
