/* The pool. A loop comes in; afterwards each of its tasks has run exactly once,
 * all of them before the call returns. Who runs a task is chance, what it
 * computes is not.
 *
 * A loop opens the gate; workers that see it in time enter and take chunks off
 * one counter together with the caller. When the counter is used up the caller
 * shuts the gate and waits for those inside only: a worker that still sleeps
 * is never waited for. */
#include "pool.h"

#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cpu.h"

#define GATE_OPEN (UINT32_C(1) << 31)
#define GATE_AWAITED (UINT32_C(1) << 30)

enum {
  MAX_THREADS = 1024,
  CHUNKS_PER_THREAD = 8, /* enough to even out, few enough to be cheap */
  SPINS = 2000,          /* some 50 microseconds of pause instructions */
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
  pool->spins = threads <= cpus ? SPINS : 0;
}

static void take_chunks(tenon_pool *pool) {
  tenon_task_fn fn = pool->fn;
  void *args = pool->args;
  int64_t count = pool->count, chunk = pool->chunk;
  for (;;) {
    int64_t begin =
        atomic_fetch_add_explicit(&pool->next, chunk, memory_order_relaxed);
    if (begin >= count)
      return;
    fn(args, begin, count - begin < chunk ? count : begin + chunk);
  }
}

/* Enters if the gate is open; nonzero: inside. */
static int enter(tenon_pool *pool) {
  uint32_t gate = atomic_load(&pool->gate);
  while (gate & GATE_OPEN)
    if (atomic_compare_exchange_weak(&pool->gate, &gate, gate + 1))
      return 1;
  return 0;
}

static void leave(tenon_pool *pool) {
  if (atomic_fetch_sub(&pool->gate, 1) == (GATE_AWAITED | 1))
    wake(&pool->gate, 1);
}

/* Returns when the epoch is no longer `seen`. */
static uint32_t await_epoch(tenon_pool *pool, uint32_t seen) {
  uint32_t epoch;
  for (int32_t i = 0; i < pool->spins; ++i) {
    epoch = atomic_load_explicit(&pool->epoch, memory_order_acquire);
    if (epoch != seen)
      return epoch;
    _mm_pause();
  }
  atomic_fetch_add(&pool->sleepers, 1);
  while ((epoch = atomic_load(&pool->epoch)) == seen)
    sleep_while(&pool->epoch, seen);
  atomic_fetch_sub(&pool->sleepers, 1);
  return epoch;
}

static void *work(void *argument) {
  tenon_pool *pool = argument;
  uint32_t seen = 0;
  tenon_fp_enter();
  while (!atomic_load(&pool->stop)) {
    if (enter(pool)) {
      take_chunks(pool);
      leave(pool);
    }
    seen = await_epoch(pool, seen);
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
  atomic_fetch_add(&pool->epoch, 1);
  wake(&pool->epoch, MAX_THREADS);
  /* A forked child has no workers to wait for. */
  for (int32_t i = 0; i < pool->started && pool->process == getpid(); ++i)
    pthread_join(pool->workers[i], NULL);
  free(pool->workers);
  pool->workers = NULL;
  pool->started = 0;
}

/* Waits until nobody is inside. The gate is shut. */
static void await_empty(tenon_pool *pool) {
  for (int32_t i = 0; i < pool->spins; ++i) {
    if (atomic_load_explicit(&pool->gate, memory_order_acquire) == 0)
      return;
    _mm_pause();
  }
  uint32_t gate = atomic_fetch_or(&pool->gate, GATE_AWAITED) | GATE_AWAITED;
  while (gate != GATE_AWAITED) {
    sleep_while(&pool->gate, gate);
    gate = atomic_load(&pool->gate);
  }
  atomic_store(&pool->gate, 0);
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
  int64_t threads = pool->started + 1;
  pool->fn = fn;
  pool->args = args;
  pool->count = count;
  pool->chunk = count / (threads * CHUNKS_PER_THREAD);
  if (pool->chunk < 1)
    pool->chunk = 1;
  atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
  atomic_store(&pool->gate, GATE_OPEN);
  atomic_fetch_add(&pool->epoch, 1);
  if (atomic_load(&pool->sleepers) > 0)
    wake(&pool->epoch,
         count - 1 < MAX_THREADS ? (int)(count - 1) : MAX_THREADS);
  take_chunks(pool);
  atomic_fetch_and(&pool->gate, ~GATE_OPEN);
  await_empty(pool);
  atomic_store(&pool->busy, 0);
}
