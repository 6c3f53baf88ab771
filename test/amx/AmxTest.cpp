// Tests AMX instructions, native or emulated: every form that the assembler
// emits must give the result of scalar code.
#include "test/amx/amx_emulator.h"
#include "test/amx/amx_tiles.h"

#include "gtest/gtest.h"
#include <bit>
#include <cfloat>
#include <cmath>
#include <csignal>
#include <cstring>
#include <immintrin.h>
#include <sys/mman.h>
#include <thread>
#include <vector>

#define WITH_AMX __attribute__((target("amx-tile,amx-bf16,amx-int8")))

namespace {

struct Numbers {
  uint32_t seed;
  uint32_t next() { return seed = seed * 1664525u + 1013904223u; }
};

/// The sizes in 32-bit words: C is rows x columns, A is rows x words, B is
/// words x columns.
struct Sizes {
  int rows, words, columns;
};

amx_config configOf(Sizes sizes) {
  amx_config config{};
  config.palette = 1;
  auto set = [&](int tile, int rows, int words) {
    config.rows[tile] = uint8_t(rows);
    config.row_bytes[tile] = uint16_t(words * 4);
  };
  set(0, sizes.rows, sizes.columns);
  set(1, sizes.rows, sizes.words);
  set(2, sizes.words, sizes.columns);
  return config;
}

using Words = std::vector<uint32_t>;
using Product = void (*)();

WITH_AMX void bf16() { _tile_dpbf16ps(0, 1, 2); }
WITH_AMX void u8u8() { _tile_dpbuud(0, 1, 2); }
WITH_AMX void u8s8() { _tile_dpbusd(0, 1, 2); }
WITH_AMX void s8u8() { _tile_dpbsud(0, 1, 2); }
WITH_AMX void s8s8() { _tile_dpbssd(0, 1, 2); }

WITH_AMX Words multiply(Sizes sizes, Product product, const Words &a,
                        const Words &b, Words c) {
  amx_config config = configOf(sizes);
  _tile_loadconfig(&config);
  _tile_loadd(0, c.data(), sizes.columns * 4);
  _tile_stream_loadd(1, a.data(), sizes.words * 4);
  _tile_loadd(2, b.data(), sizes.columns * 4);
  product();
  _tile_stored(0, c.data(), sizes.columns * 4);
  _tile_release();
  return c;
}

float flushed(float x) {
  return std::fabs(x) < FLT_MIN ? std::copysign(0.0f, x) : x;
}

float fromBf16(uint32_t bits) { return flushed(std::bit_cast<float>(bits)); }

/// The result that the manual defines; denormal operands and results are zeros.
Words expectedBf16(Sizes sizes, const Words &a, const Words &b, Words c) {
  for (int m = 0; m < sizes.rows; ++m)
    for (int n = 0; n < sizes.columns; ++n) {
      float even = 0, odd = 0;
      for (int k = 0; k < sizes.words; ++k) {
        uint32_t left = a[m * sizes.words + k],
                 right = b[k * sizes.columns + n];
        even = flushed(
            std::fma(fromBf16(left << 16), fromBf16(right << 16), even));
        odd = flushed(std::fma(fromBf16(left & 0xffff0000),
                               fromBf16(right & 0xffff0000), odd));
      }
      uint32_t &sum = c[m * sizes.columns + n];
      sum =
          std::bit_cast<uint32_t>(flushed(fromBf16(sum) + flushed(even + odd)));
    }
  return c;
}

void expectSameFloats(const Words &found, const Words &expected) {
  for (size_t i = 0; i < expected.size(); ++i) {
    if (std::isnan(std::bit_cast<float>(expected[i])))
      ASSERT_TRUE(std::isnan(std::bit_cast<float>(found[i]))) << i;
    else
      ASSERT_EQ(found[i], expected[i]) << i;
  }
}

const Sizes someSizes[] = {{16, 16, 16}, {16, 16, 1}, {16, 1, 16}, {1, 16, 16},
                           {7, 5, 11},   {1, 1, 1},   {15, 16, 3}};

class Amx : public testing::Test {
protected:
  void SetUp() override { amx_start(); }
};

TEST_F(Amx, multipliesBf16) {
  Numbers numbers{1};
  auto ordinary = [&] {
    float x = float(int32_t(numbers.next())) / float(1u << 30);
    return std::bit_cast<uint32_t>(x);
  };
  auto pair = [&] { return (ordinary() >> 16) | (ordinary() & 0xffff0000); };
  for (Sizes sizes : someSizes) {
    Words a(sizes.rows * sizes.words), b(sizes.words * sizes.columns),
        c(sizes.rows * sizes.columns);
    std::generate(a.begin(), a.end(), pair);
    std::generate(b.begin(), b.end(), pair);
    std::generate(c.begin(), c.end(), ordinary);
    expectSameFloats(multiply(sizes, bf16, a, b, c),
                     expectedBf16(sizes, a, b, c));
  }
}

TEST_F(Amx, multipliesBf16OfAnyBits) {
  Numbers numbers{2};
  Sizes sizes{16, 4, 16};
  for (int round = 0; round < 100; ++round) {
    Words a(64), b(64), c(256);
    for (Words *words : {&a, &b, &c})
      for (uint32_t &word : *words) {
        // All exponents; in odd rounds only those near the smallest.
        word = numbers.next() ^ numbers.next() >> 16;
        if (round % 2)
          word &= 0xa0ffa0ff;
      }
    expectSameFloats(multiply(sizes, bf16, a, b, c),
                     expectedBf16(sizes, a, b, c));
  }
}

TEST_F(Amx, multipliesBytes) {
  Numbers numbers{3};
  struct Form {
    Product product;
    bool aSigned, bSigned;
  };
  for (Form form : {Form{u8u8, false, false}, Form{u8s8, false, true},
                    Form{s8u8, true, false}, Form{s8s8, true, true}})
    for (Sizes sizes : someSizes) {
      Words a(sizes.rows * sizes.words), b(sizes.words * sizes.columns),
          c(sizes.rows * sizes.columns);
      for (Words *words : {&a, &b, &c})
        for (uint32_t &word : *words)
          word = numbers.next() ^ numbers.next() >> 16;
      Words expected = c;
      auto byte = [](uint32_t word, int i, bool isSigned) {
        uint8_t bits = uint8_t(word >> 8 * i);
        return isSigned ? int32_t(int8_t(bits)) : int32_t(bits);
      };
      for (int m = 0; m < sizes.rows; ++m)
        for (int n = 0; n < sizes.columns; ++n)
          for (int k = 0; k < sizes.words; ++k)
            for (int i = 0; i < 4; ++i)
              expected[m * sizes.columns + n] +=
                  uint32_t(byte(a[m * sizes.words + k], i, form.aSigned) *
                           byte(b[k * sizes.columns + n], i, form.bSigned));
      EXPECT_EQ(multiply(sizes, form.product, a, b, c), expected);
    }
}

TEST_F(Amx, keepsConfigurations) {
  static amx_config config = configOf({3, 4, 5}); // relative to the next
                                                  // instruction
  amx_config stored;
  asm volatile("ldtilecfg %1\n\tsttilecfg %0" : "=m"(stored) : "m"(config));
  EXPECT_EQ(std::memcmp(&stored, &config, sizeof config), 0);
  asm volatile("tilerelease\n\tsttilecfg %0" : "=m"(stored));
  amx_config none{};
  EXPECT_EQ(std::memcmp(&stored, &none, sizeof none), 0);
}

WITH_AMX void expectTile(const char *memory, int64_t stride, const char *what) {
  char found[16][64];
  _tile_stored(6, found, 64);
  for (int row = 0; row < 16; ++row)
    EXPECT_EQ(std::memcmp(found[row], memory + row * stride, 64), 0)
        << what << ", row " << row;
}

/// Loads tile 6 from the address in these registers and stores it by that form.
#define EXPECT_ADDRESS(BASE, INDEX, SCALE, DISPLACEMENT)                       \
  {                                                                            \
    std::vector<char> copy(bytes.size());                                      \
    asm volatile("mov %0, %%" BASE "\n\tmov %1, %%" INDEX "\n\t"               \
                 "tileloadd " #DISPLACEMENT "(%%" BASE ",%%" INDEX "," #SCALE  \
                 "), %%tmm6\n\tmov %2, %%" BASE "\n\t"                         \
                 "tilestored %%tmm6, " #DISPLACEMENT "(%%" BASE ",%%" INDEX    \
                 "," #SCALE ")" ::"r"(bytes.data() + 4096 - (DISPLACEMENT)),   \
                 "r"(stride / SCALE), "r"(copy.data() + 4096 - (DISPLACEMENT)) \
                 : BASE, INDEX, "memory");                                     \
    expectTile(bytes.data() + 4096, stride, BASE "," INDEX);                   \
    expectTile(copy.data() + 4096, stride, "stored: " BASE "," INDEX);         \
  }

TEST_F(Amx, findsMemory) {
  amx_config config{};
  config.palette = 1;
  config.rows[6] = 16;
  config.row_bytes[6] = 64;
  asm volatile("ldtilecfg %0" ::"m"(config));
  std::vector<char> bytes(16384);
  Numbers numbers{4};
  for (char &byte : bytes)
    byte = char(numbers.next() >> 24);
  for (int64_t stride : {64, 72, -128, 0}) {
    EXPECT_ADDRESS("rax", "rcx", 1, 0)
    EXPECT_ADDRESS("rdx", "rbx", 2, 16)
    EXPECT_ADDRESS("rsi", "rdi", 4, -128)
    EXPECT_ADDRESS("r8", "r9", 8, 4096)
    EXPECT_ADDRESS("r10", "r11", 1, 127)
    EXPECT_ADDRESS("r12", "r13", 1, 0)
    EXPECT_ADDRESS("r13", "r12", 1, 0)
    EXPECT_ADDRESS("r14", "r15", 8, -4096)
    EXPECT_ADDRESS("r15", "r14", 2, 1)
    EXPECT_ADDRESS("rdi", "r12", 1, 0x12345)
  }
  asm volatile("tileloadd (%0), %%tmm6" ::"r"(bytes.data()) : "memory");
  expectTile(bytes.data(), 0, "no index");
  constexpr intptr_t low = 0x20000000;
  if (mmap(reinterpret_cast<void *>(low), 4096, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
           0) != reinterpret_cast<void *>(low))
    GTEST_SKIP() << "no page at a low address";
  std::memcpy(reinterpret_cast<void *>(low), bytes.data(), 4096);
  asm volatile("tileloadd 0x20000000(,%0,2), %%tmm6" ::"r"(32L) : "memory");
  expectTile(bytes.data(), 64, "no base");
  asm volatile("tilerelease");
}

WITH_AMX Words afterConfiguring() {
  Words words(256, 1);
  amx_config config = configOf({16, 16, 16});
  _tile_loadconfig(&config);
  _tile_loadd(0, words.data(), 64);
  _tile_loadconfig(&config);
  _tile_stored(0, words.data(), 64);
  _tile_release();
  return words;
}

TEST_F(Amx, configuringClearsTiles) {
  EXPECT_EQ(afterConfiguring(), Words(256));
}

WITH_AMX bool keepsItsTiles(uint32_t seed) {
  amx_config config = configOf({int(seed % 16) + 1, 1, 16});
  _tile_loadconfig(&config);
  Numbers numbers{seed};
  bool kept = true;
  for (int round = 0; round < 200; ++round) {
    uint32_t words[16][16], found[16][16]{};
    for (auto &row : words)
      for (uint32_t &word : row)
        word = numbers.next();
    _tile_loadd(0, words, 64);
    std::this_thread::yield();
    _tile_stored(0, found, 64);
    kept &= std::memcmp(words, found, config.rows[0] * 64) == 0;
  }
  _tile_release();
  return kept;
}

TEST_F(Amx, givesEveryThreadItsTiles) {
  bool kept[3];
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < 3; ++i)
    threads.emplace_back([&kept, i] { kept[i] = keepsItsTiles(7 * i + 1); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_TRUE(kept[0] && kept[1] && kept[2]);
}

WITH_AMX void configure(amx_config config) { _tile_loadconfig(&config); }
WITH_AMX void zeroOf(amx_config config) {
  configure(config);
  _tile_zero(5);
}
WITH_AMX void productOf(amx_config config) {
  configure(config);
  _tile_dpbf16ps(0, 1, 2);
}
WITH_AMX void productWithItself(amx_config config) {
  configure(config);
  // Assemblers refuse tdpbf16ps of tmm0, tmm1, tmm1.
  asm volatile(".byte 0xc4, 0xe2, 0x72, 0x5c, 0xc1");
}

using AmxDeathTest = Amx;

TEST_F(AmxDeathTest, refusesConfigurations) {
  auto refused = testing::KilledBySignal(SIGSEGV);
  amx_config good = configOf({16, 16, 16}), bad = good;
  bad.palette = 2;
  EXPECT_EXIT(configure(bad), refused, "");
  bad = good;
  bad.row_bytes[3] = 65;
  bad.rows[3] = 1;
  EXPECT_EXIT(configure(bad), refused, "");
  bad = good;
  bad.rows[0] = 17;
  EXPECT_EXIT(configure(bad), refused, "");
  bad = good;
  bad.rows[0] = 0;
  EXPECT_EXIT(configure(bad), refused, "");
  bad = good;
  bad.reserved[13] = 1;
  EXPECT_EXIT(configure(bad), refused, "");
  bad = good;
  bad.rows[8] = bad.row_bytes[8] = 4;
  EXPECT_EXIT(configure(bad), refused, "");
}

TEST_F(AmxDeathTest, refusesProducts) {
  auto refused = testing::KilledBySignal(SIGILL);
  amx_config good = configOf({16, 16, 16}), bad = good;
  EXPECT_EXIT(zeroOf(good), refused, "");
  EXPECT_EXIT(productWithItself(good), refused, "");
  bad.rows[2] = 15;
  EXPECT_EXIT(productOf(bad), refused, "");
  bad = good;
  bad.rows[1] = 15;
  EXPECT_EXIT(productOf(bad), refused, "");
  bad = good;
  bad.row_bytes[2] = 32;
  EXPECT_EXIT(productOf(bad), refused, "");
  EXPECT_EXIT(productOf(amx_config{}), refused, "");
}

TEST_F(AmxDeathTest, leavesOtherInstructionsIllegal) {
  EXPECT_EXIT(asm volatile("ud2"), testing::KilledBySignal(SIGILL), "");
}

} // namespace
