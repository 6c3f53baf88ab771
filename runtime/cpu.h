/* Names of CPU features, and the floating-point state that kernels need. */
#ifndef TENON_RUNTIME_CPU_H
#define TENON_RUNTIME_CPU_H

#include <stdint.h>
#include <xmmintrin.h>

#include "text.h"

/* The tenon_cpu_feature bits that this host has, restricted to `mask`. A mask
 * of 0 means no restriction. */
uint64_t tenon_masked_features(uint64_t mask);

/* Adds the names of the bits in `features`, separated by commas. */
void tenon_cpu_add_names(tenon_text *text, uint64_t features);

/* The MXCSR value: round to nearest, all exceptions masked, no flush to zero.
 * */
#define TENON_MXCSR_DEFAULT 0x1f80u

/* Enters the floating-point state that kernels are compiled for. Returns the
 * host's state, for tenon_fp_leave. */
static inline unsigned tenon_fp_enter(void) {
  unsigned host = _mm_getcsr();
  if (host != TENON_MXCSR_DEFAULT)
    _mm_setcsr(TENON_MXCSR_DEFAULT);
  return host;
}

static inline void tenon_fp_leave(unsigned host) {
  if (_mm_getcsr() != host)
    _mm_setcsr(host);
}

#endif /* TENON_RUNTIME_CPU_H */
