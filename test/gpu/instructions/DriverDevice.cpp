// Errors of the driver become exceptions: a test has nothing to do without a
// device.
#include "test/gpu/instructions/DriverDevice.h"

#include "test/gpu/ptx/Module.h"

#include <dlfcn.h>
#include <stdexcept>

namespace tenon::ptx {
namespace {
void check(CUresult result, const std::string &what) {
  if (result != CUDA_SUCCESS)
    throw std::runtime_error(what + ": error " + std::to_string(result));
}
} // namespace

DriverLibrary &DriverLibrary::instance() {
  static DriverLibrary library;
  return library;
}

void DriverLibrary::open(const std::string &path) {
  DriverLibrary &library = instance();
  void *handle = dlopen(path.c_str(), RTLD_NOW);
  if (!handle)
    throw std::runtime_error(dlerror());
#define TENON_DRIVER_FUNCTION(name)                                            \
  library.name = reinterpret_cast<decltype(library.name)>(dlsym(handle, #name));
  TENON_DRIVER_FUNCTIONS(TENON_DRIVER_FUNCTION)
#undef TENON_DRIVER_FUNCTION
  library.isStandIn = dlsym(handle, "tenonStandInCalls");
  check(library.cuInit(0), "cuInit");
  CUdevice device = 0;
  check(library.cuDeviceGet(&device, 0), "cuDeviceGet");
  int major = 0, minor = 0;
  check(library.cuDeviceGetAttribute(
            &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device),
        "cuDeviceGetAttribute");
  check(library.cuDeviceGetAttribute(
            &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device),
        "cuDeviceGetAttribute");
  library.architecture = 10 * major + minor;
  CUcontext context = nullptr;
  check(library.cuDevicePrimaryCtxRetain(&context, device),
        "cuDevicePrimaryCtxRetain");
  check(library.cuCtxPushCurrent_v2(context), "cuCtxPushCurrent");
}

std::set<std::string> &DriverDevice::executed() {
  static std::set<std::string> all;
  return all;
}

DriverDevice::DriverDevice(const std::string &text) : text(text) {
  char log[2048] = "";
  int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  DriverLibrary &driver = DriverLibrary::instance();
  check(driver.cuModuleLoadDataEx(&module, text.c_str(), 2, options, values),
        std::string(log) + "\n" + text);
  check(driver.cuModuleGetFunction(&function, module, "k"),
        "cuModuleGetFunction");
}

DriverDevice::~DriverDevice() {
  DriverLibrary &driver = DriverLibrary::instance();
  for (CUdeviceptr buffer : buffers)
    driver.cuMemFree_v2(buffer);
  if (module)
    driver.cuModuleUnload(module);
}

CUdeviceptr DriverDevice::reserve(size_t bytes) {
  CUdeviceptr made = 0;
  check(DriverLibrary::instance().cuMemAlloc_v2(&made, bytes), "cuMemAlloc");
  buffers.push_back(made);
  return made;
}

void DriverDevice::upload(CUdeviceptr to, const void *from, size_t bytes) {
  DriverLibrary &driver = DriverLibrary::instance();
  check(driver.cuMemcpyHtoDAsync_v2(to, from, bytes, nullptr), "cuMemcpyHtoD");
  check(driver.cuStreamSynchronize(nullptr), "cuStreamSynchronize");
}

void DriverDevice::download(void *to, CUdeviceptr from, size_t bytes) {
  DriverLibrary &driver = DriverLibrary::instance();
  check(driver.cuMemcpyDtoHAsync_v2(to, from, bytes, nullptr), "cuMemcpyDtoH");
  check(driver.cuStreamSynchronize(nullptr), "cuStreamSynchronize");
}

void DriverDevice::run(unsigned blocks, unsigned threads, CUdeviceptr buffer) {
  DriverLibrary &driver = DriverLibrary::instance();
  void *parameters[] = {&buffer};
  check(driver.cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, nullptr,
                              parameters, nullptr),
        "cuLaunchKernel");
  check(driver.cuStreamSynchronize(nullptr), "the kernel\n" + text);
  for (const Function &entry : parse(text).functions)
    for (const Statement &statement : entry.body) {
      std::string name = statement.name;
      for (const std::string &modifier : statement.modifiers)
        name += "." + modifier;
      executed().insert(name);
    }
}

} // namespace tenon::ptx
