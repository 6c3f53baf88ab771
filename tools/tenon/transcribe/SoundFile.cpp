// libsndfile decodes, libsamplerate converts the rate.
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
#include <sndfile.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tenon::cli {

/// More channels are no recording of speech, and their mean is none either.
static constexpr int mostChannels = 16;
static constexpr int leastRate = 1000, mostRate = 768000;
/// Frames that are decoded at once.
static constexpr int64_t blockFrames = 1 << 14;

/// An open sound file: its samples, mixed into one channel.
class SoundFile::Decoder {
public:
  ~Decoder() {
    if (handle)
      sf_close(handle);
  }

  /// Takes `file`. Returns false if it is no sound file.
  bool open(int file) {
    handle = sf_open_fd(file, SFM_READ, &info, /*close_desc=*/1);
    return handle != nullptr;
  }

  /// As SoundFile::read, at the file's rate.
  int64_t read(int64_t at, float *samples, int64_t count, std::string &why) {
    count = std::max<int64_t>(0, std::min(count, info.frames - at));
    if (count == 0)
      return 0;
    if (at != position && sf_seek(handle, at, SEEK_SET) != at)
      return fail(why, at);
    int64_t got = 0;
    while (got < count) {
      int64_t part =
          readBlock(samples + got, std::min(count - got, blockFrames));
      if (part <= 0)
        break;
      got += part;
    }
    position = at + got;
    // A stream without a length has its end where no more comes.
    bool hasLength = info.frames < SF_COUNT_MAX / 2;
    return sf_error(handle) || (got < count && hasLength) ? fail(why, position)
                                                          : got;
  }

  SF_INFO info = {};

private:
  int64_t readBlock(float *samples, int64_t count) {
    if (info.channels == 1)
      return sf_readf_float(handle, samples, count);
    block.resize(count * info.channels);
    int64_t got = sf_readf_float(handle, block.data(), count);
    for (int64_t i = 0; i < got; ++i) {
      double sum = 0;
      for (int c = 0; c < info.channels; ++c)
        sum += block[i * info.channels + c];
      samples[i] = static_cast<float>(sum / info.channels);
    }
    return got;
  }

  int64_t fail(std::string &why, int64_t at) {
    why = llvm::formatv("the sound is damaged: it ends after {0:f2} s of "
                        "{1:f2} s",
                        double(at) / info.samplerate,
                        double(info.frames) / info.samplerate);
    return -1;
  }

  SNDFILE *handle = nullptr;
  int64_t position = 0;
  std::vector<float> block;
};

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
  decoder = std::make_unique<Decoder>();
  if (!decoder->open(file))
    return talk.fail(Status::InvalidModel, path,
                     std::string("expected a sound file, got another or a "
                                 "damaged one: ") +
                         sf_strerror(nullptr),
                     {},
                     "WAV, FLAC and Ogg are read; 'ffmpeg -i FILE out.wav' "
                     "makes them of others");
  const SF_INFO &info = decoder->info;
  if (info.channels < 1 || info.channels > mostChannels)
    return talk.fail(Status::Unsupported, path,
                     llvm::formatv("expected a sound of 1 to {0} channels, got "
                                   "{1}",
                                   mostChannels, info.channels));
  if (info.samplerate < leastRate || info.samplerate > mostRate)
    return talk.fail(Status::Unsupported, path,
                     llvm::formatv("expected a sound of {0} to {1} Hz, got {2}",
                                   leastRate, mostRate, info.samplerate));
  std::string note;
  if (info.channels > 1)
    note = llvm::formatv("{0} channels mixed into one", info.channels);
  if (info.samplerate != TENON_SOUND_RATE)
    note +=
        llvm::formatv("{0}{1} Hz converted to {2} Hz", note.empty() ? "" : ", ",
                      info.samplerate, TENON_SOUND_RATE);
  if (!note.empty())
    talk.note("sound: " + note);
  // A place in Ogg or in a stream without a length is not found exactly.
  bool isSeekable = info.seekable &&
                    (info.format & SF_FORMAT_TYPEMASK) != SF_FORMAT_OGG &&
                    info.frames < SF_COUNT_MAX / 2;
  return info.samplerate == TENON_SOUND_RATE && isSeekable
             ? Status::Success
             : convert(talk, path);
}

Status SoundFile::convert(Talk &talk, const std::string &path) {
  struct Delete {
    void operator()(SRC_STATE *state) const { src_delete(state); }
  };
  double ratio = double(TENON_SOUND_RATE) / decoder->info.samplerate;
  int error = 0;
  std::unique_ptr<SRC_STATE, Delete> state(
      src_new(SRC_SINC_MEDIUM_QUALITY, 1, &error));
  if (!state)
    return talk.fail(Status::Limit, path, src_strerror(error));
  if ((converted = makeTemporaryFile()) < 0)
    return talk.fail(Status::Io, path,
                     std::string("cannot make a temporary file: ") +
                         strerror(errno));
  std::vector<float> in(blockFrames);
  std::vector<float> out(static_cast<size_t>(blockFrames * ratio) + 64);
  SRC_DATA data = {};
  data.src_ratio = ratio;
  for (int64_t at = 0; !data.end_of_input;) {
    int64_t got = decoder->read(at, in.data(), blockFrames, why);
    if (got < 0)
      return talk.fail(Status::InvalidModel, path, why);
    at += got;
    data.data_in = in.data();
    data.input_frames = got;
    data.end_of_input = got < blockFrames;
    do {
      data.data_out = out.data();
      data.output_frames = static_cast<long>(out.size());
      if (ratio == 1)
        std::copy_n(in.begin(), got, out.begin()),
            data.output_frames_gen = data.input_frames_used = got;
      else if (int wrong = src_process(state.get(), &data))
        return talk.fail(Status::Internal, path, src_strerror(wrong));
      data.data_in += data.input_frames_used;
      data.input_frames -= data.input_frames_used;
      if (int failed = writeToFile(converted, out.data(),
                                   data.output_frames_gen * sizeof(float)))
        return talk.fail(Status::Io, path,
                         std::string("cannot write the converted sound to a "
                                     "temporary file: ") +
                             strerror(failed));
    } while (data.input_frames > 0 ||
             (ratio != 1 && data.end_of_input && data.output_frames_gen > 0));
  }
  decoder.reset();
  return Status::Success;
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
