// Each instruction on random operands and on edge values, against scalar code
// that shares nothing with the emulator.
#include "test/gpu/Device.h"

#include <cfenv>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>

using namespace tenon::ptx;

namespace {
using Bits = uint64_t;
using Reference = std::function<Bits(Bits, Bits, Bits)>;

/// An instruction %o, %a, %b, %c with the bits of each, and what it computes.
struct Row {
  const char *text;
  int result, a, b, c;
  Reference reference;
};

float f32(Bits bits) { return std::bit_cast<float>(uint32_t(bits)); }
double f64(Bits bits) { return std::bit_cast<double>(bits); }
Bits bitsOf(float x) {
  return x == x ? std::bit_cast<uint32_t>(x) : 0x7fffffffu;
}
Bits bitsOf(double x) { return std::bit_cast<uint64_t>(x); }
double f16(Bits bits) {
  return double(std::bit_cast<_Float16>(uint16_t(bits)));
}
Bits bitsOfHalf(long double x) {
  return x == x ? std::bit_cast<uint16_t>(_Float16(x)) : 0x7fff;
}
float bf16(Bits bits) { return f32(bits << 16); }
Bits bitsOfBFloat(float x) {
  if (x != x)
    return 0x7fff;
  uint32_t bits = std::bit_cast<uint32_t>(x), half = 0x7fff + (bits >> 16 & 1);
  return (bits + half) >> 16;
}
int32_t s32(Bits x) { return int32_t(x); }
int16_t s16(Bits x) { return int16_t(x); }
int64_t s64(Bits x) { return int64_t(x); }
using Wide = __int128;
using UnsignedWide = unsigned __int128;

/// A float clamped into a type of integers; NaN is 0.
template <typename T> Bits clamped(double x) {
  if (x != x)
    return 0;
  if (x <= double(std::numeric_limits<T>::min()))
    return Bits(std::numeric_limits<T>::min());
  if (x >= double(std::numeric_limits<T>::max()))
    return Bits(std::numeric_limits<T>::max());
  return Bits(T(x));
}

const Row rows[] = {
    {"add.s32", 32, 32, 32, 0, [](Bits a, Bits b, Bits) { return a + b; }},
    {"add.u64", 64, 64, 64, 0, [](Bits a, Bits b, Bits) { return a + b; }},
    {"add.s16", 16, 16, 16, 0, [](Bits a, Bits b, Bits) { return a + b; }},
    {"sub.s32", 32, 32, 32, 0, [](Bits a, Bits b, Bits) { return a - b; }},
    {"sub.s64", 64, 64, 64, 0, [](Bits a, Bits b, Bits) { return a - b; }},
    {"mul.lo.s32", 32, 32, 32, 0, [](Bits a, Bits b, Bits) { return a * b; }},
    {"mul.lo.u64", 64, 64, 64, 0, [](Bits a, Bits b, Bits) { return a * b; }},
    {"mul.lo.s16", 16, 16, 16, 0, [](Bits a, Bits b, Bits) { return a * b; }},
    {"mul.hi.s32", 32, 32, 32, 0,
     [](Bits a, Bits b, Bits) {
       return Bits(int64_t(s32(a)) * s32(b) >> 32);
     }},
    {"mul.hi.u32", 32, 32, 32, 0,
     [](Bits a, Bits b, Bits) { return a * b >> 32; }},
    {"mul.hi.s64", 64, 64, 64, 0,
     [](Bits a, Bits b, Bits) { return Bits(Wide(s64(a)) * s64(b) >> 64); }},
    {"mul.hi.u64", 64, 64, 64, 0,
     [](Bits a, Bits b, Bits) { return Bits(UnsignedWide(a) * b >> 64); }},
    {"mul.wide.s32", 64, 32, 32, 0,
     [](Bits a, Bits b, Bits) { return Bits(int64_t(s32(a)) * s32(b)); }},
    {"mul.wide.u32", 64, 32, 32, 0,
     [](Bits a, Bits b, Bits) { return a * b; }},
    {"mul.wide.s16", 32, 16, 16, 0,
     [](Bits a, Bits b, Bits) { return Bits(s16(a) * s16(b)); }},
    {"mad.lo.s32", 32, 32, 32, 32,
     [](Bits a, Bits b, Bits c) { return a * b + c; }},
    {"mad.wide.s32", 64, 32, 32, 64,
     [](Bits a, Bits b, Bits c) {
       return Bits(int64_t(s32(a)) * s32(b)) + c;
     }},
    {"mad.hi.u32", 32, 32, 32, 32,
     [](Bits a, Bits b, Bits c) { return (a * b >> 32) + c; }},
    {"div.s32", 32, 32, 32, 0,
     [](Bits a, Bits b, Bits) { return Bits(int64_t(s32(a)) / s32(b)); }},
    {"div.u64", 64, 64, 64, 0, [](Bits a, Bits b, Bits) { return a / b; }},
    {"rem.s64", 64, 64, 64, 0,
     [](Bits a, Bits b, Bits) { return Bits(Wide(s64(a)) % s64(b)); }},
    {"rem.u16", 16, 16, 16, 0, [](Bits a, Bits b, Bits) { return a % b; }},
    {"min.s32", 32, 32, 32, 0,
     [](Bits a, Bits b, Bits) { return s32(a) < s32(b) ? a : b; }},
    {"max.u64", 64, 64, 64, 0,
     [](Bits a, Bits b, Bits) { return a > b ? a : b; }},
    {"neg.s32", 32, 32, 0, 0, [](Bits a, Bits, Bits) { return 0 - a; }},
    {"abs.s64", 64, 64, 0, 0,
     [](Bits a, Bits, Bits) { return a >> 63 ? 0 - a : a; }},
    {"dp4a.s32.u32", 32, 32, 32, 32,
     [](Bits a, Bits b, Bits c) {
       int64_t sum = s32(c);
       for (int i = 0; i < 32; i += 8)
         sum += int8_t(a >> i) * int64_t(uint8_t(b >> i));
       return Bits(sum);
     }},
    {"and.b32", 32, 32, 32, 0, [](Bits a, Bits b, Bits) { return a & b; }},
    {"or.b64", 64, 64, 64, 0, [](Bits a, Bits b, Bits) { return a | b; }},
    {"xor.b16", 16, 16, 16, 0, [](Bits a, Bits b, Bits) { return a ^ b; }},
    {"not.b32", 32, 32, 0, 0, [](Bits a, Bits, Bits) { return ~a; }},
    {"shl.b32", 32, 32, 32, 0,
     [](Bits a, Bits b, Bits) { return b > 31 ? 0 : a << b; }},
    {"shl.b64", 64, 64, 32, 0,
     [](Bits a, Bits b, Bits) { return b > 63 ? 0 : a << b; }},
    {"shr.u32", 32, 32, 32, 0,
     [](Bits a, Bits b, Bits) { return b > 31 ? 0 : a >> b; }},
    {"shr.s32", 32, 32, 32, 0,
     [](Bits a, Bits b, Bits) {
       return Bits(int64_t(s32(a)) >> (b > 31 ? 31 : b));
     }},
    {"shr.s64", 64, 64, 32, 0,
     [](Bits a, Bits b, Bits) { return Bits(s64(a) >> (b > 63 ? 63 : b)); }},
    {"shf.l.wrap.b32", 32, 32, 32, 32,
     [](Bits a, Bits b, Bits c) {
       return ((b << 32 | a) << (c & 31)) >> 32;
     }},
    {"shf.r.clamp.b32", 32, 32, 32, 32,
     [](Bits a, Bits b, Bits c) {
       return (b << 32 | a) >> (c > 32 ? 32 : c);
     }},
    {"popc.b64", 32, 64, 0, 0,
     [](Bits a, Bits, Bits) { return Bits(__builtin_popcountll(a)); }},
    {"clz.b32", 32, 32, 0, 0,
     [](Bits a, Bits, Bits) {
       return a ? Bits(__builtin_clz(uint32_t(a))) : 32;
     }},
    {"brev.b32", 32, 32, 0, 0,
     [](Bits a, Bits, Bits) {
       return Bits(__builtin_bitreverse32(uint32_t(a)));
     }},
    {"bfe.u32", 32, 32, 32, 32,
     [](Bits a, Bits b, Bits c) {
       b &= 255, c &= 255;
       return b > 31 || c == 0 ? 0
              : c > 31         ? a >> b
                               : a >> b & ((Bits(1) << c) - 1);
     }},
    {"prmt.b32", 32, 32, 32, 32,
     [](Bits a, Bits b, Bits c) {
       uint8_t bytes[8], chosen[4];
       std::memcpy(bytes, &a, 4);
       std::memcpy(bytes + 4, &b, 4);
       for (int i = 0; i < 4; ++i) {
         Bits which = c >> (4 * i);
         chosen[i] = bytes[which & 7];
         if (which & 8)
           chosen[i] = int8_t(chosen[i]) < 0 ? 255 : 0;
       }
       uint32_t word;
       std::memcpy(&word, chosen, 4);
       return Bits(word);
     }},
    {"add.rn.f32", 32, 32, 32, 0,
     [](Bits a, Bits b, Bits) { return bitsOf(f32(a) + f32(b)); }},
    {"sub.rn.f64", 64, 64, 64, 0,
     [](Bits a, Bits b, Bits) { return bitsOf(f64(a) - f64(b)); }},
    {"mul.rn.f32", 32, 32, 32, 0,
     [](Bits a, Bits b, Bits) { return bitsOf(f32(a) * f32(b)); }},
    {"div.rn.f32", 32, 32, 32, 0,
     [](Bits a, Bits b, Bits) { return bitsOf(f32(a) / f32(b)); }},
    {"div.rn.f64", 64, 64, 64, 0,
     [](Bits a, Bits b, Bits) { return bitsOf(f64(a) / f64(b)); }},
    {"fma.rn.f32", 32, 32, 32, 32,
     [](Bits a, Bits b, Bits c) {
       return bitsOf(std::fma(f32(a), f32(b), f32(c)));
     }},
    {"fma.rn.f64", 64, 64, 64, 64,
     [](Bits a, Bits b, Bits c) {
       return bitsOf(std::fma(f64(a), f64(b), f64(c)));
     }},
    {"sqrt.rn.f32", 32, 32, 0, 0,
     [](Bits a, Bits, Bits) { return bitsOf(std::sqrt(f32(a))); }},
    {"rcp.rn.f32", 32, 32, 0, 0,
     [](Bits a, Bits, Bits) { return bitsOf(1 / f32(a)); }},
    {"min.f32", 32, 32, 32, 0,
     [](Bits a, Bits b, Bits) {
       float x = f32(a), y = f32(b);
       if (x == y)
         return std::signbit(x) ? a : b;
       return x != x && y != y ? Bits(0x7fffffff) : bitsOf(std::fmin(x, y));
     }},
    {"max.NaN.f32", 32, 32, 32, 0,
     [](Bits a, Bits b, Bits) {
       float x = f32(a), y = f32(b);
       if (x == y)
         return std::signbit(x) ? b : a;
       return x != x || y != y ? Bits(0x7fffffff) : bitsOf(std::fmax(x, y));
     }},
    {"neg.f32", 32, 32, 0, 0,
     [](Bits a, Bits, Bits) { return a ^ 0x80000000; }},
    {"abs.f64", 64, 64, 0, 0, [](Bits a, Bits, Bits) { return a << 1 >> 1; }},
    {"copysign.f32", 32, 32, 32, 0,
     [](Bits a, Bits b, Bits) {
       return (a & 0x80000000) | (b & 0x7fffffff);
     }},
    {"add.rn.f16", 16, 16, 16, 0,
     [](Bits a, Bits b, Bits) {
       return bitsOfHalf((long double)f16(a) + f16(b));
     }},
    {"mul.rn.f16", 16, 16, 16, 0,
     [](Bits a, Bits b, Bits) {
       return bitsOfHalf((long double)f16(a) * f16(b));
     }},
    // 64 bits hold the sum of a product of f16 and an f16 exactly.
    {"fma.rn.f16", 16, 16, 16, 16,
     [](Bits a, Bits b, Bits c) {
       return bitsOfHalf((long double)f16(a) * f16(b) + f16(c));
     }},
    {"fma.rn.f16x2", 32, 32, 32, 32,
     [](Bits a, Bits b, Bits c) {
       auto half = [&](int i) {
         return bitsOfHalf((long double)f16(a >> i) * f16(b >> i) +
                           f16(c >> i));
       };
       return half(16) << 16 | half(0);
     }},
    {"cvt.u64.u32", 64, 32, 0, 0, [](Bits a, Bits, Bits) { return a; }},
    {"cvt.s64.s32", 64, 32, 0, 0,
     [](Bits a, Bits, Bits) { return Bits(s32(a)); }},
    {"cvt.s32.s8", 32, 32, 0, 0,
     [](Bits a, Bits, Bits) { return Bits(int8_t(a)); }},
    {"cvt.u16.u64", 16, 64, 0, 0, [](Bits a, Bits, Bits) { return a; }},
    {"cvt.sat.s8.s32", 32, 32, 0, 0,
     [](Bits a, Bits, Bits) {
       int x = s32(a);
       return Bits(x < -128 ? -128 : x > 127 ? 127 : x);
     }},
    {"cvt.rn.f32.s32", 32, 32, 0, 0,
     [](Bits a, Bits, Bits) { return bitsOf(float(s32(a))); }},
    {"cvt.rn.f32.u64", 32, 64, 0, 0,
     [](Bits a, Bits, Bits) { return bitsOf(float(a)); }},
    {"cvt.rn.f64.s64", 64, 64, 0, 0,
     [](Bits a, Bits, Bits) { return bitsOf(double(s64(a))); }},
    {"cvt.rzi.s32.f32", 32, 32, 0, 0,
     [](Bits a, Bits, Bits) {
       return clamped<int32_t>(std::trunc(f32(a)));
     }},
    {"cvt.rni.u32.f32", 32, 32, 0, 0,
     [](Bits a, Bits, Bits) {
       return clamped<uint32_t>(std::nearbyint(f32(a)));
     }},
    {"cvt.rmi.s64.f64", 64, 64, 0, 0,
     [](Bits a, Bits, Bits) {
       return clamped<int64_t>(std::floor(f64(a)));
     }},
    {"cvt.rpi.f32.f32", 32, 32, 0, 0,
     [](Bits a, Bits, Bits) { return bitsOf(std::ceil(f32(a))); }},
    {"cvt.rn.f16.f32", 16, 32, 0, 0,
     [](Bits a, Bits, Bits) { return bitsOfHalf(f32(a)); }},
    {"cvt.f32.f16", 32, 16, 0, 0,
     [](Bits a, Bits, Bits) { return bitsOf(float(f16(a))); }},
    {"cvt.rn.bf16.f32", 16, 32, 0, 0,
     [](Bits a, Bits, Bits) { return bitsOfBFloat(f32(a)); }},
    {"cvt.f32.bf16", 32, 16, 0, 0,
     [](Bits a, Bits, Bits) { return bitsOf(bf16(a)); }},
    {"cvt.rn.bf16x2.f32", 32, 32, 32, 0,
     [](Bits a, Bits b, Bits) {
       return bitsOfBFloat(f32(a)) << 16 | bitsOfBFloat(f32(b));
     }},
    {"cvt.f64.f32", 64, 32, 0, 0,
     [](Bits a, Bits, Bits) { return bitsOf(double(f32(a))); }},
    {"cvt.rn.f32.f64", 32, 64, 0, 0,
     [](Bits a, Bits, Bits) { return bitsOf(float(f64(a))); }},
};

Bits randomBits(std::mt19937_64 &draws, int bits) {
  static const Bits edges[] = {0,
                               1,
                               2,
                               3,
                               31,
                               32,
                               33,
                               63,
                               64,
                               255,
                               0x7f,
                               0x80,
                               0x7fff,
                               0x8000,
                               0xffff,
                               0x3c00,
                               0x7bff,
                               0x7c00,
                               0xfc00,
                               0x7e00,
                               0x0001,
                               0x3f80,
                               0x7f80,
                               0xff80,
                               0x7fffffff,
                               0x80000000,
                               0xffffffff,
                               0x3f800000,
                               0xbf800000,
                               0x7f800000,
                               0xff800000,
                               0x7fc00000,
                               0x00800000,
                               0x007fffff,
                               0x7f7fffff,
                               0x4b000000,
                               0x4effffff,
                               0x4f000000,
                               0x5f000000,
                               0x8000000000000000,
                               0x7fffffffffffffff,
                               0xffffffffffffffff,
                               0x3ff0000000000000,
                               0x7ff0000000000000,
                               0x7ff8000000000000,
                               0x0010000000000000,
                               0x43e0000000000000,
                               0x41e0000000000000};
  Bits value = draws();
  switch (draws() % 4) {
  case 0:
    value = edges[draws() % std::size(edges)];
    break;
  case 1: // floats near one, small integers
    value = bits == 64   ? bitsOf(double(int64_t(value >> 40)) / 4096)
            : bits == 32 ? bitsOf(float(int64_t(value >> 44)) / 1024)
                         : bitsOfHalf(double(int64_t(value >> 52)) / 64);
    break;
  case 2:
    value %= 200;
    break;
  }
  return bits == 64 ? value : value & ((Bits(1) << bits) - 1);
}

/// The kernel that applies the instruction to arrays of 64-bit words.
std::string kernelFor(const Row &row) {
  auto name = [](int bits) {
    return bits == 64 ? "%d" : bits == 32 ? "%r" : "%h";
  };
  std::string text = "mov.u32 %r20, %tid.x; mov.u32 %r21, %ctaid.x;\n"
                     "mad.lo.s32 %r22, %r21, 32, %r20;\n"
                     "mul.wide.u32 %d20, %r22, 32; ld.param.u64 %d21, [p];\n"
                     "add.s64 %d22, %d21, %d20;\n";
  std::string call = std::string(row.text) + " " + name(row.result) + "0";
  const int operands[] = {row.a, row.b, row.c};
  for (int i = 0; i < 3; ++i) {
    if (!operands[i])
      continue;
    std::string to = name(operands[i]) + std::to_string(i + 1);
    text += "ld.global.b" + std::to_string(operands[i]) + " " + to +
            ", [%d22+" + std::to_string(8 * i) + "];\n";
    call += ", " + to;
  }
  text += call + ";\nst.global.b" + std::to_string(row.result) +
          " [%d22+24], " + name(row.result) + "0;\n";
  return moduleOf(text, "sm_90");
}

TEST(Instructions, EqualScalarCode) {
  std::mt19937_64 draws(std::random_device{}());
  for (const Row &row : rows) {
    constexpr size_t count = 32 * 64;
    std::vector<Bits> values;
    bool divides = std::string(row.text).starts_with("div.s") ||
                   std::string(row.text).starts_with("div.u") ||
                   std::string(row.text).starts_with("rem");
    for (size_t i = 0; i < count; ++i) {
      Bits b = randomBits(draws, row.b ? row.b : 64);
      values.insert(values.end(),
                    {randomBits(draws, row.a), divides && !b ? 1 : b,
                     randomBits(draws, row.c ? row.c : 64), 0});
    }
    Device device(kernelFor(row), 90);
    uint64_t at = device.put(values);
    device.run("k", LaunchShape::linear(count / 32, 32), at);
    auto got = device.get<Bits>(at, values.size());
    Bits mask = row.result == 64 ? ~Bits(0) : (Bits(1) << row.result) - 1;
    for (size_t i = 0; i < count; ++i) {
      const Bits *in = &values[4 * i];
      Bits expected = row.reference(in[0], in[1], in[2]) & mask;
      bool bothNan = std::string(row.text).ends_with("f64") &&
                     f64(expected) != f64(expected) &&
                     f64(got[4 * i + 3]) != f64(got[4 * i + 3]);
      ASSERT_TRUE(expected == got[4 * i + 3] || bothNan)
          << row.text << std::hex << " of " << in[0] << ' ' << in[1] << ' '
          << in[2] << ": expected " << expected << ", got " << got[4 * i + 3];
    }
  }
}

/// Comparisons of floats in all combinations of order.
TEST(Instructions, Comparisons) {
  const float values[] = {-INFINITY, -1, -0.0f, 0, 1, INFINITY, NAN};
  struct {
    const char *name;
    std::function<bool(float, float)> holds;
  } const comparisons[] = {
      {"eq", [](float a, float b) { return a == b; }},
      {"ne", [](float a, float b) { return a < b || a > b; }},
      {"lt", [](float a, float b) { return a < b; }},
      {"ge", [](float a, float b) { return a >= b; }},
      {"equ", [](float a, float b) { return !(a < b || a > b); }},
      {"neu", [](float a, float b) { return a != b; }},
      {"ltu", [](float a, float b) { return !(a >= b); }},
      {"leu", [](float a, float b) { return !(a > b); }},
      {"gtu", [](float a, float b) { return !(a <= b); }},
      {"geu", [](float a, float b) { return !(a < b); }},
      {"num", [](float a, float b) { return a == a && b == b; }},
      {"nan", [](float a, float b) { return a != a || b != b; }},
  };
  for (const auto &comparison : comparisons) {
    std::vector<float> pairs;
    for (float a : values)
      for (float b : values)
        pairs.insert(pairs.end(), {a, b, 0});
    Device device(moduleOf(
        std::string("mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 12;\n"
                    "ld.param.u64 %d2, [p]; add.s64 %d3, %d2, %d1;\n"
                    "ld.global.f32 %f1, [%d3]; ld.global.f32 %f2, [%d3+4];\n"
                    "setp.") +
        comparison.name +
        ".f32 %p1, %f1, %f2; selp.f32 %f3, 0f3F800000, 0f00000000, %p1;\n"
        "st.global.f32 [%d3+8], %f3;\n"));
    uint64_t at = device.put(pairs);
    device.run("k", LaunchShape::linear(1, unsigned(pairs.size() / 3)), at);
    auto got = device.get<float>(at, pairs.size());
    for (size_t i = 0; i < pairs.size(); i += 3)
      EXPECT_EQ(got[i + 2] == 1, comparison.holds(pairs[i], pairs[i + 1]))
          << comparison.name << ' ' << pairs[i] << ' ' << pairs[i + 1];
  }
}

/// The source lane of each mode, by the manual's pseudo-code.
TEST(Instructions, Shuffles) {
  for (std::string mode : {"up", "down", "bfly", "idx"})
    for (int width : {32, 16, 8})
      for (int by : {0, 1, 3, 8, 17, 31}) {
        int clamp = mode == "up" ? 0 : 31, segment = 32 - width;
        int c = segment << 8 | clamp;
        Device device(
            moduleOf("mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4;\n"
                     "ld.param.u64 %d2, [p]; add.s64 %d3, %d2, %d1;\n"
                     "add.s32 %r2, %r1, 100;\n"
                     "shfl.sync." +
                     mode + ".b32 %r3|%p1, %r2, " + std::to_string(by) + ", " +
                     std::to_string(c) +
                     ", -1;\n@%p1 add.s32 %r3, %r3, 1000;\n"
                     "st.global.u32 [%d3], %r3;\n"));
        uint64_t at = device.reserve(128);
        device.run("k", LaunchShape::linear(1, 32), at);
        auto got = device.get<int>(at, 32);
        for (int lane = 0; lane < 32; ++lane) {
          int first = lane / width * width, last = first + width - 1;
          int from = mode == "up"     ? lane - by
                     : mode == "down" ? lane + by
                     : mode == "bfly" ? lane ^ by
                                      : first + by % width;
          bool isIn = mode == "up" ? from >= first : from <= last;
          EXPECT_EQ(got[size_t(lane)], 100 + (isIn ? from + 1000 : lane))
              << mode << ' ' << width << ' ' << by << ' ' << lane;
        }
      }
}

/// Accesses of each size, and the extension into wider registers.
TEST(Instructions, LoadsExtend) {
  Device device(
      moduleOf("ld.param.u64 %d1, [p];\n"
               "ld.global.s8 %r1, [%d1]; st.global.u32 [%d1+8], %r1;\n"
               "ld.global.u8 %r2, [%d1]; st.global.u32 [%d1+12], %r2;\n"
               "ld.global.s16 %d2, [%d1+2]; st.global.u64 [%d1+16], %d2;\n"
               "ld.global.v2.u16 {%h1, %h2}, [%d1];\n"
               "mov.b32 %r3, {%h2, %h1}; st.global.u32 [%d1+24], %r3;\n"
               "st.global.u8 [%d1+28], %r3;\n"));
  std::vector<uint8_t> bytes(32);
  bytes[0] = 0x85, bytes[1] = 0x01, bytes[2] = 0x34, bytes[3] = 0x92;
  uint64_t at = device.put(bytes);
  device.run("k", LaunchShape::linear(1, 1), at);
  auto got = device.get<uint32_t>(at, 8);
  EXPECT_EQ(got[2], 0xffffff85u);
  EXPECT_EQ(got[3], 0x85u);
  EXPECT_EQ(got[4], 0xffff9234u);
  EXPECT_EQ(got[5], 0xffffffffu);
  EXPECT_EQ(got[6], 0x01859234u);
  EXPECT_EQ(got[7], 0x34u);
}
} // namespace
