// The driver's functions for memory of the device and of the host.
#include "test/gpu/driver/Call.h"

#include <cstdlib>
#include <cstring>

using namespace tenon::ptx;

namespace {
/// Does work on device memory late.
CUresult later(CUstream stream, CUdeviceptr device, size_t bytes,
               std::function<void()> work) {
  if (bytes == 0)
    return CUDA_SUCCESS;
  if (!driver().range(device, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  return driver().enqueue(stream, std::move(work));
}

/// The memory, when work is done; null after a finding.
Allocation *reached(CUdeviceptr device, size_t bytes) {
  driver().now += double(bytes) * 1e-9;
  Allocation *found = driver().range(device, bytes);
  if (!found)
    driver().reportFinding("a copy or fill of memory that was freed");
  return found;
}

/// The host must not read what nothing has written.
void checkWritten(const Allocation &memory, CUdeviceptr from, size_t bytes) {
  if (memory.isWritten(from, bytes))
    return;
  size_t first = 0;
  while (memory.isWritten(from + first, 1))
    ++first;
  driver().reportFinding(
      "cuMemcpyDtoHAsync: copies memory that nothing has written, at byte " +
      std::to_string(from - memory.base + first) + " of an allocation of " +
      std::to_string(memory.bytes));
}

CUresult fill(CUdeviceptr to, uint32_t value, size_t width, size_t count,
              CUstream stream) {
  if (to % width)
    return CUDA_ERROR_INVALID_VALUE;
  return later(stream, to, width * count,
               [=] { fillDevice(to, value, width, count); });
}
} // namespace

namespace tenon::ptx {

void copyToDevice(CUdeviceptr to, const void *from, size_t bytes) {
  if (Allocation *memory = reached(to, bytes)) {
    std::memcpy(memory->at(to), from, bytes);
    memory->setWritten(to, bytes);
  }
}

void copyWithinDevice(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  Allocation *memory = reached(to, bytes), *source = reached(from, bytes);
  if (!memory || !source)
    return;
  std::memmove(memory->at(to), source->at(from), bytes);
  for (size_t i = 0; i < bytes; ++i)
    if (source->isWritten(from + i, 1))
      memory->setWritten(to + i, 1);
}

void fillDevice(CUdeviceptr to, uint32_t value, size_t width, size_t count) {
  Allocation *memory = reached(to, width * count);
  for (size_t i = 0; memory && i < count; ++i)
    std::memcpy(memory->at(to + i * width), &value, width);
  if (memory)
    memory->setWritten(to, width * count);
}

} // namespace tenon::ptx

CUresult cuMemGetInfo_v2(size_t *available, size_t *total) {
  return inContext("cuMemGetInfo_v2", [&] {
    *total = driver().settings.memory;
    *available = *total - driver().machine.memory.inUse();
    return CUDA_SUCCESS;
  });
}

CUresult cuPointerGetAttribute(void *value, int attribute,
                               CUdeviceptr pointer) {
  return inContext("cuPointerGetAttribute", [&] {
    bool isHost = driver().hostMemory.count(reinterpret_cast<char *>(pointer));
    if (attribute != CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL ||
        (!isHost && !driver().range(pointer, 0)))
      return CUDA_ERROR_INVALID_VALUE;
    *static_cast<int *>(value) = 0;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  return inContext("cuMemAlloc_v2", [&] {
    if (bytes == 0)
      return CUDA_ERROR_INVALID_VALUE;
    *address = driver().machine.memory.allocate(bytes);
    return *address ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  });
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  return inContext("cuMemFree_v2", [&] {
    // Freeing waits for the device.
    CUresult result = driver().finish(nullptr);
    if (address && !driver().machine.memory.release(address))
      return CUDA_ERROR_INVALID_VALUE;
    return result;
  });
}

CUresult cuMemAllocHost_v2(void **memory, size_t bytes) {
  return inContext("cuMemAllocHost_v2", [&] {
    *memory = std::malloc(bytes);
    if (!*memory)
      return CUDA_ERROR_OUT_OF_MEMORY;
    driver().hostMemory[static_cast<char *>(*memory)] = bytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemFreeHost(void *memory) {
  return inContext("cuMemFreeHost", [&] {
    if (!driver().hostMemory.erase(static_cast<char *>(memory)))
      return CUDA_ERROR_INVALID_VALUE;
    CUresult result = driver().finish(nullptr);
    std::free(memory);
    return result;
  });
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                              CUstream stream) {
  return inContext("cuMemcpyHtoDAsync_v2", [&] {
    return later(stream, to, bytes, [=] { copyToDevice(to, from, bytes); });
  });
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes,
                              CUstream stream) {
  return inContext("cuMemcpyDtoHAsync_v2", [&] {
    return later(stream, from, bytes, [=] {
      if (Allocation *memory = reached(from, bytes)) {
        checkWritten(*memory, from, bytes);
        std::memcpy(to, memory->at(from), bytes);
      }
    });
  });
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                              CUstream stream) {
  return inContext("cuMemcpyDtoDAsync_v2", [&] {
    if (bytes && !driver().range(from, bytes))
      return CUDA_ERROR_INVALID_VALUE;
    return later(stream, to, bytes, [=] { copyWithinDevice(to, from, bytes); });
  });
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count,
                         CUstream stream) {
  return inContext("cuMemsetD8Async",
                   [&] { return fill(to, value, 1, count, stream); });
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count,
                          CUstream stream) {
  return inContext("cuMemsetD32Async",
                   [&] { return fill(to, value, 4, count, stream); });
}
