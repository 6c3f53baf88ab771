/* The pool. A loop comes in; afterwards each of its tasks has run exactly once,
 * all of them before the call returns. Who runs a task is chance, what it
 * computes is not.
 *
 * A loop is published as one word, the chunks left to take. Whoever takes one,
 * the caller or a worker that spins on that word, may read the loop: it stays
 * until every chunk taken is done. A worker that sleeps, or comes late, is
 * never waited for. */
#include "pool.h"

#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <x86intrin.h>

#include "cpu.h"

#define CALLER_SLEEPS (UINT32_C(1) << 31)

enum {
  MAX_THREADS = 1024,
  CHUNKS_PER_THREAD = 8, /* enough to even out, few enough to be cheap */
  SPIN_TICKS = 100000,   /* of the time stamp counter: some 40 microseconds */
  WORKER_STACK = 4 << 20,
};

static void sleep_while(_Atomic uint32_t *word, uint32_t value) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void wake(_Atomic uint32_t *word, int threads) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, threads, NULL, NULL, 0);
}

int32_t tenon_allowed_cpus(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return CPU_COUNT(&set) > 0 ? CPU_COUNT(&set) : 1;
  long online = sysconf(_SC_NPROCESSORS_ONLN); /* more CPUs than a set holds */
  return online < 1 ? 1 : online > MAX_THREADS ? MAX_THREADS : (int32_t)online;
}

void tenon_pool_init(tenon_pool *pool, int32_t threads) {
  int32_t cpus = tenon_allowed_cpus();
  *pool = (tenon_pool){0};
  if (threads <= 0)
    threads = cpus;
  if (threads > MAX_THREADS)
    threads = MAX_THREADS;
  pool->wanted = threads - 1;
  pool->started = -1;
  /* With more threads than CPUs whoever spins keeps another from working. */
  pool->spin_ticks = threads <= cpus ? SPIN_TICKS : 0;
}

static void run_chunk(tenon_pool *pool, int64_t at) {
  int64_t begin = at * pool->least + (at < pool->longer ? at : pool->longer);
  pool->fn(pool->args, begin, begin + pool->least + (at < pool->longer));
}

/* Runs chunks until none is left to take; how many they were. */
static uint32_t run_chunks(tenon_pool *pool) {
  uint32_t done = 0;
  uint64_t loop = atomic_load_explicit(&pool->loop, memory_order_acquire);
  while ((uint32_t)loop != 0) {
    if (!atomic_compare_exchange_weak_explicit(&pool->loop, &loop, loop - 1,
                                               memory_order_acquire,
                                               memory_order_acquire))
      continue;
    run_chunk(pool, pool->chunks - (uint32_t)loop);
    ++done;
    loop = atomic_load_explicit(&pool->loop, memory_order_acquire);
  }
  return done;
}

/* Returns when there may be chunks to take, or the pool ends. */
static void await_chunks(tenon_pool *pool) {
  uint64_t start = __rdtsc();
  do {
    if ((uint32_t)atomic_load_explicit(&pool->loop, memory_order_relaxed) != 0)
      return;
    _mm_pause();
  } while (__rdtsc() - start < pool->spin_ticks);
  atomic_fetch_add(&pool->sleepers, 1);
  for (;;) {
    uint32_t calls = atomic_load(&pool->calls);
    if ((uint32_t)atomic_load(&pool->loop) != 0 || atomic_load(&pool->stop))
      break;
    sleep_while(&pool->calls, calls);
  }
  atomic_fetch_sub(&pool->sleepers, 1);
}

static void *work(void *argument) {
  tenon_pool *pool = argument;
  tenon_fp_enter();
  while (!atomic_load(&pool->stop)) {
    uint32_t done = run_chunks(pool);
    /* The last of the workers' chunks ends the loop. */
    if (done > 0 &&
        atomic_fetch_sub(&pool->pending, done) == (CALLER_SLEEPS | done))
      wake(&pool->pending, 1);
    await_chunks(pool);
  }
  return NULL;
}

/* Starts as many workers as the system grants; signals stay with the host. */
static void start_workers(tenon_pool *pool) {
  pthread_attr_t attributes;
  sigset_t all, host;
  pool->started = 0;
  pool->process = getpid();
  if (pool->wanted == 0)
    return;
  pool->workers = calloc((size_t)pool->wanted, sizeof *pool->workers);
  if (!pool->workers || pthread_attr_init(&attributes) != 0)
    return;
  (void)pthread_attr_setstacksize(&attributes, WORKER_STACK);
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &host);
  while (pool->started < pool->wanted &&
         pthread_create(&pool->workers[pool->started], &attributes, work,
                        pool) == 0)
    ++pool->started;
  pthread_sigmask(SIG_SETMASK, &host, NULL);
  pthread_attr_destroy(&attributes);
}

void tenon_pool_destroy(tenon_pool *pool) {
  atomic_store(&pool->stop, 1);
  atomic_fetch_add(&pool->calls, 1);
  wake(&pool->calls, MAX_THREADS);
  /* A forked child has no workers to wait for. */
  for (int32_t i = 0; i < pool->started && pool->process == getpid(); ++i)
    pthread_join(pool->workers[i], NULL);
  free(pool->workers);
  pool->workers = NULL;
  pool->started = 0;
}

/* Waits until all chunks but the `own` of the caller are done too. */
static void await_end(tenon_pool *pool, uint32_t own) {
  uint64_t start = __rdtsc();
  do {
    if (atomic_load_explicit(&pool->pending, memory_order_acquire) == own)
      return;
    _mm_pause();
  } while (__rdtsc() - start < pool->spin_ticks);
  uint32_t pending = atomic_fetch_add(&pool->pending, CALLER_SLEEPS - own) +
                     CALLER_SLEEPS - own;
  while (pending != CALLER_SLEEPS) {
    sleep_while(&pool->pending, pending);
    pending = atomic_load(&pool->pending);
  }
}

static void wake_sleepers(tenon_pool *pool, uint32_t chunks) {
  atomic_fetch_add(&pool->calls, 1);
  wake(&pool->calls, (int)chunks);
}

void tenon_pool_parallel(void *argument, tenon_task_fn fn, void *args,
                         int64_t count) {
  tenon_pool *pool = argument;
  if (count <= 0)
    return;
  if (count == 1 || pool->wanted == 0 || atomic_load(&pool->busy) ||
      atomic_exchange(&pool->busy, 1)) {
    fn(args, 0, count);
    return;
  }
  if (pool->started < 0)
    start_workers(pool);
  int64_t most = (int64_t)(pool->started + 1) * CHUNKS_PER_THREAD;
  uint32_t chunks = (uint32_t)(count < most ? count : most);
  pool->fn = fn;
  pool->args = args;
  pool->least = count / chunks;
  pool->longer = (uint32_t)(count % chunks);
  pool->chunks = chunks;
  atomic_store_explicit(&pool->pending, chunks, memory_order_relaxed);
  /* The first chunk is the caller's. The number of the loop stands above those
   * left: a worker that slept through a loop cannot take a chunk of the next
   * for one of it. */
  int sleepers =
      atomic_load_explicit(&pool->sleepers, memory_order_relaxed) > 0;
  atomic_store_explicit(&pool->loop,
                        ((uint64_t)++pool->loops << 32) | (chunks - 1),
                        memory_order_release);
  if (sleepers)
    wake_sleepers(pool, chunks - 1);
  run_chunk(pool, 0);
  /* Who went to sleep while the loop began is seen now: a fence at once would
   * wait until the other processors have seen the loop. */
  atomic_thread_fence(memory_order_seq_cst);
  if (!sleepers && atomic_load(&pool->sleepers) > 0)
    wake_sleepers(pool, chunks - 1);
  await_end(pool, 1 + run_chunks(pool));
  atomic_store_explicit(&pool->busy, 0, memory_order_release);
}
