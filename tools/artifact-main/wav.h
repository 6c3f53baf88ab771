/* The sound of a WAV file: its channels mixed into one. */
#ifndef TENON_TOOLS_ARTIFACT_MAIN_WAV_H
#define TENON_TOOLS_ARTIFACT_MAIN_WAV_H

#include "runtime/tenon.h"

typedef struct {
  int file;
  int channels, bits, is_float;
  int64_t begin, frames; /* where samples are, in bytes; their number */
} wav;

/* Opens a WAV file of PCM or floats at 16 kHz; "-" is the standard input, which
 * must be a file. Writes the reason of a failure to `why`. */
tenon_status wav_open(const char *path, wav *sound, char *why,
                      size_t why_bytes);
void wav_close(wav *sound);

/* Copies samples as tenon_sound_fn says; `sound` is a wav. */
int64_t wav_read(void *sound, int64_t at, float *samples, int64_t count);

#endif /* TENON_TOOLS_ARTIFACT_MAIN_WAV_H */
