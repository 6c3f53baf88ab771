// The driver is opened by its name; each call finds its function anew.
#include "test/gpu/suite/Driver.h"

#include <dlfcn.h>
#include <stdexcept>

namespace tenon::suite {

namespace {
enum {
  CAPABILITY_MAJOR = 75,
  CAPABILITY_MINOR = 76,
};
using Context = void *;
using Stream = void *;

// The signatures of the driver's functions.
using Init = int (*)(unsigned);
using ReadInteger = int (*)(int *);
using GetDevice = int (*)(int *, int);
using GetName = int (*)(char *, int, int);
using GetAttribute = int (*)(int *, int, int);
using OfDevice = int (*)(int);
using Retain = int (*)(Context *, int);
using OfContext = int (*)(Context);
using Allocate = int (*)(uint64_t *, size_t);
using OfAddress = int (*)(uint64_t);
using Upload = int (*)(uint64_t, const void *, size_t, Stream);
using Copy = int (*)(uint64_t, uint64_t, size_t, Stream);
using OfStream = int (*)(Stream);
using ErrorName = int (*)(int, const char **);
} // namespace

Driver &Driver::instance() {
  static Driver driver;
  return driver;
}

void *Driver::symbol(const char *name) {
  void *found = dlsym(library, name);
  if (!found)
    throw std::runtime_error(std::string("the driver has no ") + name);
  return found;
}

template <typename... Parameters, typename... Arguments>
void Driver::call(const char *name, int (*)(Parameters...),
                  Arguments... arguments) {
  auto function = reinterpret_cast<int (*)(Parameters...)>(symbol(name));
  int result = function(arguments...);
  if (result == 0)
    return;
  const char *error = "an unknown error";
  reinterpret_cast<ErrorName>(symbol("cuGetErrorName"))(result, &error);
  throw std::runtime_error(std::string(name) + ": " + error);
}

Driver::Driver() {
  library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw std::runtime_error("there is no NVIDIA driver");
  call("cuInit", Init(), 0);
  call("cuDeviceGet", GetDevice(), &device, 0);
  Context context = nullptr;
  call("cuDevicePrimaryCtxRetain", Retain(), &context, device);
  call("cuCtxPushCurrent_v2", OfContext(), context);
}

Driver::~Driver() {
  auto release = symbol("cuDevicePrimaryCtxRelease_v2");
  (void)reinterpret_cast<OfDevice>(release)(device);
}

std::string Driver::deviceName() {
  char name[256] = "";
  call("cuDeviceGetName", GetName(), name, int(sizeof name), device);
  return name;
}

int Driver::capability() {
  int major = 0, minor = 0;
  call("cuDeviceGetAttribute", GetAttribute(), &major, CAPABILITY_MAJOR,
       device);
  call("cuDeviceGetAttribute", GetAttribute(), &minor, CAPABILITY_MINOR,
       device);
  return 10 * major + minor;
}

int Driver::version() {
  int version = 0;
  call("cuDriverGetVersion", ReadInteger(), &version);
  return version;
}

uint64_t Driver::allocate(size_t bytes) {
  uint64_t address = 0;
  call("cuMemAlloc_v2", Allocate(), &address, bytes);
  return address;
}

void Driver::free(uint64_t address) {
  call("cuMemFree_v2", OfAddress(), address);
}

void Driver::write(uint64_t to, const void *from, size_t bytes) {
  call("cuMemcpyHtoDAsync_v2", Upload(), to, from, bytes, Stream());
  synchronize();
}

void Driver::copy(uint64_t to, uint64_t from, size_t bytes) {
  call("cuMemcpyDtoDAsync_v2", Copy(), to, from, bytes, Stream());
}

void Driver::synchronize() {
  call("cuStreamSynchronize", OfStream(), Stream());
}

} // namespace tenon::suite
