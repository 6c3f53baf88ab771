// One template per rule of arithmetic. f16 and bf16 are computed in f32 and
// rounded once per op. An f64 is converted to them through an f32 rounded to
// odd, so that only the last rounding decides the result.
#include "compiler/arithmetic/ElementArithmetic.h"

#include "runtime/tenon_abi.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace tenon {

float halfToFloat(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 0x1f, mantissa = bits & 0x3ff;
  if (exponent == 0x1f)
    return std::bit_cast<float>(sign | 0x7f800000 | mantissa << 13 |
                                (mantissa ? 0x400000 : 0));
  if (exponent == 0) {
    float value = float(mantissa) * 0x1p-24f;
    return sign ? -value : value;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

uint16_t floatToHalf(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint16_t sign = uint16_t(bits >> 16 & 0x8000);
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return uint16_t(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
  if (magnitude >= 0x477ff000) // rounds to more than the greatest finite f16
    return uint16_t(sign | 0x7c00);
  if (magnitude < 0x38800000) {
    // Denormal result: after adding 0.5, the last bit of the f32 has the weight
    // of the last bit of a denormal f16.
    float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return uint16_t(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000));
  }
  uint32_t odd = magnitude >> 13 & 1;
  return uint16_t(sign | ((magnitude - 0x38000000 + 0xfff + odd) >> 13));
}

float bfloatToFloat(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}

uint16_t floatToBfloat(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t high = bits >> 16;
  if (std::isnan(value))
    return uint16_t(high | 0x40);
  return uint16_t((bits + 0x7fff + (high & 1)) >> 16);
}

namespace {
/// The two narrow float types, whose values are computed in f32.
struct Half {
  uint16_t bits;
  static float widen(Half x) { return halfToFloat(x.bits); }
  static Half narrow(float x) { return {floatToHalf(x)}; }
};
struct Bfloat {
  uint16_t bits;
  static float widen(Bfloat x) { return bfloatToFloat(x.bits); }
  static Bfloat narrow(float x) { return {floatToBfloat(x)}; }
};
struct Bool {
  uint8_t value;
};

template <typename T>
constexpr bool isNarrow = std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>;

/// Calls `body` with a value of the C++ type for `dtype`.
template <typename F> void withType(int32_t dtype, F body) {
  switch (dtype) {
  case TENON_F32:
    return body(float());
  case TENON_F64:
    return body(double());
  case TENON_F16:
    return body(Half());
  case TENON_BF16:
    return body(Bfloat());
  case TENON_I8:
    return body(int8_t());
  case TENON_I16:
    return body(int16_t());
  case TENON_I32:
    return body(int32_t());
  case TENON_I64:
    return body(int64_t());
  case TENON_U8:
    return body(uint8_t());
  case TENON_U16:
    return body(uint16_t());
  case TENON_U32:
    return body(uint32_t());
  case TENON_U64:
    return body(uint64_t());
  default:
    return body(Bool());
  }
}

template <typename T> T load(const char *from, int64_t i) {
  T value;
  std::memcpy(&value, from + i * int64_t(sizeof(T)), sizeof(T));
  return value;
}
template <typename T> void store(char *to, int64_t i, T value) {
  std::memcpy(to + i * int64_t(sizeof(T)), &value, sizeof(T));
}

template <typename T> T divide(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a / b;
  } else {
    if (b == 0)
      return T(~T(0));
    if (std::is_signed_v<T> && b == T(-1))
      return T(0 - std::make_unsigned_t<T>(a));
    return T(a / b);
  }
}

template <typename T> T maximum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b))
      return a + b;
    if (a == b)
      return std::signbit(a) ? b : a;
  }
  return a > b ? a : b;
}

template <typename T> T minimum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b))
      return a + b;
    if (a == b)
      return std::signbit(a) ? a : b;
  }
  return a < b ? a : b;
}

/// Applies `op` to C++ floats or integers; integers wrap.
template <typename T> T compute(ElementOp op, T a, T b) {
  using U =
      typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                  std::type_identity<T>>::type;
  // 16-bit integers are multiplied as uint32_t: as int, the product could
  // overflow.
  using W =
      std::conditional_t<std::is_integral_v<T> && sizeof(T) < 4, uint32_t, U>;
  switch (op) {
  case ElementOp::Add:
    return T(W(U(a)) + W(U(b)));
  case ElementOp::Subtract:
    return T(W(U(a)) - W(U(b)));
  case ElementOp::Multiply:
    return T(W(U(a)) * W(U(b)));
  case ElementOp::Divide:
    return divide(a, b);
  case ElementOp::Maximum:
    return maximum(a, b);
  case ElementOp::Minimum:
    return minimum(a, b);
  case ElementOp::Negate:
    if constexpr (std::is_floating_point_v<T>)
      return -a;
    else
      return T(W(0) - W(U(a)));
  case ElementOp::Sqrt:
  case ElementOp::Rsqrt:
    if constexpr (std::is_floating_point_v<T>)
      return op == ElementOp::Sqrt ? std::sqrt(a) : T(1) / std::sqrt(a);
    break;
  case ElementOp::RoundNearestEven:
    if constexpr (std::is_floating_point_v<T>)
      return std::nearbyint(a);
  }
  return a;
}

/// `x` as f32 if that is exact; otherwise the neighbouring f32 whose last bit
/// is one.
float oddFloat(double x) {
  float nearest = float(x);
  if (double(nearest) == x || std::isnan(x))
    return nearest;
  uint32_t bits = std::bit_cast<uint32_t>(nearest);
  if (std::fabs(double(nearest)) > std::fabs(x))
    bits -= 1;
  return std::bit_cast<float>(bits | 1);
}

/// An integer that f64 represents exactly, and that rounds to at most 51 bits
/// as `x` does.
template <typename T> T sticky(T x) {
  int64_t high = int64_t(x) >> 53;
  if constexpr (std::is_unsigned_v<T>)
    high = int64_t(uint64_t(x) >> 53);
  if (high == 0 || (std::is_signed_v<T> && high == -1))
    return x;
  uint64_t bits = uint64_t(x);
  return T((bits & ~uint64_t(0xfff)) | ((bits & 0xfff) ? 0x800 : 0));
}

template <typename From, typename To> To toInteger(From x) {
  if (std::isnan(x))
    return 0;
  if (x <= From(std::numeric_limits<To>::min()))
    return std::numeric_limits<To>::min();
  // 2^digits is exact in every float type here; the greatest integer may not
  // be.
  From end = std::ldexp(From(1), std::numeric_limits<To>::digits);
  return x >= end ? std::numeric_limits<To>::max() : To(x);
}

template <typename To, typename From> To convert(From x) {
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else if constexpr (isNarrow<From>) {
    return convert<To>(From::widen(x));
  } else if constexpr (std::is_same_v<From, Bool>) {
    return convert<To>(uint8_t(x.value != 0));
  } else if constexpr (std::is_same_v<To, Bool>) {
    return Bool{uint8_t(x != 0)};
  } else if constexpr (std::is_integral_v<To>) {
    if constexpr (std::is_floating_point_v<From>)
      return toInteger<From, To>(x);
    else
      return To(x);
  } else if constexpr (!isNarrow<To>) {
    return To(x);
  } else if constexpr (std::is_same_v<From, float>) {
    return To::narrow(x);
  } else if constexpr (std::is_same_v<From, double>) {
    return To::narrow(oddFloat(x));
  } else if constexpr (std::is_same_v<To, Half>) {
    return To::narrow(float(x));
  } else {
    return convert<To>(double(sizeof(From) == 8 ? sticky(x) : x));
  }
}
} // namespace

void computeElements(ElementOp op, int32_t dtype, int64_t count, const char *a,
                     const char *b, char *result) {
  bool isUnary = op >= ElementOp::Negate;
  withType(dtype, [&](auto type) {
    using T = decltype(type);
    for (int64_t i = 0; i < count; ++i) {
      T x = load<T>(a, i), y = isUnary ? x : load<T>(b, i);
      if constexpr (isNarrow<T>) {
        if (op == ElementOp::Negate)
          store(result, i, uint16_t(x.bits ^ 0x8000));
        else
          store(result, i, T::narrow(compute(op, T::widen(x), T::widen(y))));
      } else if constexpr (!std::is_same_v<T, Bool>) {
        store(result, i, compute(op, x, y));
      }
    }
  });
}

void convertElements(int32_t from, int32_t to, int64_t count, const char *in,
                     char *out) {
  withType(from, [&](auto source) {
    using From = decltype(source);
    withType(to, [&](auto target) {
      using To = decltype(target);
      for (int64_t i = 0; i < count; ++i)
        store(out, i, convert<To>(load<From>(in, i)));
    });
  });
}

} // namespace tenon
