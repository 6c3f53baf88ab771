/* The version of a model that a call runs. The runtime passes it with the call.
 * A caller without the runtime leaves it 0; then the CPU's features decide, and
 * the result is cached. A device version needs the runtime. */
#include "../detect.h"
#include "core.h"

/* The features that the last version for CPUs needs; if there is none, those of
 * the last version. */
static uint64_t least_features(const tenon_version_desc *versions,
                               int32_t count) {
  for (int32_t i = count - 1; i >= 0; --i)
    if (!versions[i].device)
      return versions[i].cpu_features;
  return versions[count - 1].cpu_features;
}

int32_t tenon_core_version(tenon_call *call, const tenon_version_desc *versions,
                           int32_t count) {
  /* A race is harmless: every thread finds the same version. */
  static int32_t found;
  if (call->version > 0 && call->version <= count)
    return call->version;
  int32_t version = __atomic_load_n(&found, __ATOMIC_RELAXED);
  if (version == 0) {
    uint64_t host = tenon_detect_features();
    version = tenon_first_version(versions, count, host);
    if (version == 0) {
      int64_t least = (int64_t)least_features(versions, count);
      tenon_core_fault(call, TENON_FAULT_CPU, -1, (int64_t)host, least, least);
      return 0;
    }
    __atomic_store_n(&found, version, __ATOMIC_RELAXED);
  }
  call->version = version;
  return version;
}
