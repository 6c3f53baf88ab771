// The emulator must report each planted mistake with kernel and line, in every
// schedule, and nothing in the kernel without it.
#include "test/gpu/Device.h"
#include "test/gpu/Mistakes.h"

#include <gtest/gtest.h>

using namespace tenon::ptx;

namespace {
constexpr uint64_t seeds = 4;

/// Runs a kernel `k` with a buffer of 4096 bytes, of which 2048 are written.
/// Returns what the emulator says; empty if nothing.
std::string findingIn(const std::string &text, const Mistake &mistake,
                      uint64_t seed, Counters &counters) {
  try {
    Device device(text);
    device.machine.seed = seed;
    device.machine.maxInstructions = 1 << 16;
    uint64_t buffer = device.reserve(4096);
    device.machine.memory.find(buffer, 0)->setWritten(buffer, 2048);
    counters = device.run(
        "k", LaunchShape::linear(mistake.blocks, mistake.threads), buffer);
  } catch (const Finding &finding) {
    return finding.what();
  } catch (const TextError &error) {
    return error.what();
  }
  return "";
}

class Mistakes : public testing::TestWithParam<Mistake> {
protected:
  void expectFinding(const std::string &finding) {
    const Mistake &mistake = GetParam();
    bool isSaid = false, isPlaced = false;
    for (const std::string &part : mistake.says)
      isSaid |= finding.find(part) != std::string::npos;
    for (int line : mistake.marked())
      isPlaced |= finding.starts_with("k: line " + std::to_string(line) + ": ");
    EXPECT_TRUE(isSaid && isPlaced)
        << mistake.name << "\ngot: " << finding << '\n'
        << mistake.text(true);
  }
};

uint64_t countedIn(const Counters &counters, const std::string &what) {
  return what == "sectors" ? counters.sectors.read + counters.sectors.written
                           : counters.bankConflicts;
}

TEST_P(Mistakes, AreReported) {
  const Mistake &mistake = GetParam();
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    Counters right, wrong;
    EXPECT_EQ(findingIn(mistake.text(false), mistake, seed, right), "")
        << mistake.name << '\n'
        << mistake.text(false);
    std::string finding = findingIn(mistake.text(true), mistake, seed, wrong);
    if (mistake.counts.empty()) {
      expectFinding(finding);
      continue;
    }
    EXPECT_EQ(finding, "") << mistake.name;
    EXPECT_GT(countedIn(wrong, mistake.counts),
              countedIn(right, mistake.counts))
        << mistake.name;
  }
}

std::string caseName(const testing::TestParamInfo<Mistake> &info) {
  std::string name = info.param.kind + "_" + info.param.name;
  for (char &c : name)
    if (!std::isalnum(c))
      c = '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(Planted, Mistakes,
                         testing::ValuesIn(plantedMistakes()), caseName);

TEST(MistakeList, IsLongAndWithoutDuplicates) {
  std::set<std::string> names, texts;
  for (const Mistake &mistake : plantedMistakes()) {
    EXPECT_TRUE(names.insert(mistake.name).second) << mistake.name;
    EXPECT_TRUE(texts.insert(mistake.text(true)).second) << mistake.name;
    EXPECT_NE(mistake.text(true), mistake.text(false)) << mistake.name;
    EXPECT_NE(mistake.says.empty(), mistake.counts.empty()) << mistake.name;
  }
  EXPECT_GE(names.size(), 130u);
}

TEST(Modules, AreOfTheDevice) {
  Mistake none;
  Counters counters;
  none.architecture = 90;
  EXPECT_NE(findingIn(none.text(true), none, 0, counters)
                .find("a module for sm_90 on a device that is sm_80"),
            std::string::npos);
  std::string text = none.text(true);
  text.replace(text.find("sm_90"), 5, "sm_90a");
  EXPECT_THROW(Device(text, 100), TextError);
}

TEST(Addresses, AreNeverGivenTwice) {
  Mistake none;
  Device device(none.text(false) /* reads nothing */);
  uint64_t buffer = device.put(std::vector<int>(64));
  EXPECT_TRUE(device.machine.memory.release(buffer));
  EXPECT_FALSE(device.machine.memory.release(buffer));
  EXPECT_NE(device.put(std::vector<int>(64)), buffer);
}
} // namespace
