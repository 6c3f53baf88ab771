// The driver's functions for errors, devices and contexts.
#include "test/gpu/driver/Call.h"
#include "test/gpu/driver/StandIn.h"

#include <cstring>

using namespace tenon::ptx;

namespace {
struct Named {
  CUresult error;
  const char *name, *text;
};
constexpr Named errors[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED",
     "initialization error"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE",
     "no CUDA-capable device is detected"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE",
     "invalid device ordinal"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT",
     "invalid device context"},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX",
     "a PTX JIT compilation failed"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE",
     "invalid resource handle"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED",
     "unspecified launch failure"},
};

const Named *named(CUresult error) {
  for (const Named &row : errors)
    if (row.error == error)
      return &row;
  return nullptr;
}
} // namespace

const char *tenonStandInLeft() {
  static std::string text;
  text = driver().left();
  return text.c_str();
}

int tenonStandInHasFailed() { return driver().hasFailedByOrder(); }

int tenonStandInCalls(const char *function) {
  return driver().numCalls(function);
}

CUresult cuInit(unsigned flags) {
  return anywhere("cuInit", [&] {
    if (flags)
      return CUDA_ERROR_INVALID_VALUE;
    if (driver().settings.devices == 0)
      return CUDA_ERROR_NO_DEVICE;
    driver().initialize();
    return CUDA_SUCCESS;
  });
}

CUresult cuDriverGetVersion(int *version) {
  return anywhere("cuDriverGetVersion", [&] {
    *version = driver().settings.version;
    return CUDA_SUCCESS;
  });
}

CUresult cuGetErrorName(CUresult error, const char **name) {
  const Named *row = named(error);
  *name = row ? row->name : nullptr;
  return row ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  const Named *row = named(error);
  *text = row ? row->text : nullptr;
  return row ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetCount(int *count) {
  return anywhere("cuDeviceGetCount", [&] {
    *count = driver().settings.devices;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  return anywhere("cuDeviceGet", [&] {
    if (ordinal < 0 || ordinal >= driver().settings.devices)
      return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  return anywhere("cuDeviceGetName", [&] {
    if (device != 0 || length < 1)
      return CUDA_ERROR_INVALID_VALUE;
    std::string text =
        "emulated sm_" + std::to_string(driver().settings.architecture);
    std::strncpy(name, text.c_str(), size_t(length));
    name[length - 1] = '\0';
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
  return anywhere("cuDeviceGetAttribute", [&] {
    int sm = driver().settings.architecture;
    if (device != 0)
      return CUDA_ERROR_INVALID_DEVICE;
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = 1024;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
      *value = 0x7fffffff;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
      *value = 65535;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
      *value = 48 << 10;
      break;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      *value = warpLanes;
      break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = 16;
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = sm / 10;
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      *value = sm % 10;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      *value = driver().settings.mostShared();
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  return anywhere("cuDeviceTotalMem_v2", [&] {
    if (device != 0)
      return CUDA_ERROR_INVALID_DEVICE;
    *bytes = driver().settings.memory;
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  return anywhere("cuDevicePrimaryCtxRetain", [&] {
    if (device != 0)
      return CUDA_ERROR_INVALID_DEVICE;
    ++driver().primary.uses;
    *context = &driver().primary;
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return anywhere("cuDevicePrimaryCtxRelease_v2", [&] {
    if (device != 0)
      return CUDA_ERROR_INVALID_DEVICE;
    if (driver().primary.uses == 0)
      return CUDA_ERROR_INVALID_CONTEXT;
    --driver().primary.uses;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  return anywhere("cuCtxPushCurrent_v2", [&] {
    if (context != &driver().primary || context->uses == 0)
      return CUDA_ERROR_INVALID_CONTEXT;
    driver().current().push_back(context);
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  return anywhere("cuCtxPopCurrent_v2", [&] {
    auto &stack = driver().current();
    if (stack.empty())
      return CUDA_ERROR_INVALID_CONTEXT;
    if (context)
      *context = stack.back();
    stack.pop_back();
    return CUDA_SUCCESS;
  });
}
