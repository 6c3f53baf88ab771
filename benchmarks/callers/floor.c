/* Measures the peak rates of this machine. Argument: THREADS.
 *
 * Answers `fma` with the GFLOP/s of independent fused multiply-adds on all
 * threads. Answers `read BYTES` with the GB/s at which the threads read BYTES
 * bytes repeatedly, each thread its own part. The best of three tries counts.
 * */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#ifdef __AVX512F__
#define LANES 16
#define CHAINS 24
#else
#define LANES 8
#define CHAINS 12
#endif
#define TRIES 3
#define MAX_THREADS 256

typedef float lanes __attribute__((vector_size(4 * LANES)));

enum { FMA, READ, END };

static int threads, task;
static long repeats;
/* The memory to read: `share` bytes per thread, in whole blocks of 4 KiB. */
static const char *memory;
static size_t share;
static atomic_int round_started, still_running;
static volatile float sink[MAX_THREADS][16];

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Enough independent chains to hide an FMA's latency on two ports. */
static void multiply_and_add(int thread) {
  volatile float near_one = 0.999f, little = 0.001f;
  lanes factor, term, chain[CHAINS];
  for (int l = 0; l < LANES; ++l)
    factor[l] = near_one, term[l] = little;
  for (int c = 0; c < CHAINS; ++c)
    chain[c] = term * (float)c;
  for (long r = 0; r < repeats; ++r) {
#pragma clang loop unroll(full)
    for (int c = 0; c < CHAINS; ++c)
      chain[c] = chain[c] * factor + term;
  }
  lanes sum = chain[0];
  for (int c = 1; c < CHAINS; ++c)
    sum += chain[c];
  float total = 0;
  for (int l = 0; l < LANES; ++l)
    total += sum[l];
  sink[thread][0] = total;
}

/* Xor of all words: bound by loads, whatever the bits are. */
static void read_through(int thread) {
  typedef uint64_t words __attribute__((vector_size(4 * LANES)));
  words seen[8] = {0};
  for (long r = 0; r < repeats; ++r) {
    const words *from = (const words *)(memory + share * (size_t)thread);
    const words *end = from + share / sizeof(words);
    for (; from < end; from += 8)
      for (int i = 0; i < 8; ++i)
        seen[i] ^= from[i];
    __asm__ volatile("" ::: "memory");
  }
  for (int i = 1; i < 8; ++i)
    seen[0] ^= seen[i];
  sink[thread][1] = (float)seen[0][0];
}

static void work(int thread) {
  if (task == FMA)
    multiply_and_add(thread);
  else if (task == READ)
    read_through(thread);
}

/* Spins while a measurement is running, sleeps otherwise. */
static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;

static void *helper(void *argument) {
  int thread = (int)(intptr_t)argument, seen = 0;
  for (;;) {
    pthread_mutex_lock(&door);
    while (atomic_load(&round_started) == seen)
      pthread_cond_wait(&opened, &door);
    pthread_mutex_unlock(&door);
    ++seen;
    int last = task == END;
    work(thread);
    atomic_fetch_sub(&still_running, 1);
    if (last)
      return NULL;
  }
}

/* The seconds that all threads need for `repeats` repetitions of the task. */
static double measure(void) {
  pthread_mutex_lock(&door);
  atomic_store(&still_running, threads - 1);
  atomic_fetch_add(&round_started, 1);
  pthread_cond_broadcast(&opened);
  pthread_mutex_unlock(&door);
  double start = seconds();
  work(0);
  while (atomic_load(&still_running) > 0)
    ;
  return seconds() - start;
}

/* The rate in units per second; one repetition has `units`. A try takes about
 * 10 ms. */
static double rate(double units) {
  double best = 0;
  for (repeats = 1; measure() < 0.005; repeats *= 2)
    ;
  for (int i = 0; i < TRIES; ++i) {
    double one = units * (double)repeats / measure();
    best = one > best ? one : best;
  }
  return best;
}

static void provide(size_t wanted) {
  size_t whole = (wanted + (1 << 21)) >> 21 << 21;
  static size_t held;
  if (held < whole) {
    char *fresh = mmap(NULL, whole, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh == MAP_FAILED) {
      perror("floor");
      exit(1);
    }
    madvise(fresh, whole, MADV_HUGEPAGE);
    memset(fresh, 1, whole);
    if (memory)
      munmap((char *)memory, held);
    memory = fresh;
    held = whole;
  }
}

int main(int argc, char **argv) {
  threads = argc == 2 ? atoi(argv[1]) : 0;
  if (threads < 1 || threads > MAX_THREADS) {
    fprintf(stderr, "usage: floor THREADS\n");
    return 2;
  }
  pthread_t helpers[MAX_THREADS];
  for (int t = 1; t < threads; ++t)
    pthread_create(&helpers[t], NULL, helper, (void *)(intptr_t)t);
  puts("ready");
  fflush(stdout);
  char line[64];
  while (fgets(line, sizeof line, stdin)) {
    unsigned long long wanted;
    if (sscanf(line, "read %llu", &wanted) == 1) {
      task = READ;
      share = (wanted / (size_t)threads + 4096) / 4096 * 4096;
      provide(share * (size_t)threads);
      printf("%.6g\n", rate((double)share * threads) / 1e9);
    } else {
      task = FMA;
      printf("%.6g\n", rate(2.0 * LANES * CHAINS * threads) / 1e9);
    }
    fflush(stdout);
  }
  task = END;
  measure();
  for (int t = 1; t < threads; ++t)
    pthread_join(helpers[t], NULL);
}
