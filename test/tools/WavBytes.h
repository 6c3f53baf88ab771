// The bytes of WAV files, files in memory, and random damage.
#ifndef TENON_TEST_TOOLS_WAVBYTES_H
#define TENON_TEST_TOOLS_WAVBYTES_H

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace tenon::test {

inline std::string little(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i)
    text += static_cast<char>(value >> (8 * i));
  return text;
}

/// A WAV file. `kind` is 1 for PCM and 3 for floats.
inline std::string wavBytes(const std::string &data, int kind = 1,
                            int bits = 16, int channels = 1, int rate = 16000) {
  int width = bits / 8 * channels;
  return "RIFF" + little(36 + data.size(), 4) + "WAVEfmt " + little(16, 4) +
         little(kind, 2) + little(channels, 2) + little(rate, 4) +
         little(rate * width, 4) + little(width, 2) + little(bits, 2) + "data" +
         little(data.size(), 4) + data;
}

/// A file without a name that has these bytes.
struct MemoryFile {
  int descriptor = memfd_create("sound", MFD_CLOEXEC);

  explicit MemoryFile(const std::string &bytes) {
    EXPECT_EQ(write(descriptor, bytes.data(), bytes.size()),
              static_cast<ssize_t>(bytes.size()));
    lseek(descriptor, 0, SEEK_SET);
  }
  MemoryFile(const MemoryFile &) = delete;
  ~MemoryFile() { close(descriptor); }

  std::string path() const {
    return "/proc/self/fd/" + std::to_string(descriptor);
  }
};

/// Changes some bytes, cuts the end off, or inserts bytes. Half of the places
/// are in the first `head` bytes.
inline std::string damaged(std::string bytes, size_t head,
                           std::mt19937 &random) {
  auto place = [&] {
    size_t most = random() % 2 ? std::min(head, bytes.size()) : bytes.size();
    return most ? random() % most : 0;
  };
  for (int i = 1 + random() % 4; i > 0 && !bytes.empty(); --i)
    switch (random() % 8) {
    case 0:
      bytes.resize(place());
      break;
    case 1:
      bytes.insert(place(), little(random(), 1 + random() % 4));
      break;
    case 2: {
      uint32_t extremes[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff};
      std::string value = little(extremes[random() % 5], 4);
      size_t at = place();
      bytes.replace(at, std::min<size_t>(4, bytes.size() - at), value);
      break;
    }
    default:
      bytes[place()] = static_cast<char>(random());
    }
  return bytes;
}

} // namespace tenon::test

#endif // TENON_TEST_TOOLS_WAVBYTES_H
