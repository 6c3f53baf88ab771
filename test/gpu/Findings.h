// What tests of findings share: kernels as text, mistakes planted in them, what
// the emulator says, and what NVIDIA's assembler says.
#ifndef TENON_TEST_GPU_FINDINGS_H
#define TENON_TEST_GPU_FINDINGS_H

#include "test/gpu/Assembler.h"
#include "test/gpu/Device.h"

#include <gtest/gtest.h>

namespace tenon::ptx {

/// "{%r3, %r4}"
inline std::string registerList(int first, int count,
                                const std::string &name = "%r") {
  std::string text = "{";
  for (int i = 0; i < count; ++i)
    text += (i ? ", " : "") + name + std::to_string(first + i);
  return text + "}";
}

/// `text` with the first `from` replaced, which must be there.
inline std::string replaced(std::string text, const std::string &from,
                            const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// What the emulator says of a kernel `k` with a buffer of 1024 numbers of
/// .tf32; empty if it says nothing.
inline std::string findingIn(const std::string &text, int architecture,
                             unsigned threads = 32, uint64_t seed = 0) {
  try {
    Device device(text, architecture);
    device.machine.seed = seed;
    device.machine.maxInstructions = 1 << 20;
    std::vector<uint32_t> values(1024);
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = uint32_t(i) << 13;
    device.run("k", LaunchShape::linear(1, threads), device.put(values));
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  return "";
}

#define EXPECT_FINDING(text, part)                                             \
  EXPECT_NE((text).find(part), std::string::npos) << "got: " << (text)

/// The assembler, where it is at hand, must accept the kernels `k` of the
/// modules, all in one module with these variables.
inline void expectAssembles(const std::vector<std::string> &modules,
                            const std::string &architecture,
                            const std::string &variables = "",
                            const std::string &version = "7.8") {
  if (!hasAssembler())
    GTEST_SKIP() << "no ptxas";
  std::string all = ".version " + version + "\n.target " + architecture +
                    "\n.address_size 64\n" + variables;
  int count = 0;
  for (const std::string &module : modules)
    all += replaced(module.substr(module.find(".visible")), "entry k",
                    "entry k" + std::to_string(++count));
  EXPECT_EQ(assemblerErrors(all, architecture), "");
}

} // namespace tenon::ptx

#endif
