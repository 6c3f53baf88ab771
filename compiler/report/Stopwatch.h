// The cost of a step of a compilation: wall time, and processor time of all
// threads and of child processes.
#ifndef TENON_COMPILER_REPORT_STOPWATCH_H
#define TENON_COMPILER_REPORT_STOPWATCH_H

#include <chrono>
#include <cstdint>
#include <sys/resource.h>

namespace tenon {

class Stopwatch {
public:
  double seconds() const {
    return std::chrono::duration<double>(Clock::now() - started).count();
  }
  double cpuSeconds() const { return cpuNow() - cpuStarted; }

  /// The peak memory of this process, in bytes.
  static int64_t peakMemory() {
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    return int64_t(usage.ru_maxrss) * 1024;
  }

private:
  using Clock = std::chrono::steady_clock;

  static double cpuNow() {
    double sum = 0;
    for (auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
      rusage usage = {};
      getrusage(who, &usage);
      for (const timeval &part : {usage.ru_utime, usage.ru_stime})
        sum += double(part.tv_sec) + double(part.tv_usec) * 1e-6;
    }
    return sum;
  }

  Clock::time_point started = Clock::now();
  double cpuStarted = cpuNow();
};

} // namespace tenon

#endif // TENON_COMPILER_REPORT_STOPWATCH_H
