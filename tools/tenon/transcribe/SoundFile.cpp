// libsamplerate converts the rate.
#include "tools/tenon/transcribe/SoundFile.h"

#include "tools/tenon/transcribe/TemporaryFile.h"
#include "tools/tenon/transcribe/WavLength.h"

#include "runtime/tenon_transcribe.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <samplerate.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tenon::cli {

/// More channels are no recording of speech, and their mean is none either.
static constexpr int mostChannels = 16;
static constexpr int leastRate = 1000, mostRate = 768000;
/// Samples that are converted at once.
static constexpr int64_t blockSamples = 1 << 14;

SoundFile::SoundFile() = default;

SoundFile::~SoundFile() {
  if (converted >= 0)
    close(converted);
}

Status SoundFile::openFile(Talk &talk, const std::string &path, int &file) {
  auto failed = [&](const std::string &what) {
    return talk.fail(Status::Io, path, what + ": " + strerror(errno));
  };
  file = path == "-" ? dup(STDIN_FILENO)
                     : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  struct stat info;
  if (file < 0 || fstat(file, &info) != 0)
    return failed("cannot open the sound");
  if (S_ISDIR(info.st_mode)) {
    close(file);
    return talk.fail(Status::Io, path, "expected a sound file, got a folder");
  }
  // Some devices have no end.
  if (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode)) {
    close(file);
    return talk.fail(Status::Io, path,
                     "expected a sound file or a pipe, got a device");
  }
  if (!S_ISREG(info.st_mode)) {
    int copy = makeTemporaryFile();
    int error = copy < 0 ? errno : copyToFile(file, copy);
    close(file);
    file = copy;
    errno = error;
    if (error != 0)
      return failed("cannot copy the sound to a temporary file");
    fstat(file, &info);
  }
  if (info.st_size > 0)
    return Status::Success;
  close(file);
  return talk.fail(Status::InvalidModel, path, "the sound file is empty");
}

Status SoundFile::open(Talk &talk, const std::string &path) {
  int file = -1;
  if (Status status = openFile(talk, path, file); status != Status::Success)
    return status;
  if (std::string wrong = checkWavLength(file); !wrong.empty()) {
    close(file);
    return talk.fail(Status::InvalidModel, path, wrong);
  }
  decoder = std::make_unique<SoundDecoder>();
  if (std::string wrong = decoder->open(file); !wrong.empty())
    return talk.fail(
        Status::InvalidModel, path,
        "expected a sound file, got another or a damaged one: " + wrong, {},
        "WAV, FLAC and Ogg are read; 'ffmpeg -i FILE out.wav' "
        "makes them of others");
  int channels = decoder->channels(), rate = decoder->rate();
  if (channels < 1 || channels > mostChannels)
    return talk.fail(Status::Unsupported, path,
                     llvm::formatv("expected a sound of 1 to {0} channels, got "
                                   "{1}",
                                   mostChannels, channels));
  if (rate < leastRate || rate > mostRate)
    return talk.fail(Status::Unsupported, path,
                     llvm::formatv("expected a sound of {0} to {1} Hz, got {2}",
                                   leastRate, mostRate, rate));
  std::string note;
  if (channels > 1)
    note = llvm::formatv("{0} channels mixed into one", channels);
  if (rate != TENON_SOUND_RATE)
    note += llvm::formatv("{0}{1} Hz converted to {2} Hz",
                          note.empty() ? "" : ", ", rate, TENON_SOUND_RATE);
  if (!note.empty())
    talk.note("sound: " + note);
  return rate == TENON_SOUND_RATE && decoder->findsPlaces()
             ? Status::Success
             : convert(talk, path);
}

Status SoundFile::convert(Talk &talk, const std::string &path) {
  struct Delete {
    void operator()(SRC_STATE *state) const { src_delete(state); }
  };
  double ratio = double(TENON_SOUND_RATE) / decoder->rate();
  // Without a converter samples are only copied.
  std::unique_ptr<SRC_STATE, Delete> converter;
  int error = 0;
  if (ratio != 1)
    converter.reset(src_new(SRC_SINC_MEDIUM_QUALITY, 1, &error));
  if (error != 0)
    return talk.fail(Status::Limit, path, src_strerror(error));
  if ((converted = makeTemporaryFile()) < 0)
    return talk.fail(Status::Io, path,
                     std::string("cannot make a temporary file: ") +
                         strerror(errno));
  auto put = [&](const float *samples, int64_t count) {
    int failed = writeToFile(converted, samples, count * sizeof(float));
    return failed == 0
               ? Status::Success
               : talk.fail(Status::Io, path,
                           std::string("cannot write the converted sound to a "
                                       "temporary file: ") +
                               strerror(failed));
  };
  std::vector<float> in(blockSamples);
  std::vector<float> out(static_cast<size_t>(blockSamples * ratio) + 64);
  SRC_DATA data = {};
  data.src_ratio = ratio;
  Status status = Status::Success;
  for (int64_t at = 0; !data.end_of_input && status == Status::Success;) {
    int64_t got = decoder->read(at, in.data(), blockSamples, why);
    if (got < 0)
      return talk.fail(Status::InvalidModel, path, why);
    at += got;
    data.data_in = in.data();
    data.input_frames = got;
    data.end_of_input = got < blockSamples;
    if (!converter) {
      status = put(in.data(), got);
      continue;
    }
    do {
      data.data_out = out.data();
      data.output_frames = static_cast<long>(out.size());
      if (int wrong = src_process(converter.get(), &data))
        return talk.fail(Status::Internal, path, src_strerror(wrong));
      data.data_in += data.input_frames_used;
      data.input_frames -= data.input_frames_used;
      status = put(out.data(), data.output_frames_gen);
    } while (status == Status::Success &&
             (data.input_frames > 0 ||
              (data.end_of_input && data.output_frames_gen > 0)));
  }
  decoder.reset();
  return status;
}

int64_t SoundFile::readConverted(int64_t at, float *samples, int64_t count) {
  size_t bytes = count * sizeof(float), got = 0;
  while (got < bytes) {
    ssize_t part = pread(converted, reinterpret_cast<char *>(samples) + got,
                         bytes - got, at * sizeof(float) + got);
    if (part < 0 && errno == EINTR)
      continue;
    if (part < 0) {
      why = std::string("cannot read the temporary file: ") + strerror(errno);
      return -1;
    }
    if (part == 0)
      break;
    got += part;
  }
  return static_cast<int64_t>(got / sizeof(float));
}

int64_t SoundFile::read(int64_t at, float *samples, int64_t count) {
  return decoder ? decoder->read(at, samples, count, why)
                 : readConverted(at, samples, count);
}

} // namespace tenon::cli
