/* Opens a device for a model: the best image of its kernels is loaded and the
 * weights are copied. What fails names the driver's function, its error and
 * what to do. */
#include "nvidia.h"

#include <stdlib.h>
#include <string.h>

#define NO_MEMORY_HELP                                                         \
  "\nhelp: use smaller inputs or context extents, or free memory of the "      \
  "device"
#define LOST_HELP                                                              \
  "\nhelp: this process cannot use the device again; start a new process"
#define OTHER_HELP                                                             \
  "\nhelp: see what `nvidia-smi` and the system's log say of the device"
#define DRIVER_HELP "\nhelp: install a newer NVIDIA driver"
#define BUILD_HELP "\nhelp: compile the model again"

static tenon_status status_of(const tenon_gpu *gpu, nv_result result) {
  switch (result) {
  case NV_SUCCESS:
    return TENON_OK;
  case NV_OUT_OF_MEMORY:
    return TENON_LIMIT;
  case NV_INVALID_IMAGE:
  case NV_INVALID_PTX:
  case NV_NOT_FOUND:
    return TENON_BAD_ARTIFACT;
  case NV_NO_BINARY_FOR_GPU:
  case NV_UNSUPPORTED_PTX_VERSION:
  case NV_JIT_COMPILER_NOT_FOUND:
  case NV_JIT_COMPILATION_DISABLED:
    return TENON_NO_DEVICE;
  default:
    return gpu->context ? TENON_FAILED : TENON_NO_DEVICE;
  }
}

static const char *help_for(tenon_status status, nv_result result) {
  if (tenon_nvidia_sticks(result))
    return LOST_HELP;
  if (status == TENON_LIMIT)
    return NO_MEMORY_HELP;
  if (status == TENON_BAD_ARTIFACT)
    return BUILD_HELP;
  return result == NV_UNSUPPORTED_PTX_VERSION ? DRIVER_HELP : OTHER_HELP;
}

tenon_status tenon_gpu_check(tenon_gpu *gpu, tenon_text *text,
                             const char *function, const char *what,
                             nv_result result) {
  if (result == NV_SUCCESS)
    return TENON_OK;
  if (tenon_nvidia_sticks(result))
    atomic_store(&gpu->lost, result);
  tenon_status status = status_of(gpu, result);
  if (!text)
    return status;
  tenon_text_add(text, "NVIDIA GPU %d: ", gpu->ordinal);
  tenon_text_add_name(text, what);
  tenon_text_add(text, ": ");
  tenon_nvidia_add_error(&gpu->driver, text, function, result);
  tenon_text_add(text, "%s", help_for(status, result));
  return status;
}

tenon_status tenon_gpu_enter(tenon_gpu *gpu, tenon_text *text) {
  nv_result lost = atomic_load(&gpu->lost);
  if (lost == NV_SUCCESS)
    return TENON_GPU_CALL(gpu, text, "the context", cuCtxPushCurrent,
                          gpu->context);
  tenon_text_add(text, "NVIDIA GPU %d is lost: an earlier call of ",
                 gpu->ordinal);
  tenon_nvidia_add_error(&gpu->driver, text, "the driver", lost);
  tenon_text_add(text, LOST_HELP);
  return TENON_FAILED;
}

/* A second try, because all memory would be lost without the context. */
int tenon_gpu_enter_to_free(tenon_gpu *gpu) {
  return gpu->context &&
         (gpu->driver.cuCtxPushCurrent(gpu->context) == NV_SUCCESS ||
          gpu->driver.cuCtxPushCurrent(gpu->context) == NV_SUCCESS);
}

void tenon_gpu_leave(tenon_gpu *gpu) {
  (void)gpu->driver.cuCtxPopCurrent(NULL);
}

static tenon_status find_device(tenon_gpu *gpu, tenon_text *text) {
  int count = 0, major = 0, minor = 0;
  tenon_status status =
      TENON_GPU_CALL(gpu, text, "the devices", cuDeviceGetCount, &count);
  if (status == TENON_OK && gpu->ordinal >= count) {
    tenon_text_add(text, "there is no NVIDIA GPU %d: the driver has %d",
                   gpu->ordinal, count);
    return TENON_NO_DEVICE;
  }
  if (status == TENON_OK)
    status = TENON_GPU_CALL(gpu, text, "the device", cuDeviceGet, &gpu->device,
                            gpu->ordinal);
  if (status == TENON_OK)
    status = TENON_GPU_CALL(gpu, text, "its name", cuDeviceGetName, gpu->name,
                            TENON_GPU_NAME, gpu->device);
  struct {
    int attribute;
    int *value;
  } attributes[] = {{NV_COMPUTE_CAPABILITY_MAJOR, &major},
                    {NV_COMPUTE_CAPABILITY_MINOR, &minor},
                    {NV_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &gpu->shared_bytes}};
  for (size_t i = 0;
       status == TENON_OK && i < sizeof attributes / sizeof *attributes; ++i)
    status = TENON_GPU_CALL(gpu, text, "its attributes", cuDeviceGetAttribute,
                            attributes[i].value, attributes[i].attribute,
                            gpu->device);
  gpu->capability = 10 * major + minor;
  return status;
}

static tenon_status no_image(const tenon_gpu *gpu, tenon_text *text) {
  tenon_text_add(text, "NVIDIA GPU %d (", gpu->ordinal);
  tenon_text_add_name(text, gpu->name);
  tenon_text_add(text, ") is sm_%d; the artifact has code for ",
                 gpu->capability);
  for (int32_t i = 0; i < gpu->desc->num_images; ++i) {
    const tenon_image_desc *image = &gpu->desc->images[i];
    tenon_text_add(text, i ? ", " : "");
    tenon_text_add_name(text, image->architecture);
    tenon_text_add(text, image->kind == TENON_IMAGE_PTX ? " and later"
                                                        : " as a cubin");
  }
  tenon_text_add(text, "\nhelp: compile the model for sm_%d", gpu->capability);
  return TENON_NO_DEVICE;
}

/* Adds the first line of the compiler's log as a fact. */
static void add_log(tenon_text *text, char *log) {
  log[strcspn(log, "\n")] = 0;
  if (!*log)
    return;
  tenon_text_add(text, "\n");
  tenon_text_add_name(text, log);
}

/* True if the driver does not know this machine code: it is older than the
 * assembler, or the device is of another family. */
static int is_strange(nv_result result) {
  return result == NV_INVALID_IMAGE || result == NV_NO_BINARY_FOR_GPU;
}

/* Loads machine code, which takes no time. If there is none that the driver
 * knows, the driver compiles the text. */
static tenon_status load_module(tenon_gpu *gpu, tenon_text *text) {
  const tenon_image_desc *image =
      tenon_choose_image(gpu->desc, gpu->capability, TENON_IMAGE_CUBIN);
  const tenon_image_desc *source =
      tenon_choose_image(gpu->desc, gpu->capability, TENON_IMAGE_PTX);
  if (image) {
    nv_result result = gpu->driver.cuModuleLoadDataEx(&gpu->module, image->data,
                                                      0, NULL, NULL);
    if (!source || !is_strange(result))
      return tenon_gpu_check(gpu, text, "cuModuleLoadDataEx", "the kernels",
                             result);
  }
  if (!source)
    return no_image(gpu, text);
  char log[512] = "";
  int options[] = {NV_JIT_ERROR_LOG_BUFFER, NV_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)(uintptr_t)sizeof log};
  tenon_status status = TENON_GPU_CALL(
      gpu, text, "the kernels", cuModuleLoadDataEx, &gpu->module, source->data,
      sizeof options / sizeof *options, options, values);
  if (status != TENON_OK)
    add_log(text, log);
  return status;
}

static tenon_status find_kernel(tenon_gpu *gpu, int32_t kernel,
                                tenon_text *text) {
  enum { SHARED_WITHOUT_ASKING = 48 << 10 };
  const tenon_device_kernel_desc *desc = &gpu->desc->kernels[kernel];
  tenon_status status =
      TENON_GPU_CALL(gpu, text, desc->name, cuModuleGetFunction,
                     &gpu->kernels[kernel], gpu->module, desc->name);
  if (status != TENON_OK || desc->shared_bytes <= SHARED_WITHOUT_ASKING)
    return status;
  if (desc->shared_bytes > gpu->shared_bytes) {
    tenon_text_add(text, "NVIDIA GPU %d: kernel ", gpu->ordinal);
    tenon_text_add_name(text, desc->name);
    tenon_text_add(text,
                   " needs %d bytes of shared memory, the device has %d"
                   "\nhelp: compile the model for sm_%d",
                   desc->shared_bytes, gpu->shared_bytes, gpu->capability);
    return TENON_NO_DEVICE;
  }
  if (status == TENON_OK)
    status = TENON_GPU_CALL(
        gpu, text, desc->name, cuFuncSetAttribute, gpu->kernels[kernel],
        NV_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, desc->shared_bytes);
  return status;
}

static tenon_status open_device(tenon_gpu *gpu, tenon_text *text) {
  gpu->kernels =
      calloc((size_t)gpu->desc->num_kernels + 1, sizeof *gpu->kernels);
  if (!gpu->kernels) {
    tenon_text_add(text, "out of memory");
    return TENON_LIMIT;
  }
  tenon_status status = tenon_nvidia_load(&gpu->driver, text);
  if (status == TENON_OK)
    status = find_device(gpu, text);
  nv_context context = NULL;
  if (status == TENON_OK)
    status = TENON_GPU_CALL(gpu, text, "the context", cuDevicePrimaryCtxRetain,
                            &context, gpu->device);
  if (status != TENON_OK)
    return status;
  gpu->context = context;
  status = tenon_gpu_enter(gpu, text);
  if (status != TENON_OK)
    return status;
  status = load_module(gpu, text);
  for (int32_t i = 0; status == TENON_OK && i < gpu->desc->num_kernels; ++i)
    status = find_kernel(gpu, i, text);
  tenon_gpu_leave(gpu);
  return status;
}

tenon_status tenon_gpu_open(tenon_gpu **result, const tenon_device_desc *desc,
                            int32_t ordinal, tenon_text *text) {
  *result = NULL;
  tenon_gpu *gpu = calloc(1, sizeof *gpu);
  if (!gpu) {
    tenon_text_add(text, "out of memory");
    return TENON_LIMIT;
  }
  gpu->desc = desc;
  gpu->ordinal = ordinal;
  tenon_status status = open_device(gpu, text);
  if (status != TENON_OK) {
    tenon_gpu_close(gpu);
    return status;
  }
  *result = gpu;
  return TENON_OK;
}

tenon_status tenon_gpu_upload(tenon_gpu *gpu, const void *weights,
                              uint64_t bytes, tenon_text *text) {
  if (bytes == 0)
    return TENON_OK;
  tenon_status status = tenon_gpu_enter(gpu, text);
  if (status != TENON_OK)
    return status;
  tenon_gpu_region region = {0};
  status = tenon_gpu_reserve(gpu, &region, bytes, "the weights", text);
  gpu->weights = region.address;
  if (status == TENON_OK)
    status = TENON_GPU_CALL(gpu, text, "the weights", cuMemcpyHtoDAsync,
                            gpu->weights, weights, bytes, NULL);
  if (status == TENON_OK)
    status =
        TENON_GPU_CALL(gpu, text, "the weights", cuStreamSynchronize, NULL);
  tenon_gpu_leave(gpu);
  return status;
}

void tenon_gpu_close(tenon_gpu *gpu) {
  if (!gpu)
    return;
  const tenon_nvidia_driver *driver = &gpu->driver;
  if (tenon_gpu_enter_to_free(gpu)) {
    if (gpu->weights)
      (void)driver->cuMemFree(gpu->weights);
    if (gpu->module)
      (void)driver->cuModuleUnload(gpu->module);
    tenon_gpu_leave(gpu);
  }
  if (gpu->context)
    (void)driver->cuDevicePrimaryCtxRelease(gpu->device);
  tenon_nvidia_unload(&gpu->driver);
  free(gpu->kernels);
  free(gpu);
}
