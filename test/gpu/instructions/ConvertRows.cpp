// Conversions between all types, each rounded once.
#include "test/gpu/instructions/Rows.h"

#include <bit>

namespace tenon::ptx {
namespace {
constexpr IntegerType types[] = {{true, 8},   {false, 8}, {true, 16},
                                 {false, 16}, {true, 32}, {false, 32},
                                 {true, 64},  {false, 64}};
constexpr Format formats[] = {f16, bf16, f32, f64};

/// Integers of 8 bits stand in registers of 32.
int registerBits(int bits) { return bits == 8 ? 32 : bits; }

bool isBFloat(const Format &format) {
  return format.bits == 16 && format.exponentBits == 8;
}

/// A double that is rounded to a format.
Bits toFormat(const Format &format, double x) {
  if (x != x)
    return nanOf(format);
  if (format.bits == 64)
    return std::bit_cast<uint64_t>(x);
  if (format.bits == 32)
    return std::bit_cast<uint32_t>(float(x));
  Bits sign = Bits(std::signbit(x)) << 15,
       infinity = ((Bits(1) << format.exponentBits) - 1) << format.fractionBits;
  if (std::isinf(x))
    return sign | infinity;
  int exponent = 0;
  double fraction = std::frexp(x, &exponent);
  return sign | rounded(format, Integer(int64_t(std::ldexp(fraction, 53))),
                        exponent - 53);
}

__int128 least(IntegerType type) {
  return type.isSigned ? -(__int128(1) << (type.bits - 1)) : 0;
}
__int128 greatest(IntegerType type) {
  return (__int128(1) << (type.bits - type.isSigned)) - 1;
}

/// A whole double clamped into a type of integers; NaN is 0.
Bits clamped(IntegerType type, double x) {
  if (x != x)
    return 0;
  if (x <= double(least(type)))
    return Bits(least(type));
  if (x >= double(greatest(type)))
    return Bits(greatest(type));
  return Bits(__int128(x));
}

struct Whole {
  const char *name;
  double (*round)(double);
};
const Whole wholes[] = {{"rni", [](double x) { return std::nearbyint(x); }},
                        {"rzi", [](double x) { return std::trunc(x); }},
                        {"rmi", [](double x) { return std::floor(x); }},
                        {"rpi", [](double x) { return std::ceil(x); }}};

void addIntegers(std::vector<Row> &rows, IntegerType to, IntegerType from) {
  std::string ends = "." + to.name() + "." + from.name();
  int toBits = registerBits(to.bits), fromBits = registerBits(from.bits);
  // The value is extended into a wider register.
  rows.push_back(
      {"cvt" + ends, toBits, fromBits, 0, 0, [=](Bits a, Bits, Bits) {
         return Bits(to.valueOf(Bits(from.valueOf(a))));
       }});
  rows.push_back(
      {"cvt.sat" + ends, toBits, fromBits, 0, 0, [=](Bits a, Bits, Bits) {
         __int128 x = from.valueOf(a);
         x = x < least(to) ? least(to) : x;
         return Bits(x > greatest(to) ? greatest(to) : x);
       }});
}

void addMixed(std::vector<Row> &rows, IntegerType type, const Format &format) {
  int bits = registerBits(type.bits), architecture = isBFloat(format) ? 90 : 75;
  std::string name = format.name;
  rows.push_back({"cvt.rn." + name + "." + type.name(),
                  format.bits,
                  bits,
                  0,
                  0,
                  [=](Bits a, Bits, Bits) {
                    auto value = type.valueOf(a);
                    return rounded(format, Integer(value), 0);
                  },
                  {},
                  architecture});
  for (const Whole &whole : wholes)
    rows.push_back(
        {std::string("cvt.") + whole.name + "." + type.name() + "." + name,
         bits,
         format.bits,
         0,
         0,
         [=, round = whole.round](Bits a, Bits, Bits) {
           return clamped(type, round(valueOf(format, a)));
         },
         {},
         architecture});
}

void addFloats(std::vector<Row> &rows, const Format &to, const Format &from) {
  bool narrows = to.bits < from.bits,
       isSame = to.bits == from.bits && to.exponentBits == from.exponentBits;
  std::string ends = std::string(".") + to.name + "." + from.name;
  bool withSingle = to.bits == 32 || from.bits == 32;
  int architecture =
      isBFloat(to) || isBFloat(from) ? (withSingle ? 80 : 90) : 75;
  if (isSame) {
    for (const Whole &whole : wholes)
      rows.push_back({std::string("cvt.") + whole.name + ends,
                      to.bits,
                      from.bits,
                      0,
                      0,
                      [=, round = whole.round](Bits a, Bits, Bits) {
                        return toFormat(to, round(valueOf(from, a)));
                      },
                      {},
                      architecture});
    return;
  }
  if (to.bits == from.bits) // f16 and bf16
    return;
  rows.push_back(
      {std::string("cvt") + (narrows ? ".rn" : "") + ends,
       to.bits,
       from.bits,
       0,
       0,
       [=](Bits a, Bits, Bits) { return toFormat(to, valueOf(from, a)); },
       {},
       architecture});
}
} // namespace

std::vector<Row> convertRowsOf() {
  std::vector<Row> rows;
  for (IntegerType to : types)
    for (IntegerType from : types)
      addIntegers(rows, to, from);
  for (const Format &format : formats) {
    for (IntegerType type : types)
      addMixed(rows, type, format);
    for (const Format &from : formats)
      addFloats(rows, format, from);
  }
  for (const Format &format : {f16, bf16})
    rows.push_back({std::string("cvt.rn.") + format.name + "x2.f32",
                    32,
                    32,
                    32,
                    0,
                    [=](Bits a, Bits b, Bits) {
                      return toFormat(format, valueOf(f32, a)) << 16 |
                             toFormat(format, valueOf(f32, b));
                    },
                    {},
                    80});
  return rows;
}

} // namespace tenon::ptx
