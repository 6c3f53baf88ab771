/* Implements the protocol of generator.h between a program that generates text
 * and the benchmark, and greedy choices. */
#include "generator.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

_Noreturn void generator_fail(const char *what, const char *why) {
  fprintf(stderr, "bench: %s: %s\n", what, why);
  exit(1);
}

static double milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static int64_t *numbers(char **text, int64_t count) {
  int64_t *out = malloc((size_t)count * sizeof *out);
  if (!out)
    generator_fail("prompt", "out of memory");
  for (int64_t i = 0; i < count; ++i)
    out[i] = strtoll(*text, text, 10);
  return out;
}

static void read_prompt(char *text, prompt *to) {
  int64_t *sizes = numbers(&text, 5);
  free(to->lengths);
  free(to->ids);
  *to = (prompt){sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], NULL, NULL};
  free(sizes);
  to->lengths = numbers(&text, to->rows);
  to->ids = numbers(&text, to->rows * to->seq);
}

static double shortest_step(const generator *of, int64_t steps) {
  double shortest = 1e30;
  for (int64_t i = 0; i < steps; ++i) {
    double start = milliseconds();
    of->advance(1);
    double taken = milliseconds() - start;
    shortest = taken < shortest ? taken : shortest;
  }
  return shortest;
}

static void print_tokens(const generator *of, const prompt *from) {
  int64_t count = from->rows * from->fresh;
  int64_t *ids = malloc((size_t)count * sizeof *ids);
  if (!ids)
    generator_fail("tokens", "out of memory");
  of->tokens(ids);
  for (int64_t i = 0; i < count; ++i)
    printf("%lld ", (long long)ids[i]);
  puts("");
  free(ids);
}

void generator_serve(const generator *of) {
  static prompt from;
  char *line = NULL;
  size_t room = 0;
  puts("ready");
  fflush(stdout);
  while (getline(&line, &room, stdin) > 0) {
    long long steps;
    if (strncmp(line, "prompt ", 7) == 0) {
      read_prompt(line + 7, &from);
      of->prepare(&from);
      puts("kept");
    } else if (sscanf(line, "steps %lld", &steps) == 1) {
      printf("%.6f\n", shortest_step(of, steps));
    } else if (strncmp(line, "tokens", 6) == 0) {
      print_tokens(of, &from);
    } else {
      double start = milliseconds();
      of->begin();
      if (strncmp(line, "call", 4) == 0)
        of->advance(from.fresh - 1);
      printf("%.6f\n", milliseconds() - start);
    }
    fflush(stdout);
  }
  free(line);
}

void greedy_reset(greedy *to, const prompt *from) {
  int64_t count = from->rows * from->fresh;
  to->from = from;
  to->made = 0;
  to->ids = realloc(to->ids, (size_t)count * sizeof *to->ids);
  if (!to->ids)
    generator_fail("prompt", "out of memory");
  for (int64_t i = 0; i < count; ++i)
    to->ids[i] = -1;
}

static void forbid(const int64_t *ids, int64_t count, float *scores) {
  for (int64_t i = 0; i < count; ++i)
    scores[ids[i]] = -INFINITY;
}

int64_t greedy_choose(greedy *to, int64_t row, float *scores, int64_t count) {
  const prompt *from = to->from;
  int64_t *ids = to->ids + row * from->fresh;
  if (from->distinct) {
    forbid(from->ids + row * from->seq, from->seq, scores);
    forbid(ids, to->made, scores);
  }
  /* Independent maxima, which a compiler turns into vectors. */
  enum { LANES = 64 };
  float lane[LANES], greatest = scores[0];
  for (int l = 0; l < LANES; ++l)
    lane[l] = greatest;
  int64_t whole = count / LANES * LANES, at = 0;
  for (int64_t i = 0; i < whole; i += LANES)
    for (int l = 0; l < LANES; ++l)
      lane[l] = scores[i + l] > lane[l] ? scores[i + l] : lane[l];
  for (int l = 0; l < LANES; ++l)
    greatest = lane[l] > greatest ? lane[l] : greatest;
  for (int64_t i = whole; i < count; ++i)
    greatest = scores[i] > greatest ? scores[i] : greatest;
  while (scores[at] != greatest)
    ++at;
  ids[to->made] = at;
  to->made += row + 1 == from->rows;
  return at;
}

void greedy_tokens(const greedy *chosen, int64_t *out) {
  memcpy(out, chosen->ids,
         (size_t)(chosen->from->rows * chosen->from->fresh) * sizeof *out);
}
