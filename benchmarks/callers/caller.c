/* Implements the protocol of caller.h between a measured program and the
 * benchmark. */
#define _GNU_SOURCE
#include "caller.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void fail(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

static size_t element_bytes(const char *type) {
  static const struct {
    const char *type;
    size_t bytes;
  } sizes[] = {{"float32", 4}, {"float64", 8}, {"float16", 2}, {"int64", 8},
               {"int32", 4},   {"int16", 2},   {"int8", 1},    {"uint64", 8},
               {"uint32", 4},  {"uint16", 2},  {"uint8", 1},   {"bool", 1}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
    if (strcmp(sizes[i].type, type) == 0)
      return sizes[i].bytes;
  fail("manifest: unknown element type", type);
}

void read_tensors(const char *path, call_tensors *tensors) {
  memset(tensors, 0, sizeof *tensors);
  FILE *manifest = fopen(path, "r");
  if (!manifest)
    fail(path, "cannot be read");
  char kind[8];
  while (fscanf(manifest, "%7s", kind) == 1) {
    int is_input = strcmp(kind, "input") == 0;
    int *count = is_input ? &tensors->num_inputs : &tensors->num_outputs;
    call_tensor *to = is_input ? tensors->inputs : tensors->outputs;
    if (*count == MAX_TENSORS)
      fail(path, "too many tensors");
    to += (*count)++;
    if (fscanf(manifest, "%63s %15s %d", to->name, to->type, &to->rank) != 3 ||
        to->rank < 0 || to->rank > MAX_RANK)
      fail(path, "not a tensor");
    to->bytes = element_bytes(to->type);
    for (int i = 0; i < to->rank; ++i) {
      long long extent;
      if (fscanf(manifest, "%lld", &extent) != 1)
        fail(path, "an extent is missing");
      to->dims[i] = extent;
      to->bytes *= (size_t)extent;
    }
    if (fscanf(manifest, " %4095[^\n]", to->file) != 1)
      fail(path, "a file name is missing");
    to->data = aligned_alloc(64, (to->bytes + 127) / 64 * 64);
    if (!to->data)
      fail(to->name, "no memory");
    memset(to->data, 0, to->bytes);
    if (!is_input)
      continue;
    FILE *elements = fopen(to->file, "rb");
    if (!elements || fread(to->data, 1, to->bytes, elements) != to->bytes)
      fail(to->file, "cannot be read");
    fclose(elements);
  }
  fclose(manifest);
}

static double milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static void write_outputs(const call_tensors *tensors) {
  for (int i = 0; i < tensors->num_outputs; ++i) {
    const call_tensor *from = &tensors->outputs[i];
    FILE *elements = fopen(from->file, "wb");
    if (!elements ||
        fwrite(from->data, 1, from->bytes, elements) != from->bytes)
      fail(from->file, "cannot be written");
    fclose(elements);
  }
}

void serve(call_tensors *tensors, void (*call)(void *state), void *state) {
  puts("ready");
  fflush(stdout);
  char line[64];
  while (fgets(line, sizeof line, stdin)) {
    int groups, calls;
    if (sscanf(line, "run %d %d", &groups, &calls) == 2) {
      double best = 1e300;
      for (int group = 0; group < groups; ++group) {
        double start = milliseconds();
        for (int i = 0; i < calls; ++i)
          call(state);
        double taken = (milliseconds() - start) / calls;
        best = taken < best ? taken : best;
      }
      printf("%.9g\n", best);
    } else if (strcmp(line, "write\n") == 0) {
      call(state);
      write_outputs(tensors);
      puts("written");
    } else {
      fail("unknown question", line);
    }
    fflush(stdout);
  }
}
