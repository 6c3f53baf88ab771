/* CPU features from CPUID and XGETBV: a feature counts only when the processor
 * has it and the system saves its registers. */
#include "cpu.h"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tenon.h"

enum leaf { LEAF_1_C, LEAF_7_B, LEAF_7_C, LEAF_7_D, LEAF_71_A, LEAF_EXT_C };

/* What the system must save for a feature to be usable. */
enum state { STATE_NONE, STATE_AVX, STATE_AVX512, STATE_AMX };

static const struct {
  uint64_t bit;
  const char *name;
  unsigned char leaf, position, state;
} features[] = {
    {TENON_CPU_SSE42, "sse4.2", LEAF_1_C, 20, STATE_NONE},
    {TENON_CPU_AVX, "avx", LEAF_1_C, 28, STATE_AVX},
    {TENON_CPU_AVX2, "avx2", LEAF_7_B, 5, STATE_AVX},
    {TENON_CPU_FMA, "fma", LEAF_1_C, 12, STATE_AVX},
    {TENON_CPU_F16C, "f16c", LEAF_1_C, 29, STATE_AVX},
    {TENON_CPU_BMI2, "bmi2", LEAF_7_B, 8, STATE_NONE},
    {TENON_CPU_AVX512F, "avx512f", LEAF_7_B, 16, STATE_AVX512},
    {TENON_CPU_AVX512DQ, "avx512dq", LEAF_7_B, 17, STATE_AVX512},
    {TENON_CPU_AVX512BW, "avx512bw", LEAF_7_B, 30, STATE_AVX512},
    {TENON_CPU_AVX512VL, "avx512vl", LEAF_7_B, 31, STATE_AVX512},
    {TENON_CPU_AVX512CD, "avx512cd", LEAF_7_B, 28, STATE_AVX512},
    {TENON_CPU_AVX512VNNI, "avx512vnni", LEAF_7_C, 11, STATE_AVX512},
    {TENON_CPU_AVX512BF16, "avx512bf16", LEAF_71_A, 5, STATE_AVX512},
    {TENON_CPU_AVX512FP16, "avx512fp16", LEAF_7_D, 23, STATE_AVX512},
    {TENON_CPU_AMX_TILE, "amx-tile", LEAF_7_D, 24, STATE_AMX},
    {TENON_CPU_AMX_BF16, "amx-bf16", LEAF_7_D, 22, STATE_AMX},
    {TENON_CPU_AMX_INT8, "amx-int8", LEAF_7_D, 25, STATE_AMX},
    {TENON_CPU_LZCNT, "lzcnt", LEAF_EXT_C, 5, STATE_NONE},
    {TENON_CPU_MOVBE, "movbe", LEAF_1_C, 22, STATE_NONE},
    {TENON_CPU_AVX512VBMI, "avx512vbmi", LEAF_7_C, 1, STATE_AVX512},
    {TENON_CPU_AVX512VBMI2, "avx512vbmi2", LEAF_7_C, 6, STATE_AVX512},
    {TENON_CPU_AVX512IFMA, "avx512ifma", LEAF_7_B, 21, STATE_AVX512},
    {TENON_CPU_AVX512BITALG, "avx512bitalg", LEAF_7_C, 12, STATE_AVX512},
    {TENON_CPU_AVX512VPOPCNTDQ, "avx512vpopcntdq", LEAF_7_C, 14, STATE_AVX512},
    {TENON_CPU_BMI, "bmi", LEAF_7_B, 3, STATE_NONE},
    {TENON_CPU_GFNI, "gfni", LEAF_7_C, 8, STATE_NONE},
    {TENON_CPU_VAES, "vaes", LEAF_7_C, 9, STATE_AVX},
    {TENON_CPU_VPCLMULQDQ, "vpclmulqdq", LEAF_7_C, 10, STATE_AVX},
    {TENON_CPU_AVXVNNI, "avxvnni", LEAF_71_A, 4, STATE_AVX},
};

enum { NUM_FEATURES = sizeof features / sizeof features[0] };

static uint64_t enabled_state(unsigned leaf_1_c) {
  unsigned low, high;
  if (!(leaf_1_c & (1u << 27))) /* OSXSAVE */
    return 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t)high << 32 | low;
}

uint64_t tenon_cpu_detect(void) {
  static const uint64_t needed[] = {0, 0x6, 0xe6, 0x60000};
  unsigned words[6] = {0}, a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d))
    return 0;
  words[LEAF_1_C] = c;
  uint64_t enabled = enabled_state(c);
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
    unsigned last = a;
    words[LEAF_7_B] = b;
    words[LEAF_7_C] = c;
    words[LEAF_7_D] = d;
    if (last >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d))
      words[LEAF_71_A] = a;
  }
  if (__get_cpuid(0x80000001u, &a, &b, &c, &d))
    words[LEAF_EXT_C] = c;
  uint64_t found = 0;
  for (int i = 0; i < NUM_FEATURES; ++i) {
    uint64_t state = needed[features[i].state];
    if ((words[features[i].leaf] >> features[i].position & 1) &&
        (enabled & state) == state)
      found |= features[i].bit;
  }
  return found;
}

int tenon_cpu_request_amx(void) {
  enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };
  return syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
}

void tenon_cpu_add_names(tenon_text *text, uint64_t bits) {
  const char *separator = "";
  for (int i = 0; i < 64; ++i) {
    uint64_t bit = UINT64_C(1) << i;
    if (!(bits & bit))
      continue;
    const char *name = tenon_cpu_feature_name(bit);
    if (name)
      tenon_text_add(text, "%s%s", separator, name);
    else
      tenon_text_add(text, "%sbit %d", separator, i);
    separator = ", ";
  }
}

uint64_t tenon_host_cpu_features(void) { return tenon_cpu_detect(); }

const char *tenon_cpu_feature_name(uint64_t bit) {
  for (int i = 0; i < NUM_FEATURES; ++i)
    if (features[i].bit == bit)
      return features[i].name;
  return NULL;
}
