/* Opens the NVIDIA driver and names its errors. The library stays in memory
 * once it is loaded: it has threads of its own. */
#include "nvidia_driver.h"

#include <dlfcn.h>
#include <string.h>

/* CUDA 11.0, the first that knows sm_80 and has all functions used here. */
enum { LEAST_VERSION = 11000, LEAST_FOR_GRAPHS = 11040 };

#define UPDATE "\nhelp: install a newer NVIDIA driver"

static int find_functions(tenon_nvidia_driver *driver, const char **missing) {
  *missing = NULL;
  driver->has_graphs = 1;
#define FIND(name, symbol, parameters)                                         \
  *(void **)&driver->name = dlsym(driver->library, symbol);                    \
  if (!driver->name && !*missing)                                              \
    *missing = symbol;
  NV_FUNCTIONS(FIND)
#undef FIND
#define FIND(name, symbol, parameters)                                         \
  *(void **)&driver->name = dlsym(driver->library, symbol);                    \
  driver->has_graphs &= driver->name != NULL;
  NV_GRAPH_FUNCTIONS(FIND)
#undef FIND
  return *missing == NULL;
}

void tenon_nvidia_add_error(const tenon_nvidia_driver *driver, tenon_text *text,
                            const char *function, nv_result result) {
  const char *name = NULL, *meaning = NULL;
  tenon_text_add(text, "%s failed: ", function);
  if (driver->cuGetErrorName(result, &name) == NV_SUCCESS && name)
    tenon_text_add_name(text, name);
  else
    tenon_text_add(text, "CUDA error %d", (int)result);
  if (driver->cuGetErrorString(result, &meaning) == NV_SUCCESS && meaning) {
    tenon_text_add(text, " (");
    tenon_text_add_name(text, meaning);
    tenon_text_add(text, ")");
  }
}

int tenon_nvidia_sticks(nv_result result) {
  switch (result) {
  case NV_ECC_UNCORRECTABLE:
  case NV_NVLINK_UNCORRECTABLE:
  case NV_ILLEGAL_ADDRESS:
  case NV_LAUNCH_TIMEOUT:
  case NV_CONTEXT_IS_DESTROYED:
  case NV_ASSERT:
  case NV_UNKNOWN:
    return 1;
  default: /* illegal instructions, misaligned addresses and such */
    return result >= NV_HARDWARE_STACK_ERROR && result <= NV_LAUNCH_FAILED;
  }
}

/* The version is asked for first: an old driver may not initialize at all. */
static tenon_status initialize(tenon_nvidia_driver *driver, tenon_text *text) {
  int version = 0, count = 0;
  const char *function = "cuDriverGetVersion";
  nv_result result = driver->cuDriverGetVersion(&version);
  if (result == NV_SUCCESS && version < LEAST_VERSION) {
    tenon_text_add(text,
                   "the NVIDIA driver is for CUDA %d.%d, but %d.%d or later is "
                   "needed" UPDATE,
                   version / 1000, version % 1000 / 10, LEAST_VERSION / 1000,
                   LEAST_VERSION % 1000 / 10);
    return TENON_NO_DEVICE;
  }
  driver->has_graphs &= version >= LEAST_FOR_GRAPHS;
  if (result == NV_SUCCESS) {
    function = "cuInit";
    result = driver->cuInit(0);
  }
  if (result == NV_SUCCESS) {
    function = "cuDeviceGetCount";
    result = driver->cuDeviceGetCount(&count);
  }
  if (result == NV_NO_DEVICE || (result == NV_SUCCESS && count == 0)) {
    tenon_text_add(text, "the NVIDIA driver finds no GPU\nhelp: see what "
                         "`nvidia-smi` and CUDA_VISIBLE_DEVICES say");
    return TENON_NO_DEVICE;
  }
  if (result == NV_SUCCESS)
    return TENON_OK;
  tenon_text_add(text, "the NVIDIA driver does not start: ");
  tenon_nvidia_add_error(driver, text, function, result);
  tenon_text_add(text, "\nhelp: see what `nvidia-smi` says");
  return result == NV_OUT_OF_MEMORY ? TENON_LIMIT : TENON_NO_DEVICE;
}

tenon_status tenon_nvidia_load(tenon_nvidia_driver *driver, tenon_text *text) {
  const char *missing;
  driver->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NODELETE);
  if (!driver->library) {
    tenon_text_add(text, "there is no NVIDIA driver: ");
    tenon_text_add_name(text, dlerror());
    tenon_text_add(text, "\nhelp: install the driver, which has libcuda.so.1");
    return TENON_NO_DEVICE;
  }
  tenon_status status = TENON_NO_DEVICE;
  if (find_functions(driver, &missing))
    status = initialize(driver, text);
  else
    tenon_text_add(text, "the NVIDIA driver is too old: it has no %s" UPDATE,
                   missing);
  if (status != TENON_OK)
    tenon_nvidia_unload(driver);
  return status;
}

void tenon_nvidia_unload(tenon_nvidia_driver *driver) {
  if (driver->library)
    dlclose(driver->library);
  memset(driver, 0, sizeof *driver);
}
