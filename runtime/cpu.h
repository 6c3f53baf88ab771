/* Names of what the processor can do, and the floating-point state kernels run
 * under. */
#ifndef TENON_RUNTIME_CPU_H
#define TENON_RUNTIME_CPU_H

#include <stdint.h>
#include <xmmintrin.h>

#include "text.h"

/* Bits of tenon_cpu_feature that this host has, as far as they are in `mask`;
 * 0: all of them. */
uint64_t tenon_masked_features(uint64_t mask);

/* Adds the names of the bits in `features`, comma-separated. */
void tenon_cpu_add_names(tenon_text *text, uint64_t features);

/* Round to nearest, every exception masked, no flushing to zero. */
#define TENON_MXCSR_DEFAULT 0x1f80u

/* Enters the state kernels are compiled for; gives back the host's. */
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
