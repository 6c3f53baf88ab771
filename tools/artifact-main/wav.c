/* The chunks of a RIFF file: four letters, a length, and so many bytes. */
#include "wav.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RATE = 16000, PCM = 1, FLOATS = 3, EXTENSIBLE = 0xfffe };

/* Real files have some dozens. A file of empty chunks would take long. */
enum { MOST_CHUNKS = 10000 };

static uint32_t read_u32(const unsigned char *at) {
  return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
         (uint32_t)at[3] << 24;
}

static uint32_t read_u16(const unsigned char *at) {
  return at[0] | (uint32_t)at[1] << 8;
}

__attribute__((format(printf, 4, 5))) static tenon_status
fail(tenon_status status, char *why, size_t why_bytes, const char *format,
     ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(why, why_bytes, format, arguments);
  va_end(arguments);
  return status;
}

static tenon_status read_format(wav *sound, const unsigned char *chunk,
                                char *why, size_t why_bytes) {
  uint32_t kind = read_u16(chunk), rate = read_u32(chunk + 4);
  if (kind == EXTENSIBLE)
    kind = read_u16(chunk + 24);
  sound->channels = (int)read_u16(chunk + 2);
  sound->bits = (int)read_u16(chunk + 14);
  sound->is_float = kind == FLOATS;
  if (rate != RATE)
    return fail(TENON_UNSUPPORTED, why, why_bytes,
                "has %u Hz, expected %d; 'ffmpeg -i FILE -ar %d out.wav' "
                "converts it",
                rate, RATE, RATE);
  int is_known = kind == FLOATS
                     ? sound->bits == 32 || sound->bits == 64
                     : kind == PCM && (sound->bits == 8 || sound->bits == 16 ||
                                       sound->bits == 24 || sound->bits == 32);
  if (!is_known || sound->channels < 1 || sound->channels > 16)
    return fail(TENON_UNSUPPORTED, why, why_bytes,
                "has samples of kind %u with %d bits in %d channels; expected "
                "PCM or floats in 1 to 16 channels",
                kind, sound->bits, sound->channels);
  return TENON_OK;
}

static tenon_status read_chunks(wav *sound, char *why, size_t why_bytes) {
  struct stat info;
  unsigned char head[12], chunk[26];
  if (fstat(sound->file, &info) != 0 || !S_ISREG(info.st_mode))
    return fail(TENON_IO, why, why_bytes, "is no regular file");
  if (pread(sound->file, head, 12, 0) != 12 || memcmp(head, "RIFF", 4) != 0 ||
      memcmp(head + 8, "WAVE", 4) != 0)
    return fail(TENON_INVALID, why, why_bytes, "is no WAV file");
  int64_t at = 12;
  for (int i = 0; i < MOST_CHUNKS && pread(sound->file, head, 8, at) == 8;
       ++i) {
    int64_t bytes = read_u32(head + 4), left = info.st_size - at - 8;
    at += 8;
    memset(chunk, 0, sizeof chunk);
    if (memcmp(head, "fmt ", 4) == 0 && bytes >= 16) {
      size_t wanted =
          bytes < (int64_t)sizeof chunk ? (size_t)bytes : sizeof chunk;
      if (pread(sound->file, chunk, wanted, at) != (ssize_t)wanted)
        break;
      tenon_status status = read_format(sound, chunk, why, why_bytes);
      if (status != TENON_OK)
        return status;
    } else if (memcmp(head, "data", 4) == 0 && sound->channels > 0) {
      /* A stream's length was not known when its header was written. */
      int is_stream = bytes == 0 || bytes >= 0xffffff00;
      if (bytes > left && !is_stream)
        return fail(TENON_INVALID, why, why_bytes,
                    "is damaged: its header announces %lld bytes of samples, "
                    "there are %lld",
                    (long long)bytes, (long long)left);
      sound->begin = at;
      sound->frames =
          (is_stream ? left : bytes) / (sound->channels * sound->bits / 8);
      return TENON_OK;
    }
    /* Chunks begin at even places. */
    at += bytes + bytes % 2;
  }
  return fail(TENON_INVALID, why, why_bytes, "is a damaged WAV file");
}

tenon_status wav_open(const char *path, wav *sound, char *why,
                      size_t why_bytes) {
  memset(sound, 0, sizeof *sound);
  sound->file = strcmp(path, "-") == 0 ? dup(STDIN_FILENO)
                                       : open(path, O_RDONLY | O_CLOEXEC);
  if (sound->file < 0)
    return fail(TENON_IO, why, why_bytes, "cannot be opened: %s",
                strerror(errno));
  tenon_status status = read_chunks(sound, why, why_bytes);
  if (status != TENON_OK)
    wav_close(sound);
  return status;
}

void wav_close(wav *sound) { close(sound->file); }

/* A sample from -1 to 1; floats are as they are. */
static double sample_at(const wav *sound, const unsigned char *at) {
  float single;
  double real;
  switch (sound->bits) {
  case 8:
    return (at[0] - 128) / 128.0;
  case 16:
    return (int16_t)read_u16(at) / 32768.0;
  case 24:
    return (int32_t)(read_u16(at) << 8 | (uint32_t)at[2] << 24) / 2147483648.0;
  case 64:
    memcpy(&real, at, sizeof real);
    return real;
  default:
    memcpy(&single, at, sizeof single);
    return sound->is_float ? (double)single
                           : (int32_t)read_u32(at) / 2147483648.0;
  }
}

int64_t wav_read(void *state, int64_t at, float *samples, int64_t count) {
  const wav *sound = state;
  unsigned char block[16 * 8 * 512];
  size_t bytes = (size_t)(sound->bits / 8),
         width = bytes * (size_t)sound->channels;
  int64_t most = (int64_t)(sizeof block / width), done = 0;
  if (count > sound->frames - at)
    count = sound->frames > at ? sound->frames - at : 0;
  while (done < count) {
    int64_t part = count - done < most ? count - done : most;
    size_t wanted = (size_t)part * width;
    if (pread(sound->file, block, wanted,
              sound->begin + (at + done) * (int64_t)width) != (ssize_t)wanted)
      return -1;
    for (int64_t i = 0; i < part; ++i) {
      double sum = 0;
      for (int c = 0; c < sound->channels; ++c)
        sum += sample_at(sound, block + (size_t)i * width + (size_t)c * bytes);
      samples[done + i] = (float)(sum / sound->channels);
    }
    done += part;
  }
  return done;
}
