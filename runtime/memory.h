/* Memory that is kept from run to run: it grows when a run needs more and its
 * contents are not kept when it does. Large regions sit on 2 MiB boundaries and
 * ask for huge pages. */
#ifndef TENON_RUNTIME_MEMORY_H
#define TENON_RUNTIME_MEMORY_H

#include <stdint.h>

typedef struct tenon_region {
  void *data;     /* aligned to TENON_ARENA_ALIGNMENT */
  uint64_t bytes; /* what may be used */
  void *mapping;  /* null: from malloc */
  uint64_t mapped;
} tenon_region;

/* Makes `bytes` bytes usable; 0, or an errno and an empty region. */
int tenon_region_reserve(tenon_region *region, uint64_t bytes);

void tenon_region_free(tenon_region *region);

#endif /* TENON_RUNTIME_MEMORY_H */
