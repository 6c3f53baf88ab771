// Tests the WAV reader of programs: all its types of samples, and damaged
// files, which are refused or read within their bounds.
#include "test/tools/WavBytes.h"

extern "C" {
#include "tools/artifact-main/wav.h"
}

#include <cmath>
#include <vector>

using namespace tenon::test;

namespace {

tenon_status opened(const std::string &bytes, wav &sound, std::string &why) {
  MemoryFile file(bytes);
  char text[256] = "";
  tenon_status status =
      wav_open(file.path().c_str(), &sound, text, sizeof text);
  why = text;
  return status;
}

template <typename T> std::string stored(const std::vector<T> &values) {
  return {reinterpret_cast<const char *>(values.data()),
          values.size() * sizeof(T)};
}

std::vector<float> samplesOf(const std::string &bytes) {
  wav sound;
  std::string why;
  EXPECT_EQ(opened(bytes, sound, why), TENON_OK) << why;
  std::vector<float> samples(static_cast<size_t>(sound.frames) + 3);
  EXPECT_EQ(
      wav_read(&sound, 0, samples.data(), static_cast<int64_t>(samples.size())),
      sound.frames);
  samples.resize(static_cast<size_t>(sound.frames));
  // From the middle, and past the end.
  float one[2];
  EXPECT_EQ(wav_read(&sound, sound.frames - 1, one, 2), 1);
  EXPECT_EQ(one[0], samples.back());
  EXPECT_EQ(wav_read(&sound, sound.frames + 7, one, 2), 0);
  wav_close(&sound);
  return samples;
}

TEST(ProgramWav, ReadsEveryTypeOfSamples) {
  std::vector<float> wanted = {0, 0.5f, -1};
  EXPECT_EQ(samplesOf(wavBytes(stored<uint8_t>({128, 192, 0}), 1, 8)), wanted);
  EXPECT_EQ(samplesOf(wavBytes(stored<int16_t>({0, 16384, -32768}))), wanted);
  EXPECT_EQ(
      samplesOf(wavBytes(
          little(0, 3) + little(0x400000, 3) + little(0x800000, 3), 1, 24)),
      wanted);
  EXPECT_EQ(
      samplesOf(wavBytes(stored<int32_t>({0, 1 << 30, INT32_MIN}), 1, 32)),
      wanted);
  EXPECT_EQ(samplesOf(wavBytes(stored<float>({0, 0.5f, -1}), 3, 32)), wanted);
  EXPECT_EQ(samplesOf(wavBytes(stored<double>({0, 0.5, -1}), 3, 64)), wanted);
  // The mean of channels; the last incomplete one is no sample.
  EXPECT_EQ(
      samplesOf(wavBytes(
          stored<int16_t>({0, 0, 16384, 16384, -32768, -32768, 5}), 1, 16, 2)),
      wanted);
}

// Blocks of 16 channels are shorter than others.
TEST(ProgramWav, ReadsManyBlocks) {
  std::vector<double> values;
  for (int i = 0; i < 16 * 2000; ++i)
    values.push_back(i / 16);
  std::vector<float> samples = samplesOf(wavBytes(stored(values), 3, 64, 16));
  ASSERT_EQ(samples.size(), 2000u);
  for (size_t i = 0; i < samples.size(); ++i)
    ASSERT_EQ(samples[i], static_cast<float>(i));
}

TEST(ProgramWav, RefusesOrReadsDamagedFiles) {
  std::mt19937 random(1);
  int refused = 0, read = 0;
  for (int i = 0; i < 10000; ++i) {
    int bits = 8 << random() % 3, channels = 1 + static_cast<int>(random() % 3);
    std::string bytes = damaged(
        wavBytes(std::string(999, '\3'), 1, bits, channels), 44, random);
    wav sound;
    std::string why;
    if (opened(bytes, sound, why) != TENON_OK) {
      EXPECT_NE(why, "");
      ++refused;
      continue;
    }
    ++read;
    ASSERT_LE(sound.frames, static_cast<int64_t>(bytes.size()));
    std::vector<float> samples(700);
    for (int64_t at : {int64_t(0), sound.frames / 2, sound.frames}) {
      int64_t got = wav_read(&sound, at, samples.data(), 700);
      ASSERT_EQ(got, std::min<int64_t>(700, sound.frames - at));
    }
    wav_close(&sound);
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(read, 1000);
}

TEST(ProgramWav, GivesUpAFileOfEmptyChunks) {
  wav sound;
  std::string why, bytes = wavBytes("1234");
  std::string empty(8 * 10000, '\0');
  EXPECT_EQ(opened(bytes.substr(0, 12) + empty + bytes.substr(12), sound, why),
            TENON_INVALID);
  EXPECT_EQ(why, "is a damaged WAV file");
  EXPECT_EQ(opened(bytes.substr(0, 12) + empty.substr(0, 80) + bytes.substr(12),
                   sound, why),
            TENON_OK);
  wav_close(&sound);
}

} // namespace
