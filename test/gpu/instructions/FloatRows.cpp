// Arithmetic of floats. f32 and f64 are the host's; floats of 16 bits are
// computed exactly and rounded once.
#include "test/gpu/instructions/Rows.h"

#include <bit>

namespace tenon::ptx {
namespace {
enum class Operation { Add, Subtract, Multiply, Fused };

template <typename T> Bits bitsOf(const Format &format, T x) {
  if (x != x)
    return nanOf(format);
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<uint32_t>(x);
  else
    return std::bit_cast<uint64_t>(x);
}

/// The operation in the host's type T.
template <typename T>
Bits onHost(const Format &format, Operation operation, Bits a, Bits b, Bits c) {
  T x = T(valueOf(format, a)), y = T(valueOf(format, b)),
    z = T(valueOf(format, c));
  switch (operation) {
  case Operation::Add:
    return bitsOf(format, x + y);
  case Operation::Subtract:
    return bitsOf(format, x - y);
  case Operation::Multiply:
    return bitsOf(format, x * y);
  case Operation::Fused:
    return bitsOf(format, std::fma(x, y, z));
  }
}

/// The operation on floats of 16 bits. In double it overflows never and shows
/// which results are NaN, infinite or zero, and the sign of a zero.
Bits onSmall(const Format &format, Operation operation, Bits a, Bits b,
             Bits c) {
  double x = valueOf(format, a), y = valueOf(format, b), z = valueOf(format, c);
  double near = operation == Operation::Add        ? x + y
                : operation == Operation::Subtract ? x - y
                : operation == Operation::Multiply ? x * y
                                                   : x * y + z;
  if (near != near)
    return nanOf(format);
  Bits sign = Bits(std::signbit(near)) << (format.bits - 1),
       infinity = ((Bits(1) << format.exponentBits) - 1) << format.fractionBits;
  if (std::isinf(near))
    return sign | infinity;
  Integer first = exactOf(format, a), second = exactOf(format, b);
  Integer exact = operation == Operation::Add        ? first + second
                  : operation == Operation::Subtract ? first - second
                                                     : first * second;
  int exponent = -exactExponent;
  if (operation == Operation::Multiply || operation == Operation::Fused)
    exponent *= 2;
  if (operation == Operation::Fused)
    exact += exactOf(format, c) << exactExponent;
  return exact == 0 ? sign : sign | rounded(format, exact, exponent);
}

Bits extreme(const Format &format, bool isMax, bool nanWins, Bits a, Bits b) {
  bool first = isNan(format, a), second = isNan(format, b);
  if (first || second)
    return nanWins || (first && second) ? nanOf(format) : first ? b : a;
  // Signs and sizes order all floats, the negative zero below the positive.
  Bits sign = Bits(1) << (format.bits - 1);
  auto place = [&](Bits x) {
    return x & sign ? ~x & (2 * sign - 1) : x | sign;
  };
  return (place(a) < place(b)) != isMax ? a : b;
}

/// A function of floats of 16 bits for both halves of a word.
Reference onPairs(Reference function) {
  return [=](Bits a, Bits b, Bits c) {
    auto low = [](Bits x) { return x & 0xffff; };
    return low(function(low(a), low(b), low(c))) |
           low(function(low(a >> 16), low(b >> 16), low(c >> 16))) << 16;
  };
}

/// Rows of one format, or of its pairs.
class Family {
public:
  Family(const Format &format, bool arePairs)
      : format(format), arePairs(arePairs) {
    bool isBFloat = format.bits == 16 && format.exponentBits == 8;
    late = isBFloat ? 90 : 75;
    early = isBFloat ? 80 : 75;
  }

  std::vector<Row> run() {
    add("add.rn", 2, late, arithmetic(Operation::Add));
    add("sub.rn", 2, late, arithmetic(Operation::Subtract));
    add("mul.rn", 2, late, arithmetic(Operation::Multiply));
    add("fma.rn", 3, early, arithmetic(Operation::Fused));
    Bits sign = Bits(1) << (format.bits - 1);
    add("neg", 1, early, [=](Bits a, Bits, Bits) { return a ^ sign; });
    add("abs", 1, early, [=](Bits a, Bits, Bits) { return a & ~sign; });
    bool isSmall = format.bits == 16;
    for (bool isMax : {false, true})
      for (bool nanWins : {false, true})
        if (format.bits < 64 || !nanWins)
          add(std::string(isMax ? "max" : "min") + (nanWins ? ".NaN" : ""), 2,
              isSmall || nanWins ? 80 : 75,
              [isMax, nanWins, format = format](Bits a, Bits b, Bits) {
                return extreme(format, isMax, nanWins, a, b);
              });
    if (!isSmall)
      addWide(sign);
    return rows;
  }

private:
  Reference arithmetic(Operation operation) const {
    return [operation, format = format](Bits a, Bits b, Bits c) {
      if (format.bits == 16)
        return onSmall(format, operation, a, b, c);
      return format.bits == 32 ? onHost<float>(format, operation, a, b, c)
                               : onHost<double>(format, operation, a, b, c);
    };
  }

  void addWide(Bits sign) {
    auto ofFloats = [&](double (*wide)(double, double),
                        float (*narrow)(float, float)) {
      return [wide, narrow, format = format](Bits a, Bits b, Bits) {
        double x = valueOf(format, a), y = valueOf(format, b);
        return format.bits == 64 ? bitsOf(format, wide(x, y))
                                 : bitsOf(format, narrow(float(x), float(y)));
      };
    };
    add("div.rn", 2, 75,
        ofFloats([](double a, double b) { return a / b; },
                 [](float a, float b) { return a / b; }));
    add("sqrt.rn", 1, 75,
        ofFloats([](double a, double) { return std::sqrt(a); },
                 [](float a, float) { return std::sqrt(a); }));
    add("rcp.rn", 1, 75,
        ofFloats([](double a, double) { return 1 / a; },
                 [](float a, float) { return 1 / a; }));
    add("copysign", 2, 75,
        [=](Bits a, Bits b, Bits) { return (a & sign) | (b & ~sign); });
  }

  void add(const std::string &name, int operands, int architecture,
           Reference function) {
    int bits = arePairs ? 32 : format.bits;
    rows.push_back({name + "." + format.name + (arePairs ? "x2" : ""),
                    bits,
                    bits,
                    operands > 1 ? bits : 0,
                    operands > 2 ? bits : 0,
                    arePairs ? onPairs(function) : function,
                    {},
                    architecture});
  }

  const Format format;
  const bool arePairs;
  int late, early;
  std::vector<Row> rows;
};
} // namespace

std::vector<Row> floatRowsOf() {
  std::vector<Row> rows;
  for (const Format &format : {f16, bf16, f32, f64})
    for (bool arePairs : {false, true})
      if (!arePairs || format.bits == 16)
        for (const Row &row : Family(format, arePairs).run())
          rows.push_back(row);
  return rows;
}

} // namespace tenon::ptx
