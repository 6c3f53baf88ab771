/* The fault of a run. Several threads may report one at once; only the first
 * that claims the fault writes it. */
#include "core.h"

void tenon_core_fault(tenon_call *call, int32_t code, int32_t site,
                      int64_t found, int64_t low, int64_t high) {
  int32_t none = TENON_FAULT_NONE;
  if (!__atomic_compare_exchange_n(&call->fault.code, &none, code, 0,
                                   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    return;
  call->fault.site = site;
  call->fault.found = found;
  call->fault.low = low;
  call->fault.high = high;
}
