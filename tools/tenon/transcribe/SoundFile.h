// The sound of a file as mono samples at 16 kHz. Memory does not grow with its
// length: samples are read where they are asked for.
#ifndef TENON_TOOLS_TENON_TRANSCRIBE_SOUNDFILE_H
#define TENON_TOOLS_TENON_TRANSCRIBE_SOUNDFILE_H

#include "tools/tenon/Talk.h"
#include "tools/tenon/transcribe/SoundDecoder.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tenon::cli {

class SoundFile {
public:
  SoundFile();
  ~SoundFile();

  /// Opens the file `path`; "-" is the standard input. What comes from a pipe
  /// goes through a temporary file, and so does a sound of another rate, which
  /// is converted. Several channels become one, with a note.
  Status open(Talk &talk, const std::string &path);

  /// Copies up to `count` samples from sample `at`; fewer only at the end.
  /// Returns -1 if the sound is damaged.
  int64_t read(int64_t at, float *samples, int64_t count);

  /// Why `read` failed, or empty.
  const std::string &whyNot() const { return why; }

private:
  Status openFile(Talk &talk, const std::string &path, int &file);
  Status convert(Talk &talk, const std::string &path);
  int64_t readConverted(int64_t at, float *samples, int64_t count);

  std::unique_ptr<SoundDecoder> decoder; ///< null after a conversion
  int converted = -1;                    ///< a file of floats
  std::string why;
};

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_TRANSCRIBE_SOUNDFILE_H
