/* The NVIDIA driver, opened when a model asks for a device. Nothing links with
 * it, and no header of a toolkit is needed: the types and functions that the
 * runtime uses are declared here, as cuda.h declares them. Nodes of graphs have
 * the parameters of the functions without a suffix, which all drivers export.
 */
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
typedef struct CUgraph_st *nv_graph;
typedef struct CUgraphNode_st *nv_graph_node;
typedef struct CUgraphExec_st *nv_graph_exec;

/* CUDA_KERNEL_NODE_PARAMS_v1 */
typedef struct nv_kernel_node {
  nv_function function;
  unsigned grid[3], block[3];
  unsigned shared_bytes;
  void **parameters;
  void **extra; /* null */
} nv_kernel_node;

/* One side of CUDA_MEMCPY3D_v2: one row of bytes. */
typedef struct nv_copy_side {
  size_t x, y, z, level; /* 0 */
  int32_t memory;        /* NV_MEMORY_HOST or NV_MEMORY_DEVICE */
  const void *host;
  nv_pointer device;
  void *array, *reserved; /* null */
  size_t pitch, height;   /* 0 */
} nv_copy_side;
typedef struct nv_copy_node {
  nv_copy_side from, to;
  size_t bytes, height, depth; /* height and depth are 1 */
} nv_copy_node;

/* CUDA_MEMSET_NODE_PARAMS_v1 */
typedef struct nv_fill_node {
  nv_pointer to;
  size_t pitch; /* 0 */
  unsigned value, element_bytes;
  size_t width;  /* in elements */
  size_t height; /* 1 */
} nv_fill_node;

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
  NV_EVENT_DISABLE_TIMING = 2,
  NV_MEMORY_HOST = 1,
  NV_MEMORY_DEVICE = 2
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

/* The functions for graphs, which drivers before CUDA 11.4 do not have all. */
#define NV_GRAPH_FUNCTIONS(CALL)                                               \
  CALL(cuGraphCreate, "cuGraphCreate", (nv_graph * graph, unsigned flags))     \
  CALL(cuGraphDestroy, "cuGraphDestroy", (nv_graph graph))                     \
  CALL(cuGraphAddKernelNode, "cuGraphAddKernelNode",                           \
       (nv_graph_node * node, nv_graph graph, const nv_graph_node *after,      \
        size_t count, const nv_kernel_node *parameters))                       \
  CALL(cuGraphAddMemcpyNode, "cuGraphAddMemcpyNode",                           \
       (nv_graph_node * node, nv_graph graph, const nv_graph_node *after,      \
        size_t count, const nv_copy_node *parameters, nv_context context))     \
  CALL(cuGraphAddMemsetNode, "cuGraphAddMemsetNode",                           \
       (nv_graph_node * node, nv_graph graph, const nv_graph_node *after,      \
        size_t count, const nv_fill_node *parameters, nv_context context))     \
  CALL(cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags",             \
       (nv_graph_exec * exec, nv_graph graph, unsigned long long flags))       \
  CALL(cuGraphExecDestroy, "cuGraphExecDestroy", (nv_graph_exec exec))         \
  CALL(cuGraphLaunch, "cuGraphLaunch", (nv_graph_exec exec, nv_stream stream)) \
  CALL(cuGraphExecKernelNodeSetParams, "cuGraphExecKernelNodeSetParams",       \
       (nv_graph_exec exec, nv_graph_node node,                                \
        const nv_kernel_node *parameters))                                     \
  CALL(cuGraphExecMemcpyNodeSetParams, "cuGraphExecMemcpyNodeSetParams",       \
       (nv_graph_exec exec, nv_graph_node node,                                \
        const nv_copy_node *parameters, nv_context context))                   \
  CALL(cuGraphExecMemsetNodeSetParams, "cuGraphExecMemsetNodeSetParams",       \
       (nv_graph_exec exec, nv_graph_node node,                                \
        const nv_fill_node *parameters, nv_context context))

typedef struct tenon_nvidia_driver {
  void *library;  /* dlopen's handle; null: not open */
  int has_graphs; /* it has all functions for graphs */
#define NV_FIELD(name, symbol, parameters) nv_result(*name) parameters;
  NV_FUNCTIONS(NV_FIELD)
  NV_GRAPH_FUNCTIONS(NV_FIELD)
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
