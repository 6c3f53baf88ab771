// Ogg finds places only nearly, and files that end early need a reason.
#include "tools/tenon/transcribe/SoundDecoder.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <sndfile.h>

namespace tenon::cli {

/// Frames that are decoded at once.
static constexpr int64_t blockFrames = 1 << 14;

struct SoundDecoder::Handle {
  SNDFILE *file = nullptr;
  SF_INFO info = {};

  ~Handle() {
    if (file)
      sf_close(file);
  }
  bool hasLength() const { return info.frames < SF_COUNT_MAX / 2; }
};

SoundDecoder::SoundDecoder() : handle(std::make_unique<Handle>()) {}

SoundDecoder::~SoundDecoder() = default;

std::string SoundDecoder::open(int file) {
  handle->file = sf_open_fd(file, SFM_READ, &handle->info, /*close_desc=*/1);
  return handle->file ? "" : sf_strerror(nullptr);
}

int SoundDecoder::channels() const { return handle->info.channels; }

int SoundDecoder::rate() const { return handle->info.samplerate; }

bool SoundDecoder::findsPlaces() const {
  return handle->info.seekable && handle->hasLength() &&
         (handle->info.format & SF_FORMAT_TYPEMASK) != SF_FORMAT_OGG;
}

int64_t SoundDecoder::readBlock(float *samples, int64_t count) {
  int wide = channels();
  if (wide == 1)
    return sf_readf_float(handle->file, samples, count);
  block.resize(count * wide);
  int64_t got = sf_readf_float(handle->file, block.data(), count);
  for (int64_t i = 0; i < got; ++i) {
    double sum = 0;
    for (int c = 0; c < wide; ++c)
      sum += block[i * wide + c];
    samples[i] = static_cast<float>(sum / wide);
  }
  return got;
}

int64_t SoundDecoder::read(int64_t at, float *samples, int64_t count,
                           std::string &why) {
  int64_t frames = handle->info.frames;
  count = std::max<int64_t>(0, std::min(count, frames - at));
  if (count == 0)
    return 0;
  bool isFound = at == position || sf_seek(handle->file, at, SEEK_SET) == at;
  position = at;
  int64_t got = 0;
  while (isFound && got < count) {
    int64_t part = readBlock(samples + got, std::min(count - got, blockFrames));
    if (part <= 0)
      break;
    got += part;
  }
  position += got;
  // A stream without a length has its end where no more comes.
  if (isFound && !sf_error(handle->file) &&
      (got == count || !handle->hasLength()))
    return got;
  why =
      llvm::formatv("the sound is damaged: it ends after {0:f2} s of {1:f2} s",
                    double(position) / rate(), double(frames) / rate());
  return -1;
}

} // namespace tenon::cli
