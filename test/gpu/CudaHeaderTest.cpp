// Compares what the runtime declares of the driver with cuda.h, where a toolkit
// is at hand. Everything is checked when this file is compiled.
#include <cuda.h>

#include <cstddef>
#include <type_traits>

extern "C" {
#include "runtime/nvidia_driver.h"
}

namespace {
/// True if two functions take parameters of the same sizes, pointers for
/// pointers. Enumerations are integers in one of the two.
template <typename R, typename... A, typename S, typename... B>
constexpr bool agree(R (*)(A...), S (*)(B...)) {
  if constexpr (sizeof...(A) != sizeof...(B))
    return false;
  else
    return sizeof(R) == sizeof(S) &&
           ((sizeof(A) == sizeof(B) &&
             std::is_pointer_v<A> == std::is_pointer_v<B>) &&
            ...);
}

#define CHECK(name, symbol, parameters)                                        \
  static_assert(agree(decltype(tenon_nvidia_driver::name){}, &::name), symbol);
NV_FUNCTIONS(CHECK)
NV_GRAPH_FUNCTIONS(CHECK)
#undef CHECK

#define SAME(ours, theirs) static_assert(int(ours) == int(theirs), #theirs)
SAME(NV_SUCCESS, CUDA_SUCCESS);
SAME(NV_INVALID_VALUE, CUDA_ERROR_INVALID_VALUE);
SAME(NV_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY);
SAME(NV_NO_DEVICE, CUDA_ERROR_NO_DEVICE);
SAME(NV_INVALID_IMAGE, CUDA_ERROR_INVALID_IMAGE);
SAME(NV_NO_BINARY_FOR_GPU, CUDA_ERROR_NO_BINARY_FOR_GPU);
SAME(NV_ECC_UNCORRECTABLE, CUDA_ERROR_ECC_UNCORRECTABLE);
SAME(NV_INVALID_PTX, CUDA_ERROR_INVALID_PTX);
SAME(NV_NVLINK_UNCORRECTABLE, CUDA_ERROR_NVLINK_UNCORRECTABLE);
SAME(NV_JIT_COMPILER_NOT_FOUND, CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
SAME(NV_UNSUPPORTED_PTX_VERSION, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
SAME(NV_JIT_COMPILATION_DISABLED, CUDA_ERROR_JIT_COMPILATION_DISABLED);
SAME(NV_NOT_FOUND, CUDA_ERROR_NOT_FOUND);
SAME(NV_ILLEGAL_ADDRESS, CUDA_ERROR_ILLEGAL_ADDRESS);
SAME(NV_LAUNCH_TIMEOUT, CUDA_ERROR_LAUNCH_TIMEOUT);
SAME(NV_CONTEXT_IS_DESTROYED, CUDA_ERROR_CONTEXT_IS_DESTROYED);
SAME(NV_ASSERT, CUDA_ERROR_ASSERT);
SAME(NV_HARDWARE_STACK_ERROR, CUDA_ERROR_HARDWARE_STACK_ERROR);
SAME(NV_LAUNCH_FAILED, CUDA_ERROR_LAUNCH_FAILED);
SAME(NV_UNKNOWN, CUDA_ERROR_UNKNOWN);
SAME(NV_COMPUTE_CAPABILITY_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME(NV_COMPUTE_CAPABILITY_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME(NV_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
     CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
SAME(NV_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES,
     CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME(NV_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER);
SAME(NV_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
SAME(NV_POINTER_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
SAME(NV_EVENT_DISABLE_TIMING, CU_EVENT_DISABLE_TIMING);
SAME(NV_MEMORY_HOST, CU_MEMORYTYPE_HOST);
SAME(NV_MEMORY_DEVICE, CU_MEMORYTYPE_DEVICE);

#define AT(type, field, theirs, member)                                        \
  static_assert(offsetof(type, field) == offsetof(theirs, member), #member)
using Kernel = CUDA_KERNEL_NODE_PARAMS_v1;
static_assert(sizeof(nv_kernel_node) == sizeof(Kernel));
AT(nv_kernel_node, function, Kernel, func);
AT(nv_kernel_node, grid, Kernel, gridDimX);
AT(nv_kernel_node, block, Kernel, blockDimX);
AT(nv_kernel_node, shared_bytes, Kernel, sharedMemBytes);
AT(nv_kernel_node, parameters, Kernel, kernelParams);
AT(nv_kernel_node, extra, Kernel, extra);
using Copy = CUDA_MEMCPY3D_v2;
static_assert(sizeof(nv_copy_node) == sizeof(Copy));
AT(nv_copy_node, from.memory, Copy, srcMemoryType);
AT(nv_copy_node, from.host, Copy, srcHost);
AT(nv_copy_node, from.device, Copy, srcDevice);
AT(nv_copy_node, from.reserved, Copy, reserved0);
AT(nv_copy_node, from.height, Copy, srcHeight);
AT(nv_copy_node, to.x, Copy, dstXInBytes);
AT(nv_copy_node, to.memory, Copy, dstMemoryType);
AT(nv_copy_node, to.device, Copy, dstDevice);
AT(nv_copy_node, bytes, Copy, WidthInBytes);
AT(nv_copy_node, height, Copy, Height);
AT(nv_copy_node, depth, Copy, Depth);
using Fill = CUDA_MEMSET_NODE_PARAMS_v1;
static_assert(sizeof(nv_fill_node) == sizeof(Fill));
AT(nv_fill_node, to, Fill, dst);
AT(nv_fill_node, pitch, Fill, pitch);
AT(nv_fill_node, value, Fill, value);
AT(nv_fill_node, element_bytes, Fill, elementSize);
AT(nv_fill_node, width, Fill, width);
AT(nv_fill_node, height, Fill, height);
} // namespace
