// A finding of a kernel is an error that sticks, as a fault of the device is.
#include "test/gpu/driver/Driver.h"

#include "test/gpu/emulator/Warp.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tenon::ptx {

static uint64_t number(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

static std::string text(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

DriverSettings DriverSettings::fromEnvironment() {
  return {int(number("TENON_GPU_DEVICES", 1)),
          int(number("TENON_GPU_DRIVER", 12040)),
          int(number("TENON_GPU_SM", 80)),
          number("TENON_GPU_MEMORY", uint64_t(8) << 30),
          number("TENON_GPU_SEED", 0),
          text("TENON_GPU_FAULT"),
          text("TENON_GPU_REPORT")};
}

Driver::Driver(const DriverSettings &settings)
    : settings(settings), machine(settings.memory), draws(settings.seed) {
  machine.seed = settings.seed;
}

Driver::~Driver() {
  finish(nullptr);
  if (std::string leak = left(); !leak.empty())
    report("leak: " + leak);
  for (CUmodule module : modules)
    delete module;
}

std::string Driver::left() const {
  std::string text;
  auto add = [&](size_t count, const std::string &what) {
    if (count)
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + what;
  };
  add(machine.memory.numAllocations(),
      "allocations of " + std::to_string(machine.memory.inUse()) + " bytes");
  add(hostMemory.size(), "host allocations");
  add(modules.size(), "modules");
  add(streams.size(), "streams");
  add(events.size(), "events");
  add(graphs.size(), "graphs");
  add(executables.size(), "executable graphs");
  add(size_t(primary.uses), "uses of the context");
  return text;
}

Driver &Driver::instance() {
  static Driver driver(DriverSettings::fromEnvironment());
  return driver;
}

std::vector<CUcontext> &Driver::current() {
  static thread_local std::vector<CUcontext> stack;
  return stack;
}

void Driver::report(const std::string &line) {
  if (settings.report.empty()) {
    std::fprintf(stderr, "gpu: %s\n", line.c_str());
    return;
  }
  if (FILE *file = std::fopen(settings.report.c_str(), "a")) {
    std::fprintf(file, "%s\n", line.c_str());
    std::fclose(file);
  }
}

void Driver::reportFinding(const std::string &what) {
  report("finding: " + what);
  stuck = CUDA_ERROR_LAUNCH_FAILED;
}

bool Driver::isFunction(CUfunction function) const {
  for (CUmodule module : modules)
    for (const auto &[name, known] : module->functions)
      if (known.get() == function)
        return true;
  return false;
}

bool Driver::failsByOrder(const char *name, CUresult &error) {
  int count = ++calls[name];
  size_t first = settings.fault.find(':');
  if (first == std::string::npos || settings.fault.substr(0, first) != name)
    return false;
  char *end = nullptr;
  long which = std::strtol(settings.fault.c_str() + first + 1, &end, 10);
  if (count != which || *end != ':')
    return false;
  error = CUresult(std::strtol(end + 1, nullptr, 10));
  hasFailed = true;
  return true;
}

CUresult Driver::call(const char *name, bool needsContext,
                      const std::function<CUresult()> &body) {
  std::lock_guard lock(mutex);
  CUresult error = CUDA_SUCCESS;
  if (failsByOrder(name, error)) {
    // The errors that a device keeps.
    if (error >= CUresult(700) && error < CUresult(800))
      stuck = error;
    return error;
  }
  if (needsContext && !isInitialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (needsContext && current().empty())
    return CUDA_ERROR_INVALID_CONTEXT;
  if (needsContext && stuck != CUDA_SUCCESS)
    return stuck;
  CUresult result = body();
  return result == CUDA_SUCCESS && needsContext ? stuck : result;
}

CUresult Driver::loadModule(CUmodule *module, const char *text,
                            std::string &log) {
  bool isCubin = std::strncmp(text, "\177ELF", 4) == 0;
  if (!settings.report.empty())
    report(std::string("module: ") + (isCubin ? "cubin" : "ptx"));
  // Machine code is for a device, and there is none.
  if (isCubin)
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  auto made = std::make_unique<CUmod_st>();
  try {
    made->loaded =
        std::make_unique<LoadedModule>(machine, text, settings.architecture);
  } catch (const TextError &error) {
    log = std::string("ptxas error: ") + error.what();
    return CUDA_ERROR_INVALID_PTX;
  }
  for (const auto &[name, program] : made->loaded->kernels())
    made->functions[name] =
        std::make_unique<CUfunc_st>(CUfunc_st{&program, 48 << 10});
  *module = made.release();
  modules.insert(*module);
  return CUDA_SUCCESS;
}

CUresult Driver::unloadModule(CUmodule module) {
  if (!modules.count(module))
    return CUDA_ERROR_INVALID_HANDLE;
  CUresult result = finish(nullptr);
  modules.erase(module);
  delete module;
  return result;
}

CUstream Driver::createStream() {
  auto made = std::make_unique<CUstream_st>();
  CUstream stream = made.get();
  streams[stream] = std::move(made);
  return stream;
}

bool Driver::destroyStream(CUstream stream) {
  if (!streams.count(stream))
    return false;
  finish(stream);
  streams.erase(stream);
  return true;
}

CUresult Driver::finish(CUstream stream) {
  auto run = [&](CUstream_st &of) {
    auto work = std::move(of.work);
    of.work.clear();
    for (auto &item : work)
      if (stuck == CUDA_SUCCESS)
        item();
  };
  if (stream) {
    run(*stream);
    return stuck;
  }
  run(defaultStream);
  for (auto &[key, of] : streams)
    run(*of);
  return stuck;
}

CUresult Driver::enqueue(CUstream stream, std::function<void()> work) {
  if (!isStream(stream))
    return CUDA_ERROR_INVALID_HANDLE;
  (stream ? *stream : defaultStream).work.push_back(std::move(work));
  return draws() % 4 == 0 ? finish(stream) : CUDA_SUCCESS;
}

bool Driver::canLaunch(CUfunction function, const LaunchShape &shape) {
  const Program &program = *function->program;
  uint64_t threads = uint64_t(shape.block[0]) * shape.block[1] * shape.block[2];
  bool isShapeGood = threads > 0 && threads <= 1024 && shape.block[2] <= 64 &&
                     shape.grid[0] && shape.grid[1] && shape.grid[2] &&
                     shape.grid[0] <= 0x7fffffff && shape.grid[1] <= 65535 &&
                     shape.grid[2] <= 65535;
  bool fits = !program.maxThreads ||
              (program.threadsAreExact ? threads == program.maxThreads
                                       : threads <= program.maxThreads);
  bool hasShared = shape.dynamicBytes <= function->dynamicLimit &&
                   (function->dynamicLimit > 48 << 10 ||
                    program.sharedBytes + shape.dynamicBytes <= 48 << 10);
  if (isShapeGood && fits && hasShared)
    return true;
  report(program.name + ": a launch of " + std::to_string(threads) +
         " threads with " + std::to_string(shape.dynamicBytes) +
         " bytes of shared memory, which the kernel cannot have");
  return false;
}

std::vector<uint8_t> Driver::takeParameters(const Program &program,
                                            void **parameters) {
  std::vector<uint8_t> bytes(program.parameterBytes);
  for (size_t i = 0; i < program.parameters.size(); ++i)
    std::memcpy(bytes.data() + program.parameters[i].offset, parameters[i],
                program.parameters[i].bytes);
  return bytes;
}

CUresult Driver::launch(CUfunction function, const LaunchShape &shape,
                        CUstream stream, void **parameters) {
  if (!canLaunch(function, shape))
    return CUDA_ERROR_INVALID_VALUE;
  const Program &program = *function->program;
  // Parameters are taken now; the kernel runs later.
  return enqueue(stream, [this, &program, shape,
                          bytes = takeParameters(program, parameters)] {
    runKernel(program, shape, bytes);
  });
}

/// The sectors read and written of each operand, in the order of parameters.
static std::string sectorsOf(const Launch &run) {
  std::string text;
  for (const Program::Parameter &parameter : run.program.parameters)
    if (uint64_t address = run.addressIn(parameter)) {
      const Sectors &sectors = run.counters.sectorsFrom.at(address);
      text += " " + std::to_string(sectors.read) + "/" +
              std::to_string(sectors.written);
    }
  return text;
}

void Driver::runKernel(const Program &program, const LaunchShape &shape,
                       const std::vector<uint8_t> &parameters) {
  Launch run(machine, program, shape, parameters);
  try {
    run.run();
  } catch (const Finding &finding) {
    reportFinding(finding.what());
    return;
  }
  const Counters &counters = run.counters;
  now += double(counters.total()) * 1e-6;
  if (settings.report.empty())
    return;
  report("launch: " + program.name + " instructions " +
         std::to_string(counters.total()) + " fma " +
         std::to_string(counters[Group::FusedMultiplyAdd]) + " bytes_read " +
         std::to_string(counters.bytesRead) + " bytes_written " +
         std::to_string(counters.bytesWritten) + " sectors_read " +
         std::to_string(counters.sectors.read) + " sectors_written " +
         std::to_string(counters.sectors.written) + " bank_conflicts " +
         std::to_string(counters.bankConflicts) + " local " +
         std::to_string(counters[Group::LocalAccess]) + " barriers " +
         std::to_string(counters[Group::Barrier]) + " operands" +
         sectorsOf(run));
}

} // namespace tenon::ptx
