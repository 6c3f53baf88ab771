// The way of serde_json: the first digits make an integer of 64 bits, which is
// rounded to a double and then multiplied or divided by a power of ten.
#include "tokenizers/DecimalNumber.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace tenon::tokenizers {

static constexpr int64_t greatestPower = 308;

static double powerOfTen(int64_t exponent) {
  static const std::array<double, greatestPower + 1> powers = [] {
    std::array<double, greatestPower + 1> result;
    for (int64_t i = 0; i <= greatestPower; ++i) {
      std::string text = "1e" + std::to_string(i);
      std::from_chars(text.data(), text.data() + text.size(), result[i]);
    }
    return result;
  }();
  return powers[exponent];
}

static double scaled(uint64_t digits, int64_t exponent) {
  double value = static_cast<double>(digits);
  while (exponent < -greatestPower && value != 0) {
    value /= powerOfTen(greatestPower);
    exponent += greatestPower;
  }
  if (value == 0)
    return 0;
  // JSON whose numbers have no finite value is refused before.
  return exponent >= 0 ? value * powerOfTen(std::min(exponent, greatestPower))
                       : value / powerOfTen(-exponent);
}

double decimalNumber(std::string_view text) {
  size_t at = text.starts_with('-') ? 1 : 0;
  uint64_t digits = 0;
  int64_t exponent = 0;
  bool isFull = false, isFraction = false;
  for (; at < text.size() && text[at] != 'e' && text[at] != 'E'; ++at) {
    if (text[at] == '.') {
      isFraction = true;
      continue;
    }
    uint64_t digit = text[at] - '0';
    isFull |= digits > (UINT64_MAX - digit) / 10;
    // Digits that have no room only move the point.
    if (!isFull)
      digits = digits * 10 + digit;
    if (isFull != isFraction)
      exponent += isFull ? 1 : -1;
  }
  if (at < text.size()) {
    std::string_view rest = text.substr(at + 1);
    if (rest.starts_with('+'))
      rest.remove_prefix(1);
    // Greater exponents leave zero or are refused before.
    int64_t stated = rest.starts_with('-') ? -100000 : 100000;
    std::from_chars(rest.data(), rest.data() + rest.size(), stated);
    exponent += std::clamp<int64_t>(stated, -100000, 100000);
  }
  double value = scaled(digits, exponent);
  return text.starts_with('-') ? -value : value;
}

} // namespace tenon::tokenizers
