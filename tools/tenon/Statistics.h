// What a series of measured times comes to.
#ifndef TENON_TOOLS_TENON_STATISTICS_H
#define TENON_TOOLS_TENON_STATISTICS_H

#include <cstdint>
#include <string_view>
#include <vector>

namespace tenon::cli {

/// All in seconds.
struct TimeStatistics {
  double min = 0, mean = 0, p50 = 0, p95 = 0, p99 = 0, deviation = 0;
};

/// Percentiles are measured times (nearest rank), never interpolated; the
/// deviation is that of a sample.
TimeStatistics summarize(std::vector<double> seconds);

/// The numbers of "1,8", "1-32*2" (each double the last) and "1-4+1"; false
/// where the text is none of these or a number is not in [1, limit].
bool parseSweep(std::string_view text, int64_t limit,
                std::vector<int64_t> &numbers);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_STATISTICS_H
