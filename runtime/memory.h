/* Memory that is kept from run to run. A region grows when a run needs more;
 * growing loses its contents. Large regions are aligned to 2 MiB and ask for
 * huge pages. */
#ifndef TENON_RUNTIME_MEMORY_H
#define TENON_RUNTIME_MEMORY_H

#include <stdint.h>

typedef struct tenon_region {
  void *data;     /* aligned to TENON_ARENA_ALIGNMENT */
  uint64_t bytes; /* bytes that may be used */
  void *mapping;  /* the mapping to release; null if from malloc */
  uint64_t mapped;
} tenon_region;

/* Makes at least `bytes` bytes usable. Returns 0, or an errno with the region
 * left empty. */
int tenon_region_reserve(tenon_region *region, uint64_t bytes);

/* As tenon_region_reserve, for memory of which little may be used: the system
 * gives a page when it is first touched. */
int tenon_region_reserve_lazily(tenon_region *region, uint64_t bytes);

/* Makes the first `bytes` bytes of the region zero. A large region gives its
 * pages back to the system. */
void tenon_region_clear(tenon_region *region, uint64_t bytes);

void tenon_region_free(tenon_region *region);

#endif /* TENON_RUNTIME_MEMORY_H */
