// Arithmetic of floats: rounded to nearest even. Approximate instructions are
// refused: their results differ between devices.
#include "test/gpu/emulator/SmallFloats.h"

#include "test/gpu/emulator/FamilyDecoders.h"
#include "test/gpu/emulator/Lanes.h"

#include <cmath>

namespace tenon::ptx {
namespace {
/// The device's only NaN of f32.
float canonical(float x) { return x == x ? x : std::bit_cast<float>(floatNan); }
double canonical(double x) { return x; }

/// A type of lanes with the type that it is computed in.
template <typename T> struct Lane {
  using Computed = T;
  static T in(T x) { return x; }
  static T out(T x) { return canonical(x); }
};
template <typename T> struct SmallLane {
  using Computed = double;
  static double in(T x) { return widened(x); }
  static T out(double x) { return narrowed<T>(x); }
};
template <> struct Lane<Half> : SmallLane<Half> {};
template <> struct Lane<BFloat> : SmallLane<BFloat> {};

enum class Operation { Add, Subtract, Multiply, Divide };

template <Operation operation, typename T> T compute(T a, T b) {
  auto x = Lane<T>::in(a), y = Lane<T>::in(b);
  switch (operation) {
  case Operation::Add:
    return Lane<T>::out(x + y);
  case Operation::Subtract:
    return Lane<T>::out(x - y);
  case Operation::Multiply:
    return Lane<T>::out(x * y);
  case Operation::Divide:
    return Lane<T>::out(x / y);
  }
}

template <typename T> T fused(T a, T b, T c) {
  if constexpr (std::is_floating_point_v<T>)
    return canonical(std::fma(a, b, c));
  else
    return narrowed<T>(fusedToOdd(widened(a), widened(b), widened(c)));
}

/// A function of small floats for both halves of a word.
template <typename T, auto function> Pair<T> both(Pair<T> a, Pair<T> b) {
  return {function(a.low, b.low), function(a.high, b.high)};
}
template <typename T> Pair<T> bothFused(Pair<T> a, Pair<T> b, Pair<T> c) {
  return {fused(a.low, b.low, c.low), fused(a.high, b.high, c.high)};
}

template <Operation operation>
Instruction::Run arithmetic(Decoding &d, Type type) {
  auto of = []<typename T>() {
    return Instruction::Run(binary<T, T, T, compute<operation, T>>);
  };
  auto ofPairs = []<typename T>() {
    using P = Pair<T>;
    return Instruction::Run(binary<P, P, P, both<T, compute<operation, T>>>);
  };
  bool isBFloat = type.kind == Kind::BFloat;
  switch (type.bits) {
  case 64:
    return of.template operator()<double>();
  case 32:
    return of.template operator()<float>();
  case 16:
    return isBFloat ? of.template operator()<BFloat>()
                    : of.template operator()<Half>();
  case -16:
    return isBFloat ? ofPairs.template operator()<BFloat>()
                    : ofPairs.template operator()<Half>();
  default:
    d.refuse("unknown type of floats");
  }
}

bool isFloat(Type type) {
  return type.kind == Kind::Float || type.kind == Kind::BFloat;
}

void checkSmall(Decoding &d, Type type) {
  if (type.kind == Kind::BFloat)
    d.need(90, 78);
}

void floatOperands(Decoding &d, Type type, size_t count) {
  d.expectOperands(count + 1);
  d.write(0, type);
  for (size_t i = 1; i <= count; ++i)
    d.read(i, type);
}

/// add, sub and mul, of floats or integers.
template <Operation operation> void decodeArithmetic(Decoding &d) {
  if (operation == Operation::Multiply && d.statement.modifiers.size() > 1 &&
      d.statement.modifiers[0] != "rn")
    return decodeIntegerProduct(d, false);
  bool rounds = d.take("rn");
  Type type = d.takeType();
  if (!isFloat(type))
    return decodeIntegerSum(d, type, operation == Operation::Subtract);
  if (!rounds)
    d.refuse("expected .rn: without it an assembler may contract");
  checkSmall(d, type);
  d.made.run = arithmetic<operation>(d, type);
  d.made.group = Group::Float;
  floatOperands(d, type, 2);
}

void decodeDivision(Decoding &d) {
  if (d.take("approx") || d.take("full"))
    d.refuse("approximate instructions are not emulated");
  bool rounds = d.take("rn");
  Type type = d.takeType();
  if (!isFloat(type))
    return decodeIntegerDivision(d, type);
  if (!rounds || type.bits < 32)
    d.refuse("expected .rn.f32 or .rn.f64");
  d.made.run = arithmetic<Operation::Divide>(d, type);
  d.made.group = Group::Float;
  floatOperands(d, type, 2);
}

void decodeFused(Decoding &d) {
  d.takeRounding();
  Type type = d.takeType();
  if (!isFloat(type))
    d.refuse("expected a type of floats");
  bool isBFloat = type.kind == Kind::BFloat;
  if (isBFloat)
    d.need(80, 70);
  switch (type.bits) {
  case 64:
    d.made.run = ternary<double, double, double, double, fused<double>>;
    break;
  case 32:
    d.made.run = ternary<float, float, float, float, fused<float>>;
    break;
  case 16:
    d.made.run = isBFloat
                     ? ternary<BFloat, BFloat, BFloat, BFloat, fused<BFloat>>
                     : ternary<Half, Half, Half, Half, fused<Half>>;
    break;
  default: {
    using H = Pair<Half>;
    using B = Pair<BFloat>;
    d.made.run = isBFloat ? ternary<B, B, B, B, bothFused<BFloat>>
                          : ternary<H, H, H, H, bothFused<Half>>;
  }
  }
  d.made.group = Group::FusedMultiplyAdd;
  floatOperands(d, type, 3);
}

/// Minimum or maximum; a NaN loses, or wins if the instruction says .NaN; the
/// negative zero is the smaller one.
template <typename T, bool isMax, bool nanWins> T extreme(T a, T b) {
  auto x = Lane<T>::in(a), y = Lane<T>::in(b);
  bool xNan = x != x, yNan = y != y;
  if (xNan || yNan)
    return nanWins || (xNan && yNan) ? Lane<T>::out(x + y) : xNan ? b : a;
  bool first = x == y ? std::signbit(x) != isMax : (x < y) != isMax;
  return first ? a : b;
}

template <bool isMax> void decodeExtreme(Decoding &d) {
  bool nanWins = d.take("NaN");
  Type type = d.takeType();
  if (!isFloat(type))
    return decodeIntegerExtreme(d, type, isMax);
  if (nanWins || type.bits == 16 || type.bits == -16)
    d.need(80, 70);
  auto ofPairs = [&]<typename T>() {
    using P = Pair<T>;
    return nanWins ? Instruction::Run(
                         binary<P, P, P, both<T, extreme<T, isMax, true>>>)
                   : Instruction::Run(
                         binary<P, P, P, both<T, extreme<T, isMax, false>>>);
  };
  auto of = [&]<typename T>() {
    return nanWins
               ? Instruction::Run(binary<T, T, T, extreme<T, isMax, true>>)
               : Instruction::Run(binary<T, T, T, extreme<T, isMax, false>>);
  };
  if (type.bits == 64 && !nanWins)
    d.made.run = of.template operator()<double>();
  else if (type.bits == 32)
    d.made.run = of.template operator()<float>();
  else if (type.bits == 16 && type.kind == Kind::Float)
    d.made.run = of.template operator()<Half>();
  else if (type.bits == 16)
    d.made.run = of.template operator()<BFloat>();
  else if (type.bits == -16)
    d.made.run = type.kind == Kind::Float
                     ? ofPairs.template operator()<Half>()
                     : ofPairs.template operator()<BFloat>();
  else
    d.refuse("not emulated for this type");
  d.made.group = Group::Float;
  floatOperands(d, type, 2);
}

template <typename Word> Word flipSign(Word a) {
  return Word(a ^ Word(Word(1) << (8 * sizeof(Word) - 1)));
}
template <typename Word> Word clearSign(Word a) {
  return Word(a & Word(~(Word(1) << (8 * sizeof(Word) - 1))));
}

/// The same for both halves of a word.
constexpr uint32_t signsOfHalves = 0x80008000;
inline uint32_t flipSigns(uint32_t a) { return a ^ signsOfHalves; }
inline uint32_t clearSigns(uint32_t a) { return a & ~signsOfHalves; }

/// neg and abs change the sign bit alone.
template <bool isAbsolute> void decodeSign(Decoding &d) {
  Type type = d.takeType();
  if (!isFloat(type))
    return decodeIntegerSign(d, type, isAbsolute);
  if (type.kind == Kind::BFloat)
    d.need(80, 70);
  if (type.bits == -16)
    d.made.run = isAbsolute ? unary<uint32_t, uint32_t, clearSigns>
                            : unary<uint32_t, uint32_t, flipSigns>;
  else
    d.made.run = forBits(d, type, []<typename T>() {
      return isAbsolute ? Instruction::Run(unary<T, T, clearSign<T>>)
                        : Instruction::Run(unary<T, T, flipSign<T>>);
    });
  d.made.group = Group::Float;
  floatOperands(d, type, 1);
}

template <typename Word> Word copySign(Word sign, Word size) {
  Word bit = Word(Word(1) << (8 * sizeof(Word) - 1));
  return Word((size & ~bit) | (sign & bit));
}

void decodeCopySign(Decoding &d) {
  Type type = d.takeType();
  if (type.kind != Kind::Float || type.bits < 32)
    d.refuse("expected .f32 or .f64");
  d.made.run = forBits(d, type, []<typename T>() {
    return Instruction::Run(binary<T, T, T, copySign<T>>);
  });
  d.made.group = Group::Float;
  floatOperands(d, type, 2);
}

template <typename T> T root(T x) { return canonical(std::sqrt(x)); }
template <typename T> T reciprocal(T x) { return canonical(1 / x); }

template <bool isRoot> void decodeUnary(Decoding &d) {
  if (d.take("approx"))
    d.refuse("approximate instructions are not emulated");
  d.takeRounding();
  Type type = d.takeType();
  if (type.kind != Kind::Float || type.bits < 32)
    d.refuse("expected .f32 or .f64");
  if (type.bits == 32)
    d.made.run = isRoot ? unary<float, float, root<float>>
                        : unary<float, float, reciprocal<float>>;
  else
    d.made.run = isRoot ? unary<double, double, root<double>>
                        : unary<double, double, reciprocal<double>>;
  d.made.group = Group::Float;
  floatOperands(d, type, 1);
}

void refuseApproximate(Decoding &d) {
  d.refuse("approximate instructions are not emulated");
}
} // namespace

std::vector<InstructionRow> floatRows() {
  return {
      {"add", decodeArithmetic<Operation::Add>},
      {"sub", decodeArithmetic<Operation::Subtract>},
      {"mul", decodeArithmetic<Operation::Multiply>},
      {"div", decodeDivision},
      {"fma", decodeFused},
      {"min", decodeExtreme<false>},
      {"max", decodeExtreme<true>},
      {"neg", decodeSign<false>},
      {"abs", decodeSign<true>},
      {"copysign", decodeCopySign},
      {"sqrt", decodeUnary<true>},
      {"rcp", decodeUnary<false>},
      {"rsqrt", refuseApproximate},
      {"ex2", refuseApproximate},
      {"lg2", refuseApproximate},
      {"sin", refuseApproximate},
      {"cos", refuseApproximate},
      {"tanh", refuseApproximate},
  };
}

} // namespace tenon::ptx
