/* The NVIDIA driver, opened when a model asks for a device. Nothing links with
 * it, and no header of a toolkit is needed: the types and functions that the
 * runtime uses are declared here, as cuda.h declares them. */
#ifndef TENON_RUNTIME_NVIDIA_DRIVER_H
#define TENON_RUNTIME_NVIDIA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "tenon.h"
#include "text.h"

typedef int32_t nv_result; /* CUresult */
typedef int32_t nv_device; /* CUdevice */
typedef uint64_t nv_pointer;
typedef struct CUctx_st *nv_context;
typedef struct CUmod_st *nv_module;
typedef struct CUfunc_st *nv_function;
typedef struct CUstream_st *nv_stream;
typedef struct CUevent_st *nv_event;

/* The results that the runtime tells apart. */
enum {
  NV_SUCCESS = 0,
  NV_INVALID_VALUE = 1,
  NV_OUT_OF_MEMORY = 2,
  NV_NO_DEVICE = 100,
  NV_INVALID_IMAGE = 200,
  NV_NO_BINARY_FOR_GPU = 209,
  NV_ECC_UNCORRECTABLE = 214,
  NV_INVALID_PTX = 218,
  NV_NVLINK_UNCORRECTABLE = 220,
  NV_JIT_COMPILER_NOT_FOUND = 221,
  NV_UNSUPPORTED_PTX_VERSION = 222,
  NV_JIT_COMPILATION_DISABLED = 223,
  NV_NOT_FOUND = 500,
  NV_ILLEGAL_ADDRESS = 700,
  NV_LAUNCH_TIMEOUT = 702,
  NV_CONTEXT_IS_DESTROYED = 709,
  NV_ASSERT = 710,
  NV_HARDWARE_STACK_ERROR = 714,
  NV_LAUNCH_FAILED = 719,
  NV_UNKNOWN = 999
};

/* Attributes and options, with the values of cuda.h. */
enum {
  NV_COMPUTE_CAPABILITY_MAJOR = 75,
  NV_COMPUTE_CAPABILITY_MINOR = 76,
  NV_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
  NV_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  NV_JIT_ERROR_LOG_BUFFER = 5,
  NV_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
  NV_POINTER_DEVICE_ORDINAL = 9,
  NV_EVENT_DISABLE_TIMING = 2
};

/* CALL(name, symbol, parameters) for each function. */
#define NV_FUNCTIONS(CALL)                                                     \
  CALL(cuInit, "cuInit", (unsigned flags))                                     \
  CALL(cuDriverGetVersion, "cuDriverGetVersion", (int *version))               \
  CALL(cuGetErrorName, "cuGetErrorName", (nv_result error, const char **name)) \
  CALL(cuGetErrorString, "cuGetErrorString",                                   \
       (nv_result error, const char **text))                                   \
  CALL(cuDeviceGetCount, "cuDeviceGetCount", (int *count))                     \
  CALL(cuDeviceGet, "cuDeviceGet", (nv_device * device, int ordinal))          \
  CALL(cuDeviceGetName, "cuDeviceGetName",                                     \
       (char *name, int length, nv_device device))                             \
  CALL(cuDeviceGetAttribute, "cuDeviceGetAttribute",                           \
       (int *value, int attribute, nv_device device))                          \
  CALL(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain",                   \
       (nv_context * context, nv_device device))                               \
  CALL(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2",              \
       (nv_device device))                                                     \
  CALL(cuCtxPushCurrent, "cuCtxPushCurrent_v2", (nv_context context))          \
  CALL(cuCtxPopCurrent, "cuCtxPopCurrent_v2", (nv_context * context))          \
  CALL(cuModuleLoadDataEx, "cuModuleLoadDataEx",                               \
       (nv_module * module, const void *image, unsigned count, int *options,   \
        void **values))                                                        \
  CALL(cuModuleUnload, "cuModuleUnload", (nv_module module))                   \
  CALL(cuModuleGetFunction, "cuModuleGetFunction",                             \
       (nv_function * function, nv_module module, const char *name))           \
  CALL(cuFuncSetAttribute, "cuFuncSetAttribute",                               \
       (nv_function function, int attribute, int value))                       \
  CALL(cuPointerGetAttribute, "cuPointerGetAttribute",                         \
       (void *value, int attribute, nv_pointer pointer))                       \
  CALL(cuMemGetInfo, "cuMemGetInfo_v2", (size_t *available, size_t *total))    \
  CALL(cuMemAlloc, "cuMemAlloc_v2", (nv_pointer * address, size_t bytes))      \
  CALL(cuMemFree, "cuMemFree_v2", (nv_pointer address))                        \
  CALL(cuMemAllocHost, "cuMemAllocHost_v2", (void **memory, size_t bytes))     \
  CALL(cuMemFreeHost, "cuMemFreeHost", (void *memory))                         \
  CALL(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2",                              \
       (nv_pointer to, const void *from, size_t bytes, nv_stream stream))      \
  CALL(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2",                              \
       (void *to, nv_pointer from, size_t bytes, nv_stream stream))            \
  CALL(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2",                              \
       (nv_pointer to, nv_pointer from, size_t bytes, nv_stream stream))       \
  CALL(cuMemsetD8Async, "cuMemsetD8Async",                                     \
       (nv_pointer to, unsigned char value, size_t count, nv_stream stream))   \
  CALL(cuMemsetD32Async, "cuMemsetD32Async",                                   \
       (nv_pointer to, unsigned value, size_t count, nv_stream stream))        \
  CALL(cuStreamCreate, "cuStreamCreate", (nv_stream * stream, unsigned flags)) \
  CALL(cuStreamDestroy, "cuStreamDestroy_v2", (nv_stream stream))              \
  CALL(cuStreamSynchronize, "cuStreamSynchronize", (nv_stream stream))         \
  CALL(cuEventCreate, "cuEventCreate", (nv_event * event, unsigned flags))     \
  CALL(cuEventDestroy, "cuEventDestroy_v2", (nv_event event))                  \
  CALL(cuEventRecord, "cuEventRecord", (nv_event event, nv_stream stream))     \
  CALL(cuEventSynchronize, "cuEventSynchronize", (nv_event event))             \
  CALL(cuLaunchKernel, "cuLaunchKernel",                                       \
       (nv_function function, unsigned gridX, unsigned gridY, unsigned gridZ,  \
        unsigned blockX, unsigned blockY, unsigned blockZ,                     \
        unsigned sharedBytes, nv_stream stream, void **parameters,             \
        void **extra))

typedef struct tenon_nvidia_driver {
  void *library; /* dlopen's handle; null: not open */
#define NV_FIELD(name, symbol, parameters) nv_result(*name) parameters;
  NV_FUNCTIONS(NV_FIELD)
#undef NV_FIELD
} tenon_nvidia_driver;

/* Opens the driver's library and initializes the driver. Fails with
 * TENON_NO_DEVICE if there is no driver, if it is too old, or if it finds no
 * device. */
tenon_status tenon_nvidia_load(tenon_nvidia_driver *driver, tenon_text *text);
void tenon_nvidia_unload(tenon_nvidia_driver *driver);

/* Adds "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory)". */
void tenon_nvidia_add_error(const tenon_nvidia_driver *driver, tenon_text *text,
                            const char *function, nv_result result);

/* True if the device is lost for this process once a call has returned this. */
int tenon_nvidia_sticks(nv_result result);

#endif /* TENON_RUNTIME_NVIDIA_DRIVER_H */
