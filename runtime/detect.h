/* CPU features from CPUID and XGETBV. A feature counts only if the processor
 * has it and the operating system saves its registers. Used by the runtime, and
 * by models that choose their version without it. */
#ifndef TENON_RUNTIME_DETECT_H
#define TENON_RUNTIME_DETECT_H

#include <cpuid.h>

#include "tenon_abi.h"

/* FEATURE(name in tenon_abi.h, printed name, CPUID register, bit in that
 * register, register state that the system must save) */
#define TENON_CPU_FEATURES(FEATURE)                                            \
  FEATURE(SSE42, "sse4.2", 1_C, 20, NONE)                                      \
  FEATURE(AVX, "avx", 1_C, 28, AVX)                                            \
  FEATURE(AVX2, "avx2", 7_B, 5, AVX)                                           \
  FEATURE(FMA, "fma", 1_C, 12, AVX)                                            \
  FEATURE(F16C, "f16c", 1_C, 29, AVX)                                          \
  FEATURE(BMI2, "bmi2", 7_B, 8, NONE)                                          \
  FEATURE(AVX512F, "avx512f", 7_B, 16, AVX512)                                 \
  FEATURE(AVX512DQ, "avx512dq", 7_B, 17, AVX512)                               \
  FEATURE(AVX512BW, "avx512bw", 7_B, 30, AVX512)                               \
  FEATURE(AVX512VL, "avx512vl", 7_B, 31, AVX512)                               \
  FEATURE(AVX512CD, "avx512cd", 7_B, 28, AVX512)                               \
  FEATURE(AVX512VNNI, "avx512vnni", 7_C, 11, AVX512)                           \
  FEATURE(AVX512BF16, "avx512bf16", 71_A, 5, AVX512)                           \
  FEATURE(AVX512FP16, "avx512fp16", 7_D, 23, AVX512)                           \
  FEATURE(AMX_TILE, "amx-tile", 7_D, 24, AMX)                                  \
  FEATURE(AMX_BF16, "amx-bf16", 7_D, 22, AMX)                                  \
  FEATURE(AMX_INT8, "amx-int8", 7_D, 25, AMX)                                  \
  FEATURE(LZCNT, "lzcnt", EXT_C, 5, NONE)                                      \
  FEATURE(MOVBE, "movbe", 1_C, 22, NONE)                                       \
  FEATURE(AVX512VBMI, "avx512vbmi", 7_C, 1, AVX512)                            \
  FEATURE(AVX512VBMI2, "avx512vbmi2", 7_C, 6, AVX512)                          \
  FEATURE(AVX512IFMA, "avx512ifma", 7_B, 21, AVX512)                           \
  FEATURE(AVX512BITALG, "avx512bitalg", 7_C, 12, AVX512)                       \
  FEATURE(AVX512VPOPCNTDQ, "avx512vpopcntdq", 7_C, 14, AVX512)                 \
  FEATURE(BMI, "bmi", 7_B, 3, NONE)                                            \
  FEATURE(GFNI, "gfni", 7_C, 8, NONE)                                          \
  FEATURE(VAES, "vaes", 7_C, 9, AVX)                                           \
  FEATURE(VPCLMULQDQ, "vpclmulqdq", 7_C, 10, AVX)                              \
  FEATURE(AVXVNNI, "avxvnni", 71_A, 4, AVX)

/* The CPUID output registers that are read, as leaf and register. */
enum {
  TENON_CPUID_1_C,
  TENON_CPUID_7_B,
  TENON_CPUID_7_C,
  TENON_CPUID_7_D,
  TENON_CPUID_71_A,
  TENON_CPUID_EXT_C
};

/* The XCR0 bits of register state that the system must save. */
enum {
  TENON_SAVED_NONE = 0,
  TENON_SAVED_AVX = 0x6,
  TENON_SAVED_AVX512 = 0xe6,
  TENON_SAVED_AMX = 0x60000
};

#define TENON_CPU_TILES                                                        \
  (TENON_CPU_AMX_TILE | TENON_CPU_AMX_BF16 | TENON_CPU_AMX_INT8)

static inline uint64_t tenon_saved_registers(unsigned leaf_1_c) {
  unsigned low, high;
  if (!(leaf_1_c & (1u << 27))) /* OSXSAVE */
    return 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t)high << 32 | low;
}

/* The tenon_cpu_feature bits that both processor and system support. */
static inline uint64_t tenon_detect_features(void) {
#define ROW(feature, name, leaf, position, saved)                              \
  {TENON_SAVED_##saved, TENON_CPU_##feature, TENON_CPUID_##leaf, position},
  static const struct {
    uint32_t saved;
    uint64_t feature;
    uint8_t leaf, position;
  } rows[] = {TENON_CPU_FEATURES(ROW)};
#undef ROW
  unsigned words[6] = {0}, a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d))
    return 0;
  words[TENON_CPUID_1_C] = c;
  uint64_t saved = tenon_saved_registers(c);
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
    unsigned last = a;
    words[TENON_CPUID_7_B] = b;
    words[TENON_CPUID_7_C] = c;
    words[TENON_CPUID_7_D] = d;
    if (last >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d))
      words[TENON_CPUID_71_A] = a;
  }
  if (__get_cpuid(0x80000001u, &a, &b, &c, &d))
    words[TENON_CPUID_EXT_C] = c;
  uint64_t found = 0;
  for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; ++i)
    if ((words[rows[i].leaf] >> rows[i].position & 1) &&
        (saved & rows[i].saved) == rows[i].saved)
      found |= rows[i].feature;
  return found;
}

/* Asks the system for permission to use AMX tiles; nonzero if it is granted. */
static inline int tenon_request_tiles(void) {
  enum { ARCH_PRCTL = 158, REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(ARCH_PRCTL), "D"(REQUEST_PERMISSION), "S"(TILE_DATA)
                   : "rcx", "r11", "memory");
  return result == 0;
}

/* True if code with the CPU features `needed` runs on a CPU with `host`. */
static inline int tenon_can_run(uint64_t needed, uint64_t host) {
  return (needed & ~host) == 0 &&
         (!(needed & TENON_CPU_TILES) || tenon_request_tiles());
}

/* The first of the versions for CPUs alone that runs on a CPU with the features
 * `host`, counted from 1; 0 if there is none. */
static inline int32_t tenon_first_version(const tenon_version_desc *versions,
                                          int32_t count, uint64_t host) {
  for (int32_t i = 0; i < count; ++i)
    if (!versions[i].device && tenon_can_run(versions[i].cpu_features, host))
      return i + 1;
  return 0;
}

#endif /* TENON_RUNTIME_DETECT_H */
