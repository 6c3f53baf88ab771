// libFuzzer on sound files: any bytes may come. A sound that is read has no
// more samples than were asked for, and an end. The libraries that decode are
// built without sanitizers.
#include "tools/tenon/transcribe/SoundFile.h"

#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

namespace tenon::cli {
// Messages are not printed.
Status Talk::fail(Status status, std::string, std::string,
                  std::vector<std::string>, std::string) {
  return status;
}
void Talk::note(std::string) {}
} // namespace tenon::cli

using namespace tenon::cli;

static constexpr int64_t block = 1 << 16;

static void readAll(SoundFile &sound) {
  static std::vector<float> samples(block);
  for (int64_t at = 0;;) {
    int64_t got = sound.read(at, samples.data(), block);
    if (got < 0 ? sound.whyNot().empty() : got > block)
      std::abort();
    at += got;
    if (got < block)
      break;
  }
  // An earlier place, and one beyond the end.
  for (int64_t at : {int64_t(1), INT64_MAX / 8})
    if (sound.read(at, samples.data(), 16) > 16)
      std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  int file = memfd_create("sound", MFD_CLOEXEC);
  if (write(file, data, size) != ssize_t(size))
    std::abort();
  Talk talk;
  SoundFile sound;
  if (sound.open(talk, "/proc/self/fd/" + std::to_string(file)) ==
      tenon::Status::Success)
    readAll(sound);
  close(file);
  return 0;
}
