/* The deadline thread. A run registers with a time. If it is still registered
 * when its time is up, the thread sets the run's flag once. The first run with
 * a deadline starts the thread. */
#include "watchdog.h"

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { STACK = 64 << 10 };

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int init_condition(pthread_cond_t *condition) {
  pthread_condattr_t attributes;
  int error = pthread_condattr_init(&attributes);
  if (error != 0)
    return error;
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  error = pthread_cond_init(condition, &attributes);
  pthread_condattr_destroy(&attributes);
  return error;
}

int tenon_watchdog_init(tenon_watchdog *dog) {
  *dog = (tenon_watchdog){0};
  dog->process = getpid();
  int error = pthread_mutex_init(&dog->mutex, NULL);
  if (error != 0)
    return error;
  if ((error = init_condition(&dog->changed)) != 0)
    pthread_mutex_destroy(&dog->mutex);
  return error;
}

static void unlink_watch(tenon_watchdog *dog, tenon_watch *watch) {
  if (watch->previous)
    watch->previous->next = watch->next;
  else
    dog->first = watch->next;
  if (watch->next)
    watch->next->previous = watch->previous;
  watch->active = 0;
}

/* Sets the flags of all runs that are late. Returns the next deadline, or
 * INT64_MAX. */
static int64_t raise_late(tenon_watchdog *dog) {
  int64_t time = now(), next = INT64_MAX;
  for (tenon_watch *watch = dog->first, *after; watch; watch = after) {
    after = watch->next;
    if (watch->deadline <= time) {
      atomic_fetch_or(watch->flag, watch->value);
      unlink_watch(dog, watch);
    } else if (watch->deadline < next) {
      next = watch->deadline;
    }
  }
  return next;
}

static void *keep_watch(void *argument) {
  tenon_watchdog *dog = argument;
  pthread_mutex_lock(&dog->mutex);
  while (!dog->stop) {
    int64_t next = raise_late(dog);
    if (next == INT64_MAX) {
      pthread_cond_wait(&dog->changed, &dog->mutex);
      continue;
    }
    struct timespec until = {next / 1000000000, next % 1000000000};
    pthread_cond_timedwait(&dog->changed, &dog->mutex, &until);
  }
  pthread_mutex_unlock(&dog->mutex);
  return NULL;
}

static int start(tenon_watchdog *dog) {
  pthread_attr_t attributes;
  sigset_t all, host;
  int error = pthread_attr_init(&attributes);
  if (error != 0)
    return error;
  (void)pthread_attr_setstacksize(&attributes, STACK);
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &host);
  error = pthread_create(&dog->thread, &attributes, keep_watch, dog);
  pthread_sigmask(SIG_SETMASK, &host, NULL);
  pthread_attr_destroy(&attributes);
  dog->started = error == 0;
  return error;
}

int tenon_watchdog_add(tenon_watchdog *dog, tenon_watch *watch,
                       int64_t timeout) {
  int64_t time = now();
  int error = 0;
  /* A forked child has a copy of the watchdog's memory but not its thread:
   * start anew. */
  if (dog->process != getpid() && (error = tenon_watchdog_init(dog)) != 0)
    return error;
  pthread_mutex_lock(&dog->mutex);
  if (!dog->started)
    error = start(dog);
  if (error == 0) {
    watch->deadline =
        timeout < INT64_MAX - time ? time + timeout : INT64_MAX - 1;
    watch->previous = NULL;
    watch->next = dog->first;
    watch->active = 1;
    if (dog->first)
      dog->first->previous = watch;
    dog->first = watch;
    pthread_cond_signal(&dog->changed);
  }
  pthread_mutex_unlock(&dog->mutex);
  return error;
}

void tenon_watchdog_remove(tenon_watchdog *dog, tenon_watch *watch) {
  pthread_mutex_lock(&dog->mutex);
  if (watch->active)
    unlink_watch(dog, watch);
  pthread_mutex_unlock(&dog->mutex);
}

void tenon_watchdog_destroy(tenon_watchdog *dog) {
  if (dog->process != getpid())
    return;
  pthread_mutex_lock(&dog->mutex);
  dog->stop = 1;
  pthread_cond_signal(&dog->changed);
  pthread_mutex_unlock(&dog->mutex);
  if (dog->started)
    pthread_join(dog->thread, NULL);
  pthread_cond_destroy(&dog->changed);
  pthread_mutex_destroy(&dog->mutex);
}
