// What this machine can do at best, measured here and now.
#ifndef TENON_TOOLS_TENON_MACHINEPEAKS_H
#define TENON_TOOLS_TENON_MACHINEPEAKS_H

#include <cstdint>

namespace tenon::cli {

/// Rates of some threads together.
struct MachinePeaks {
  int threads = 1;
  double flops = 0;      ///< a second: f32 FMAs, two each
  double cacheRead = 0;  ///< bytes a second, from the cores' own caches
  double sharedRead = 0; ///< from the cache that cores share
  double memoryRead = 0; ///< from memory

  /// The least time for so much work in one piece.
  double floor(int64_t flops, int64_t bytes) const;
};

/// Measures `threads` threads, for about a tenth of a second.
MachinePeaks measurePeaks(int threads);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_MACHINEPEAKS_H
