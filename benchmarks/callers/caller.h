/* Common parts of the measured programs: the tensors of one call, read from a
 * manifest, and the requests that come on the standard input.
 *
 * Each line of a manifest is `input|output NAME TYPE RANK EXTENT... FILE`; a
 * file has raw elements. The program first prints `ready`. It answers `run N
 * CALLS` with the milliseconds of one call: the shortest of N groups of CALLS
 * calls. It answers `write` with `written` once the outputs are in their files.
 * */
#ifndef TENON_BENCHMARKS_CALLERS_CALLER_H
#define TENON_BENCHMARKS_CALLERS_CALLER_H

#include <stddef.h>
#include <stdint.h>

#define MAX_RANK 8
#define MAX_TENSORS 64

/* One input or output; its elements are aligned to 64 bytes. */
typedef struct call_tensor {
  char name[64];
  char type[16];
  int rank;
  int64_t dims[MAX_RANK];
  size_t bytes;
  void *data;
  char file[4096];
} call_tensor;

typedef struct call_tensors {
  call_tensor inputs[MAX_TENSORS], outputs[MAX_TENSORS];
  int num_inputs, num_outputs;
} call_tensors;

/* Prints the reason and ends the program with an error. */
_Noreturn void fail(const char *what, const char *why);

/* Reads the manifest at `path` and the elements of its inputs. */
void read_tensors(const char *path, call_tensors *tensors);

/* Answers requests until the standard input ends. */
void serve(call_tensors *tensors, void (*call)(void *state), void *state);

#endif /* TENON_BENCHMARKS_CALLERS_CALLER_H */
