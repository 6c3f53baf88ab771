// The samples of an open sound file at its own rate, by libsndfile: WAV, FLAC,
// Ogg and what else it knows. Several channels become their mean.
#ifndef TENON_TOOLS_TENON_TRANSCRIBE_SOUNDDECODER_H
#define TENON_TOOLS_TENON_TRANSCRIBE_SOUNDDECODER_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tenon::cli {

class SoundDecoder {
public:
  SoundDecoder();
  ~SoundDecoder();

  /// Takes the file descriptor `file`. Returns why it is no sound file, or "".
  std::string open(int file);

  int channels() const;
  int rate() const;

  /// True if `read` finds any place exactly. In Ogg it does not, nor in a
  /// stream whose header does not know its length.
  bool findsPlaces() const;

  /// Copies up to `count` samples from sample `at`; fewer only at the end.
  /// Returns -1 and says why if the sound is damaged.
  int64_t read(int64_t at, float *samples, int64_t count, std::string &why);

private:
  struct Handle;
  int64_t readBlock(float *samples, int64_t count);

  std::unique_ptr<Handle> handle;
  int64_t position = 0;
  std::vector<float> block;
};

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_TRANSCRIBE_SOUNDDECODER_H
