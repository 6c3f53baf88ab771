/* Common parts of the programs that generate text: the prompts, and the
 * requests that come on the standard input.
 *
 * `prompt BEAMS NEW DISTINCT ROWS SEQ LENGTH... ID...` prepares a call: ROWS
 * prompts of SEQ columns, pads on the left, and NEW tokens to be generated for
 * each. With DISTINCT 1 a row has no token twice. The answer is `kept`. `first`
 * computes the prompts and chooses the first tokens, and answers with its
 * milliseconds. `steps N` answers with the milliseconds of the shortest of N
 * further steps, and `call` with those of a whole call. `tokens` answers with
 * the new tokens of all rows since `first` or `call`. */
#ifndef TENON_BENCHMARKS_CALLERS_GENERATOR_H
#define TENON_BENCHMARKS_CALLERS_GENERATOR_H

#include <stdint.h>

typedef struct prompt {
  int64_t beams, fresh, distinct, rows, seq;
  int64_t *lengths, *ids;
} prompt;

typedef struct generator {
  /* Makes room for calls with `of`, which stays valid until the next call. */
  void (*prepare)(const prompt *of);
  /* Computes the prompts and chooses the first tokens. */
  void (*begin)(void);
  /* Makes `steps` more steps. */
  void (*advance)(int64_t steps);
  /* Writes the new tokens, `fresh` of each row, those not made yet as -1. */
  void (*tokens)(int64_t *out);
} generator;

/* Prints the reason and ends the program with an error. */
_Noreturn void generator_fail(const char *what, const char *why);

/* Answers requests until the standard input ends. */
void generator_serve(const generator *of);

/* The tokens that a greedy loop outside of a library chose: a table of `fresh`
 * for each row. */
typedef struct greedy {
  const prompt *from;
  int64_t *ids, made;
} greedy;

void greedy_reset(greedy *to, const prompt *from);

/* Chooses the greatest of `count` scores, the first of equals, for `row`; the
 * last row ends the step. If tokens shall be distinct, scores change. */
int64_t greedy_choose(greedy *to, int64_t row, float *scores, int64_t count);

void greedy_tokens(const greedy *chosen, int64_t *out);

#endif /* TENON_BENCHMARKS_CALLERS_GENERATOR_H */
