// Order statistics by sorting, and the parser of sweeps.
#include "tools/tenon/Statistics.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tenon::cli {

TimeStatistics summarize(std::vector<double> seconds) {
  TimeStatistics s;
  if (seconds.empty())
    return s;
  std::sort(seconds.begin(), seconds.end());
  auto rank = [&](double share) {
    auto index = static_cast<size_t>(std::ceil(share * seconds.size()));
    return seconds[std::max<size_t>(index, 1) - 1];
  };
  double sum = 0, squares = 0;
  for (double value : seconds)
    sum += value;
  s.mean = sum / seconds.size();
  for (double value : seconds)
    squares += (value - s.mean) * (value - s.mean);
  s.min = seconds.front();
  s.p50 = rank(0.50);
  s.p95 = rank(0.95);
  s.p99 = rank(0.99);
  s.deviation =
      seconds.size() > 1 ? std::sqrt(squares / (seconds.size() - 1)) : 0;
  return s;
}

static bool parseOne(std::string_view &text, int64_t limit, int64_t &number) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 1 || number > limit)
    return false;
  text.remove_prefix(end - text.data());
  return true;
}

bool parseSweep(std::string_view text, int64_t limit,
                std::vector<int64_t> &numbers) {
  while (true) {
    int64_t low = 0;
    if (!parseOne(text, limit, low))
      return false;
    numbers.push_back(low);
    if (text.starts_with('-')) {
      int64_t high = 0, step = 1;
      bool doubling = false;
      text.remove_prefix(1);
      if (!parseOne(text, limit, high) || high < low)
        return false;
      if (text.starts_with('*') || text.starts_with('+')) {
        doubling = text[0] == '*';
        text.remove_prefix(1);
        if (!parseOne(text, limit, step) || (doubling && step < 2))
          return false;
      }
      while ((low = doubling ? low * step : low + step) <= high) {
        if (numbers.size() > 1000)
          return false;
        numbers.push_back(low);
      }
    }
    if (text.empty())
      return true;
    if (text[0] != ',')
      return false;
    text.remove_prefix(1);
  }
}

} // namespace tenon::cli
