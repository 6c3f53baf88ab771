// Instructions on words, and what they compute by scalar code that shares
// nothing with the emulator.
#ifndef TENON_TEST_GPU_INSTRUCTIONS_ROWS_H
#define TENON_TEST_GPU_INSTRUCTIONS_ROWS_H

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace tenon::ptx {

using Bits = uint64_t;
using Reference = std::function<Bits(Bits, Bits, Bits)>;

struct Row {
  std::string text; ///< "add.s32"
  /// The bits of the result and of up to three operands; 0: there is none. A
  /// result of one bit is a predicate, one of two bits a pair of them.
  int result, a, b, c;
  Reference reference;
  std::string last = {}; ///< one more operand, a constant
  int architecture = 75;
  bool divides = false; ///< b must not be zero
};

/// All rows, by family.
std::vector<Row> integerRowsOf(), bitRowsOf(), floatRowsOf(), convertRowsOf(),
    compareRowsOf();

/// Floats of 16, 32 and 64 bits.
struct Format {
  const char *name; ///< "f32"
  int bits, exponentBits, fractionBits;
};
constexpr Format f16{"f16", 16, 5, 10}, bf16{"bf16", 16, 8, 7},
    f32{"f32", 32, 8, 23}, f64{"f64", 64, 11, 52};

double valueOf(const Format &format, Bits bits);
bool isNan(const Format &format, Bits bits);
/// The only NaN that the device computes.
Bits nanOf(const Format &format);
/// The float nearest to an integer times a power of two, ties to even. All
/// floats of 16 bits, their products and sums of those are such numbers.
using Integer = _BitInt(768);
Bits rounded(const Format &format, Integer integer, int exponent);
/// An exact float as an integer times 2^-exactExponent.
constexpr int exactExponent = 160;
Integer exactOf(const Format &format, Bits bits);

struct IntegerType {
  bool isSigned;
  int bits;
  std::string name() const {
    return (isSigned ? "s" : "u") + std::to_string(bits);
  }
  __int128 valueOf(Bits word) const {
    if (bits < 64)
      word &= (Bits(1) << bits) - 1;
    if (!isSigned)
      return word;
    return int64_t(word << (64 - bits)) >> (64 - bits);
  }
};
constexpr IntegerType integerTypes[] = {{true, 16},  {false, 16}, {true, 32},
                                        {false, 32}, {true, 64},  {false, 64}};

} // namespace tenon::ptx

#endif
