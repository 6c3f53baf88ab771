/* The thread pool. It runs each task of a loop exactly once; all have finished
 * when the call returns. The thread that runs a task varies, its result does
 * not.
 *
 * Each thread has a share: one range of units (runs of tasks). Loops over equal
 * data give each thread the range whose data it has in its own cache, because a
 * cache line that another core has written is slower to read than one from
 * memory. A thread that finishes its share takes units from the ends of other
 * shares.
 *
 * A share is one word that holds the units not yet taken. A thread that has
 * taken units may read the loop: it stays valid until all units are done. No
 * loop waits for a worker that sleeps or wakes late. */
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
  MAX_UNITS = 1 << 14, /* of a loop: the bounds in a share have 16 bits */
  PART = 8,            /* one take gets this part of the remaining units */
  FEW = 8,             /* of so few, the owner takes three quarters */
  SPIN_TICKS = 100000, /* time-stamp ticks, about 40 microseconds */
  WORKER_STACK = 4 << 20,
};

/* A decoded share: the first remaining unit and the end. The share's word holds
 * the loop number in its upper half and this range in its lower half. */
typedef struct range {
  uint32_t begin, end;
} range;

static range range_of(uint64_t share) {
  return (range){(uint32_t)share >> 16, (uint32_t)share & UINT16_MAX};
}

static uint64_t share_of(uint64_t loop, range left) {
  return loop << 32 | left.begin << 16 | left.end;
}

static int is_empty(uint64_t share) {
  range left = range_of(share);
  return left.begin == left.end;
}

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
  /* With more threads than CPUs, a spinning thread would take a CPU from one
   * that has work. */
  pool->spin_ticks = threads <= cpus ? SPIN_TICKS : 0;
}

static int64_t first_task(const tenon_pool *pool, int64_t unit) {
  return unit * pool->least + unit * pool->longer / pool->units;
}

static void run_units(tenon_pool *pool, range units) {
  pool->fn(pool->args, first_task(pool, units.begin),
           first_task(pool, units.end));
}

/* The units that one take gets of so many. Few units are long, and a kernel may
 * prepare something once for all units that it gets together: their owner takes
 * most of them. */
static uint32_t part_of(uint32_t units, int owner) {
  if (owner && units <= FEW)
    return (3 * units + 3) / 4;
  return (units + PART - 1) / PART;
}

/* Takes one part of the units left in a share: the owner from the front, other
 * threads from the end. An empty range means that none is left. */
static range take(tenon_share *share, int owner) {
  uint64_t left = atomic_load_explicit(&share->left, memory_order_acquire);
  while (!is_empty(left)) {
    range rest = range_of(left), taken = rest;
    uint32_t count = part_of(rest.end - rest.begin, owner);
    if (owner)
      taken.end = rest.begin += count;
    else
      taken.begin = rest.end -= count;
    if (atomic_compare_exchange_weak_explicit(
            &share->left, &left, share_of(left >> 32, rest),
            memory_order_acquire, memory_order_acquire))
      return taken;
  }
  return (range){0, 0};
}

/* Runs units of the thread's own share, then of the other shares, until none is
 * left to take. Returns the number of units it ran. */
static uint32_t run_shares(tenon_pool *pool, int32_t thread) {
  uint32_t done = 0;
  int32_t threads = pool->started + 1;
  for (int32_t i = 0; i < threads; ++i) {
    tenon_share *share = &pool->shares[(thread + i) % threads];
    for (range units; (units = take(share, i == 0)).end != 0;) {
      run_units(pool, units);
      done += units.end - units.begin;
    }
  }
  return done;
}

/* Waits until there may be units to take, or the pool is being destroyed. */
static void await_units(tenon_pool *pool, tenon_share *own) {
  uint64_t start = __rdtsc();
  do {
    if (!is_empty(atomic_load_explicit(&own->left, memory_order_relaxed)))
      return;
    _mm_pause();
  } while (__rdtsc() - start < pool->spin_ticks);
  atomic_fetch_add(&pool->sleepers, 1);
  for (;;) {
    uint32_t calls = atomic_load(&pool->calls);
    if (!is_empty(atomic_load(&own->left)) || atomic_load(&pool->stop))
      break;
    sleep_while(&pool->calls, calls);
  }
  atomic_fetch_sub(&pool->sleepers, 1);
}

static void *work(void *argument) {
  tenon_share *own = argument;
  tenon_pool *pool = own->pool;
  tenon_fp_enter();
  /* The loop that starts the workers begins when all of them are started. */
  while (!atomic_load_explicit(&pool->ready, memory_order_acquire))
    sched_yield();
  while (!atomic_load(&pool->stop)) {
    uint32_t done = run_shares(pool, (int32_t)(own - pool->shares));
    /* The caller sleeps until the last of the workers' units is done: wake it.
     * */
    if (done > 0 &&
        atomic_fetch_sub(&pool->pending, done) == (CALLER_SLEEPS | done))
      wake(&pool->pending, 1);
    await_units(pool, own);
  }
  return NULL;
}

/* Starts as many workers as the system allows. Workers block all signals, so
 * that the host's threads handle them. */
static void start_workers(tenon_pool *pool) {
  pthread_attr_t attributes;
  sigset_t all, host;
  pool->started = 0;
  pool->process = getpid();
  if (pool->wanted == 0)
    return;
  size_t threads = (size_t)pool->wanted + 1;
  pool->workers = calloc(threads, sizeof *pool->workers);
  pool->shares = aligned_alloc(64, threads * sizeof *pool->shares);
  if (!pool->workers || !pool->shares || pthread_attr_init(&attributes) != 0)
    return;
  for (size_t i = 0; i < threads; ++i) {
    pool->shares[i].pool = pool;
    atomic_init(&pool->shares[i].left, 0);
  }
  (void)pthread_attr_setstacksize(&attributes, WORKER_STACK);
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &host);
  while (pool->started < pool->wanted &&
         pthread_create(&pool->workers[pool->started], &attributes, work,
                        &pool->shares[pool->started + 1]) == 0)
    ++pool->started;
  atomic_store_explicit(&pool->ready, 1, memory_order_release);
  pthread_sigmask(SIG_SETMASK, &host, NULL);
  pthread_attr_destroy(&attributes);
}

void tenon_pool_destroy(tenon_pool *pool) {
  atomic_store(&pool->stop, 1);
  atomic_fetch_add(&pool->calls, 1);
  wake(&pool->calls, MAX_THREADS);
  /* In a forked child the workers do not exist, so none can be joined. */
  for (int32_t i = 0; i < pool->started && pool->process == getpid(); ++i)
    pthread_join(pool->workers[i], NULL);
  free(pool->workers);
  free(pool->shares);
  pool->workers = NULL;
  pool->shares = NULL;
  pool->started = 0;
}

/* Waits until only the caller's `own` units are still counted as pending. */
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

/* Removes `cpu` from the worker's affinity mask while the worker is woken;
 * returns nonzero if it did. A scheduler that sees no shared cache wakes a
 * thread on the CPU of the waking thread, even if other CPUs are idle. The
 * worker would wait there for milliseconds, longer than many runs take.
 * Afterwards open_to allows the CPU again, and the worker stays where it woke.
 * */
static int close_to(pthread_t worker, int cpu) {
  cpu_set_t set;
  if (pthread_getaffinity_np(worker, sizeof set, &set) != 0 ||
      !CPU_ISSET(cpu, &set) || CPU_COUNT(&set) == 1)
    return 0;
  CPU_CLR(cpu, &set);
  return pthread_setaffinity_np(worker, sizeof set, &set) == 0;
}

static void open_to(pthread_t worker, int cpu) {
  cpu_set_t set;
  if (pthread_getaffinity_np(worker, sizeof set, &set) != 0)
    return;
  CPU_SET(cpu, &set);
  (void)pthread_setaffinity_np(worker, sizeof set, &set);
}

static void wake_sleepers(tenon_pool *pool, uint32_t units) {
  /* With more threads than CPUs no CPU is idle, and a forked child has no
   * workers. */
  int cpu =
      pool->spin_ticks > 0 && pool->process == getpid() ? sched_getcpu() : -1;
  int32_t workers = cpu >= 0 && cpu < CPU_SETSIZE ? pool->started : 0;
  for (int32_t i = 0; i < workers; ++i)
    pool->shares[i + 1].closed = close_to(pool->workers[i], cpu);
  atomic_fetch_add(&pool->calls, 1);
  wake(&pool->calls, (int)units);
  for (int32_t i = 0; i < workers; ++i)
    if (pool->shares[i + 1].closed)
      open_to(pool->workers[i], cpu);
}

/* Distributes the units over the shares and returns the range that the caller
 * runs first. Each share holds the loop number, so that a worker that is late
 * for the previous loop cannot take units of this one by mistake. */
static range publish(tenon_pool *pool, uint32_t units) {
  uint64_t loop = ++pool->loops;
  uint32_t threads = (uint32_t)pool->started + 1, each = units / threads,
           longer = units % threads, end = units;
  for (uint32_t i = threads; i-- > 1;) {
    range left = {end - each - (i < longer), end};
    if (left.begin != left.end)
      atomic_store_explicit(&pool->shares[i].left, share_of(loop, left),
                            memory_order_release);
    end = left.begin;
  }
  range first = {0, part_of(end, 1)}, rest = {first.end, end};
  atomic_store_explicit(&pool->shares[0].left, share_of(loop, rest),
                        memory_order_release);
  return first;
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
  if (pool->started == 0) {
    fn(args, 0, count);
    atomic_store_explicit(&pool->busy, 0, memory_order_release);
    return;
  }
  uint32_t units = (uint32_t)(count < MAX_UNITS ? count : MAX_UNITS);
  pool->fn = fn;
  pool->args = args;
  pool->units = units;
  pool->least = count / units;
  pool->longer = count % units;
  atomic_store_explicit(&pool->pending, units, memory_order_relaxed);
  int sleepers =
      atomic_load_explicit(&pool->sleepers, memory_order_relaxed) > 0;
  range first = publish(pool, units);
  if (sleepers)
    wake_sleepers(pool, units - 1);
  run_units(pool, first);
  /* Find the workers that fell asleep while the loop began. The fence comes
   * after the first units: at the start it would wait until the other CPUs have
   * seen the loop. */
  atomic_thread_fence(memory_order_seq_cst);
  if (!sleepers && atomic_load(&pool->sleepers) > 0)
    wake_sleepers(pool, units - 1);
  await_end(pool, first.end + run_shares(pool, 0));
  atomic_store_explicit(&pool->busy, 0, memory_order_release);
}
