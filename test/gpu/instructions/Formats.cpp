// Exact numbers as integers of many bits, so that one rounding is all there is.
#include "test/gpu/instructions/Rows.h"

#include <bit>

namespace tenon::ptx {

bool isNan(const Format &format, Bits bits) {
  Bits fraction = bits & ((Bits(1) << format.fractionBits) - 1),
       all = (Bits(1) << format.exponentBits) - 1;
  return (bits >> format.fractionBits & all) == all && fraction;
}

Bits nanOf(const Format &format) { return ~(~Bits(0) << (format.bits - 1)); }

double valueOf(const Format &format, Bits bits) {
  if (format.bits == 64)
    return std::bit_cast<double>(bits);
  if (format.bits == 32)
    return std::bit_cast<float>(uint32_t(bits));
  if (format.exponentBits == 8)
    return std::bit_cast<float>(uint32_t(bits << 16));
  return double(std::bit_cast<_Float16>(uint16_t(bits)));
}

Integer exactOf(const Format &format, Bits bits) {
  double value = valueOf(format, bits);
  int exponent = 0;
  double fraction = std::frexp(value, &exponent); // below 1, 53 bits
  auto integer = int64_t(std::ldexp(fraction, 53));
  int shift = exponent - 53 + exactExponent;
  // Floats of 16 bits have zeros below.
  return shift >= 0 ? Integer(integer) << shift : Integer(integer >> -shift);
}

Bits rounded(const Format &format, Integer integer, int exponent) {
  Bits sign = integer < 0 ? Bits(1) << (format.bits - 1) : 0;
  if (integer < 0)
    integer = -integer;
  if (integer == 0)
    return 0;
  int bias = (1 << (format.exponentBits - 1)) - 1, length = 0;
  while (integer >> length != 0)
    ++length;
  // The exponent of the first bit, and of the last one that is kept.
  int first = length - 1 + exponent, least = 1 - bias;
  int last = (first < least ? least : first) - format.fractionBits;
  int drop = last - exponent;
  Integer kept = integer;
  if (drop > length + 1) {
    kept = 0;
  } else if (drop > 0) {
    Integer rest = integer & ((Integer(1) << drop) - 1), half = Integer(1)
                                                                << (drop - 1);
    kept = integer >> drop;
    if (rest > half || (rest == half && (kept & 1)))
      kept += 1;
  } else {
    kept = integer << -drop;
  }
  // A carry into the exponent is right as it is.
  Bits result = Bits(kept);
  if (first >= least)
    result += Bits(first - least) << format.fractionBits;
  Bits infinity = ((Bits(1) << format.exponentBits) - 1) << format.fractionBits;
  return sign | (result < infinity ? result : infinity);
}

} // namespace tenon::ptx
