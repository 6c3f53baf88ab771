// Parts of the GPU suite, for the script `run`:
//
//   gpu-suite device                             names the device
//   gpu-suite cases FOLDER PART JOBS SECONDS     bits of conformance cases
//   gpu-suite model STEM EXTENTS [INPUT=BOUND]   bits and times of a model
//   gpu-suite rate ARTIFACT                      a rate beside that of a copy
//
// The last line of `cases` counts; the others end with status 0 if they passed.
#include "test/gpu/suite/Cases.h"
#include "test/gpu/suite/Driver.h"
#include "test/gpu/suite/Session.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <sstream>
#include <stdexcept>

using namespace tenon::suite;

namespace {

int tellDevice() {
  Driver &driver = Driver::instance();
  int capability = driver.capability(), version = driver.version();
  std::printf("%s, capability %d.%d, driver for CUDA %d.%d\n",
              driver.deviceName().c_str(), capability / 10, capability % 10,
              version / 1000, version % 1000 / 10);
  return 0;
}

int tellCases(const std::string &folder, const std::string &part, int jobs,
              int seconds) {
  Counts counts = runCases(folder, part, jobs, seconds);
  std::printf("%d passed, %d failed\n", counts.passed, counts.failed);
  return counts.failed != 0;
}

double milliseconds(const std::function<void()> &work) {
  double start = now();
  work();
  return 1e3 * (now() - start);
}

/// The least time of several calls.
double best(const std::function<void()> &work) {
  constexpr int calls = 10;
  double least = milliseconds(work);
  for (int i = 1; i < calls; ++i)
    least = std::min(least, milliseconds(work));
  return least;
}

int tellModel(const std::string &stem, const std::string &extents,
              const std::map<std::string, int64_t> &bounds) {
  std::string artifact = stem + ".so",
              name = stem.substr(stem.find_last_of('/') + 1);
  double start = now();
  Session device(artifact, "cuda", 0);
  double load = now() - start;
  Session cpu(artifact, nullptr, 0);
  std::istringstream list(extents);
  bool fails = false;
  for (std::string extent; std::getline(list, extent, ',');) {
    std::vector<TensorFile> inputs =
        drawInputs(device.function(), bounds, std::stoll(extent));
    std::vector<TensorFile> there;
    double first = milliseconds([&] { there = device.run(inputs); });
    double second = milliseconds([&] { (void)device.run(inputs); });
    double least = best([&] { (void)device.run(inputs); });
    std::string found = difference(cpu.run(inputs), there);
    fails |= !found.empty();
    std::printf("| %-20s | %6s | %7.2f | %9.3f | %9.3f | %9.3f | %s |\n",
                name.c_str(), extent.c_str(), load, first, second, least,
                found.empty() ? "equal" : found.c_str());
  }
  return fails;
}

/// Inputs in the memory of the device.
class DeviceInputs {
public:
  explicit DeviceInputs(const std::vector<TensorFile> &inputs) {
    Driver &driver = Driver::instance();
    for (const TensorFile &input : inputs) {
      addresses.push_back(driver.allocate(input.bytes.size()));
      driver.write(addresses.back(), input.bytes.data(), input.bytes.size());
      tenon_tensor &made = arguments.emplace_back(argument(input));
      made.data = reinterpret_cast<void *>(addresses.back());
      made.device = TENON_ON_DEVICE;
      bytes += input.bytes.size();
    }
  }
  ~DeviceInputs() {
    for (uint64_t address : addresses)
      Driver::instance().free(address);
  }
  DeviceInputs(const DeviceInputs &) = delete;
  DeviceInputs &operator=(const DeviceInputs &) = delete;

  std::vector<tenon_tensor> arguments;
  std::vector<uint64_t> addresses;
  size_t bytes = 0;
};

/// Prints the rate at which a model reads its inputs and writes results, that
/// of a copy of its first input, and how much it computes in a second if it is
/// a product of square matrices.
int tellRate(const std::string &artifact) {
  Driver &driver = Driver::instance();
  Session device(artifact, "cuda", 0);
  std::vector<TensorFile> inputs = drawInputs(device.function(), {}, 1);
  Session cpu(artifact, nullptr, 0);
  std::string found = difference(cpu.run(inputs), device.run(inputs));
  DeviceInputs there(inputs);
  double moved = double(there.bytes);
  for (const TensorFile &result : device.run(inputs))
    moved += double(result.bytes.size());
  double time =
      best([&] { device.runInPlace(there.arguments, TENON_ON_DEVICE); });
  size_t copied = inputs[0].bytes.size();
  uint64_t room = driver.allocate(copied);
  double copy = best([&] {
    driver.copy(room, there.addresses[0], copied);
    driver.synchronize();
  });
  driver.free(room);
  double rate = moved / time * 1e-6,
         copyRate = 2.0 * double(copied) / copy * 1e-6;
  bool isProduct = inputs.size() == 2;
  double side = double(inputs[0].dims.back());
  std::string work =
      isProduct ? std::to_string(2 * side * side * side / time * 1e-9) : "";
  std::string name = artifact.substr(artifact.find_last_of('/') + 1);
  std::printf("| %-20s | %9.3f | %9.1f | %9.1f | %5.2f | %9s | %s |\n",
              name.substr(0, name.find('.')).c_str(), time, rate, copyRate,
              rate / copyRate, work.substr(0, 9).c_str(),
              found.empty() ? "equal" : found.c_str());
  return !found.empty();
}

int run(const std::vector<std::string> &words) {
  std::string verb = words.empty() ? "" : words[0];
  if (verb == "device" && words.size() == 1)
    return tellDevice();
  if (verb == "cases" && words.size() == 5)
    return tellCases(words[1], words[2], std::stoi(words[3]),
                     std::stoi(words[4]));
  if (verb == "rate" && words.size() == 2)
    return tellRate(words[1]);
  if (verb != "model" || words.size() < 3)
    throw std::runtime_error("expected device, cases, model or rate");
  std::map<std::string, int64_t> bounds;
  for (size_t i = 3; i < words.size(); ++i) {
    size_t equals = words[i].rfind('=');
    if (equals == std::string::npos)
      throw std::runtime_error("expected INPUT=BOUND, got " + words[i]);
    bounds[words[i].substr(0, equals)] =
        std::stoll(words[i].substr(equals + 1));
  }
  return tellModel(words[1], words[2], bounds);
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception &error) {
    std::fprintf(stderr, "gpu-suite: %s\n", error.what());
    return 1;
  }
}
