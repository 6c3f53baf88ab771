// Statistics of a series of measured times.
#ifndef TENON_TOOLS_TENON_STATISTICS_H
#define TENON_TOOLS_TENON_STATISTICS_H

#include <cstdint>
#include <string_view>
#include <vector>

namespace tenon::cli {

/// All values in seconds.
struct TimeStatistics {
  double min = 0, mean = 0, p50 = 0, p95 = 0, p99 = 0, deviation = 0;
};

/// Percentiles are measured times (nearest rank), not interpolated. The
/// deviation is the sample's.
TimeStatistics summarize(std::vector<double> seconds);

/// Parses "1,8", "1-32*2" (each number twice the previous) and "1-4+1" into
/// numbers. False if the text has another form or a number is not in [1,
/// limit].
bool parseSweep(std::string_view text, int64_t limit,
                std::vector<int64_t> &numbers);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_STATISTICS_H
