// A machine with a module, for tests that run kernels on arrays.
#ifndef TENON_TEST_GPU_DEVICE_H
#define TENON_TEST_GPU_DEVICE_H

#include "test/gpu/emulator/Block.h"
#include "test/gpu/emulator/LoadedModule.h"

#include <cstring>
#include <fstream>
#include <sstream>

namespace tenon::ptx {

class Device {
public:
  explicit Device(const std::string &text, int architecture = 80)
      : machine(uint64_t(1) << 30), module(machine, text, architecture) {}

  template <typename T> uint64_t put(const std::vector<T> &values) {
    uint64_t address = reserve(values.size() * sizeof(T));
    Allocation &memory = *machine.memory.find(address, 0);
    std::memcpy(memory.at(address), values.data(), values.size() * sizeof(T));
    memory.setWritten(address, values.size() * sizeof(T));
    return address;
  }
  uint64_t reserve(size_t bytes) { return machine.memory.allocate(bytes); }
  template <typename T> std::vector<T> get(uint64_t address, size_t count) {
    std::vector<T> values(count);
    Allocation &memory = *machine.memory.find(address, count * sizeof(T));
    std::memcpy(values.data(), memory.at(address), count * sizeof(T));
    return values;
  }

  /// Runs a kernel; arguments have the sizes of its parameters.
  template <typename... Arguments>
  Counters run(const std::string &name, const LaunchShape &shape,
               Arguments... arguments) {
    const Program *program = module.kernel(name);
    if (!program)
      throw std::runtime_error("no kernel " + name);
    std::vector<uint8_t> bytes(program->parameterBytes);
    size_t i = 0;
    auto set = [&](auto argument) {
      const auto &parameter = program->parameters.at(i++);
      if (parameter.bytes != sizeof argument)
        throw std::runtime_error("a parameter of another size");
      std::memcpy(&bytes[parameter.offset], &argument, sizeof argument);
    };
    (set(arguments), ...);
    Launch launch(machine, *program, shape, bytes);
    launch.run();
    return launch.counters;
  }

  Machine machine;
  LoadedModule module;
};

/// The PTX that the build made from kernels/NAME.c for an architecture.
inline std::string builtText(const std::string &name, int architecture) {
  std::ifstream file(std::string(TENON_GPU_KERNELS) + "/" + name + ".sm_" +
                     std::to_string(architecture) + ".ptx");
  if (!file)
    throw std::runtime_error("no PTX of " + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A module with one kernel `k`, of one pointer `p`, around statements that
/// have registers %p, %h, %r, %f, %d of 1, 16, 32, 32 and 64 bits.
inline std::string moduleOf(const std::string &statements,
                            const std::string &architecture = "sm_80",
                            const std::string &variables = "") {
  return ".version 7.8\n.target " + architecture + "\n.address_size 64\n" +
         variables +
         "\n.visible .entry k(.param .u64 p) {\n"
         ".reg .pred %p<16>; .reg .b16 %h<16>; .reg .b32 %r<32>;\n"
         ".reg .f32 %f<16>; .reg .b64 %d<32>;\n" +
         statements + "\nret;\n}\n";
}

} // namespace tenon::ptx

#endif
