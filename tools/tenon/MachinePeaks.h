// The peak rates of this machine, measured when called.
#ifndef TENON_TOOLS_TENON_MACHINEPEAKS_H
#define TENON_TOOLS_TENON_MACHINEPEAKS_H

#include <cstdint>

namespace tenon::cli {

/// Rates of `threads` threads together.
struct MachinePeaks {
  int threads = 1;
  double flops = 0;      ///< operations a second: f32 FMAs, two each
  double cacheRead = 0;  ///< bytes a second, from the cores' own caches
  double sharedRead = 0; ///< bytes a second, from the cache that cores share
  double memoryRead = 0; ///< bytes a second, from memory

  /// The least time in seconds for this work in one kernel.
  double floor(int64_t flops, int64_t bytes) const;
};

/// Measures with `threads` threads; takes about a tenth of a second.
MachinePeaks measurePeaks(int threads);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_MACHINEPEAKS_H
