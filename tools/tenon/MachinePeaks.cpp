// Measures peaks with loops that do nothing else: chains of FMAs in registers,
// and sums over buffers that fit a core's cache, the shared cache, or only
// memory. The best of a few rounds counts.
#include "tools/tenon/MachinePeaks.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <pthread.h>
#include <sched.h>
#include <vector>

namespace tenon::cli {

namespace {
using Clock = std::chrono::steady_clock;

constexpr int64_t cacheBytes = 256 << 10, sharedBytes = 8 << 20,
                  memoryBytes = 192 << 20; ///< divided among the threads
constexpr int rounds = 3;
constexpr double roundSeconds = 0.008;

typedef float Wide __attribute__((vector_size(64)));
typedef float Middle __attribute__((vector_size(32)));
typedef float Narrow __attribute__((vector_size(16)));

std::atomic<float> sink; ///< keeps the compiler from removing the loops

constexpr int64_t fmaSteps = 4096;
constexpr int fmaChains = 12;

template <typename Vector> [[gnu::always_inline]] inline void runFmas() {
  Vector sums[fmaChains], factor = Vector{} + 0.999f, term = Vector{} + 0.001f;
  for (int i = 0; i < fmaChains; ++i)
    sums[i] = Vector{} + float(i);
  for (int64_t step = 0; step < fmaSteps; ++step)
#pragma clang loop unroll(full)
    for (int i = 0; i < fmaChains; ++i)
      sums[i] = sums[i] * factor + term; // the compiler contracts this to an
                                         // FMA
  for (int i = 1; i < fmaChains; ++i)
    sums[0] += sums[i];
  sink.store(sums[0][0], std::memory_order_relaxed);
}

template <typename Vector>
[[gnu::always_inline]] inline void sumUp(const char *data, int64_t bytes) {
  constexpr int chains = 8;
  Vector sums[chains] = {};
  auto *from = reinterpret_cast<const Vector *>(data);
  for (int64_t i = 0; i + chains <= bytes / int64_t(sizeof(Vector));
       i += chains)
#pragma clang loop unroll(full)
    for (int c = 0; c < chains; ++c)
      sums[c] += from[i + c];
  for (int c = 1; c < chains; ++c)
    sums[0] += sums[c];
  sink.store(sums[0][0], std::memory_order_relaxed);
}

[[gnu::target("avx512f")]] void fmasWide() { runFmas<Wide>(); }
[[gnu::target("avx2,fma")]] void fmasMiddle() { runFmas<Middle>(); }
void fmasNarrow() { runFmas<Narrow>(); }
[[gnu::target("avx512f")]] void sumWide(const char *data, int64_t bytes) {
  sumUp<Wide>(data, bytes);
}
[[gnu::target("avx2")]] void sumMiddle(const char *data, int64_t bytes) {
  sumUp<Middle>(data, bytes);
}
void sumNarrow(const char *data, int64_t bytes) { sumUp<Narrow>(data, bytes); }

/// Measures how many times a second all threads together complete body(thread).
struct Rate {
  int threads;
  std::function<void(int)> body;
  std::atomic<int> next{0}, ready{0};
  std::atomic<double> sum{0};

  void run() {
    int thread = next++;
    body(thread);
    for (++ready; ready < threads;)
      sched_yield();
    Clock::time_point start = Clock::now();
    int64_t count = 0;
    double seconds = 0;
    do {
      body(thread);
      ++count;
      seconds = std::chrono::duration<double>(Clock::now() - start).count();
    } while (seconds < roundSeconds);
    double before = sum.load();
    while (
        !sum.compare_exchange_weak(before, before + double(count) / seconds)) {
    }
  }
};

double rateOf(int threads, std::function<void(int)> body) {
  double best = 0;
  for (int round = 0; round < rounds; ++round) {
    Rate rate{threads, body};
    std::vector<pthread_t> started;
    auto *entry = +[](void *argument) -> void * {
      static_cast<Rate *>(argument)->run();
      return nullptr;
    };
    for (int i = 1; i < threads; ++i) {
      pthread_t thread;
      if (pthread_create(&thread, nullptr, entry, &rate) == 0)
        started.push_back(thread);
      else
        ++rate.ready; // do not wait for a thread that could not start
    }
    rate.run();
    for (pthread_t thread : started)
      pthread_join(thread, nullptr);
    best = std::max(best, rate.sum.load());
  }
  return best;
}
} // namespace

double MachinePeaks::floor(int64_t flops, int64_t bytes) const {
  double read = bytes <= cacheBytes * threads    ? cacheRead
                : bytes <= sharedBytes * threads ? sharedRead
                                                 : memoryRead;
  return std::max(this->flops > 0 ? double(flops) / this->flops : 0,
                  read > 0 ? double(bytes) / read : 0);
}

MachinePeaks measurePeaks(int threads) {
  __builtin_cpu_init();
  bool wide = __builtin_cpu_supports("avx512f"),
       middle = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  auto *fmas = wide ? fmasWide : middle ? fmasMiddle : fmasNarrow;
  auto *sum = wide ? sumWide : middle ? sumMiddle : sumNarrow;
  int64_t lanes = wide ? 16 : middle ? 8 : 4;
  MachinePeaks peaks;
  peaks.threads = threads;
  peaks.flops = rateOf(threads, [&](int) { fmas(); }) *
                double(fmaSteps * fmaChains * lanes * 2);
  int64_t slice = std::max(memoryBytes / threads, sharedBytes) & ~int64_t(4095);
  std::unique_ptr<char, decltype(&std::free)> data(
      static_cast<char *>(std::aligned_alloc(4096, slice * threads)),
      std::free);
  if (!data)
    return peaks;
  std::memset(data.get(), 0, slice * threads);
  auto read = [&](int64_t bytes) {
    return rateOf(
               threads,
               [&](int thread) { sum(data.get() + slice * thread, bytes); }) *
           double(bytes);
  };
  peaks.cacheRead = read(cacheBytes);
  peaks.sharedRead = read(sharedBytes);
  peaks.memoryRead = read(slice);
  return peaks;
}

} // namespace tenon::cli
