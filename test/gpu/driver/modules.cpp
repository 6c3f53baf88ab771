// The driver's functions for modules and their kernels.
#include "test/gpu/driver/Call.h"

#include <algorithm>
#include <cstring>

using namespace tenon::ptx;

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image,
                            unsigned numOptions, int *options, void **values) {
  return inContext("cuModuleLoadDataEx", [&] {
    std::string log;
    CUresult result =
        driver().loadModule(module, static_cast<const char *>(image), log);
    char *buffer = nullptr;
    size_t size = 0;
    for (unsigned i = 0; i < numOptions; ++i) {
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
        buffer = static_cast<char *>(values[i]);
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
        size = uint32_t(reinterpret_cast<uintptr_t>(values[i]));
    }
    if (buffer && size) {
      size_t count = std::min(log.size(), size - 1);
      std::memcpy(buffer, log.data(), count);
      buffer[count] = '\0';
    }
    return result;
  });
}

CUresult cuModuleUnload(CUmodule module) {
  return inContext("cuModuleUnload",
                   [&] { return driver().unloadModule(module); });
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name) {
  return inContext("cuModuleGetFunction", [&] {
    if (!driver().isModule(module))
      return CUDA_ERROR_INVALID_HANDLE;
    auto found = module->functions.find(name);
    if (found == module->functions.end())
      return CUDA_ERROR_NOT_FOUND;
    *function = found->second.get();
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes,
                              CUmodule module, const char *name) {
  return inContext("cuModuleGetGlobal_v2", [&] {
    if (!driver().isModule(module))
      return CUDA_ERROR_INVALID_HANDLE;
    auto [found, size] = module->loaded->variable(name);
    if (!found)
      return CUDA_ERROR_NOT_FOUND;
    if (address)
      *address = found;
    if (bytes)
      *bytes = size;
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  return inContext("cuFuncSetAttribute", [&] {
    if (!driver().isFunction(function))
      return CUDA_ERROR_INVALID_HANDLE;
    int most = driver().settings.mostShared();
    if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ||
        value < 0 ||
        uint64_t(value) + function->program->sharedBytes > uint64_t(most))
      return CUDA_ERROR_INVALID_VALUE;
    function->dynamicLimit = uint32_t(value);
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function) {
  return inContext("cuFuncGetAttribute", [&] {
    if (!driver().isFunction(function))
      return CUDA_ERROR_INVALID_HANDLE;
    const Program &program = *function->program;
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = program.maxThreads ? int(program.maxThreads) : 1024;
      break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = int(program.sharedBytes);
      break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *value = int(program.localBytes);
      break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = int(function->dynamicLimit);
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
  });
}
