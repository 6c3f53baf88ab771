/* Reserves memory regions. Afterwards a region has at least the requested
 * bytes, or it is empty and the request has failed. */
#include "memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tenon_abi.h"

#define PAGE UINT64_C(4096)
#define HUGE_PAGE (UINT64_C(2) << 20)
#define LARGEST (UINT64_C(1) << 47) /* user addresses end here */

/* The last pages are small: a huge page there would be half empty. */
static int map_large(tenon_region *region, uint64_t usable) {
  uint64_t mapped = usable + HUGE_PAGE;
  void *mapping = mmap(NULL, mapped, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED)
    return errno;
  uintptr_t start = ((uintptr_t)mapping + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
  region->mapping = mapping;
  region->mapped = mapped;
  region->data = (void *)start;
  region->bytes = usable;
  (void)madvise(region->data, usable, MADV_HUGEPAGE); /* a hint only */
  return 0;
}

int tenon_region_reserve(tenon_region *region, uint64_t bytes) {
  if (bytes <= region->bytes)
    return 0;
  tenon_region_free(region);
  if (bytes > LARGEST)
    return ENOMEM;
  uint64_t usable = (bytes + PAGE - 1) & ~(PAGE - 1);
  if (bytes >= HUGE_PAGE)
    return map_large(region, usable);
  region->data = aligned_alloc(TENON_ARENA_ALIGNMENT, usable);
  if (!region->data)
    return ENOMEM;
  region->bytes = usable;
  return 0;
}

int tenon_region_reserve_lazily(tenon_region *region, uint64_t bytes) {
  if (bytes < HUGE_PAGE || bytes <= region->bytes)
    return tenon_region_reserve(region, bytes);
  tenon_region_free(region);
  if (bytes > LARGEST)
    return ENOMEM;
  uint64_t usable = (bytes + PAGE - 1) & ~(PAGE - 1);
  void *mapping = mmap(NULL, usable, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED)
    return errno;
  *region = (tenon_region){mapping, usable, mapping, usable};
  return 0;
}

void tenon_region_clear(tenon_region *region, uint64_t bytes) {
  if (bytes == 0)
    return;
  /* Locked pages cannot be given back. */
  if (!region->mapping ||
      madvise(region->data, region->bytes, MADV_DONTNEED) != 0)
    memset(region->data, 0, bytes);
}

void tenon_region_free(tenon_region *region) {
  if (region->mapping)
    munmap(region->mapping, region->mapped);
  else
    free(region->data);
  *region = (tenon_region){0};
}
