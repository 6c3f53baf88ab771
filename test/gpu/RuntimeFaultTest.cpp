// Every call of the driver fails once. The status must be right, nothing may be
// left on the device, and the next run must be right.
#include "test/gpu/RuntimeSession.h"

extern "C" {
#include "runtime/nvidia_driver.h"
}

using namespace tenon::test;

namespace {

/// What a scenario has seen in a child.
enum Outcome { AllRight, FailedAndRecovered };

/// Functions that free or leave: the runtime cannot do more when they fail, so
/// what they leave is theirs.
bool isRelease(const std::string &name) {
  for (const char *part : {"Free", "Destroy", "Unload", "Release", "Pop"})
    if (name.find(part) != std::string::npos)
      return true;
  return false;
}
/// Functions that add facts to a text; without them the text is shorter.
bool isOptional(const std::string &name) {
  return name == "cuGetErrorName" || name == "cuGetErrorString" ||
         name == "cuMemGetInfo_v2";
}

struct Scenario {
  RuntimeSession session;
  tenon_status failed = TENON_OK;
  std::string text;

  /// Notes the first failure. Returns true on success.
  bool noted(tenon_status status, const char *why) {
    if (status != TENON_OK && failed == TENON_OK) {
      failed = status;
      text = why;
    }
    return status == TENON_OK;
  }
  template <typename T = float>
  bool noteRun(const char *function, std::vector<tenon_tensor> inputs,
               const std::vector<double> &expected) {
    tenon_status status = session.run<T>(function, std::move(inputs));
    if (status == TENON_OK) {
      EXPECT_EQ(session.y, expected) << function;
    }
    return noted(status, tenon_context_text(session.context));
  }

  /// Opens and uses all kinds of calls.
  bool runAll() {
    if (!session.model && !noted(session.open(), session.why))
      return false;
    if (!session.context && !noted(session.create(), session.why))
      return false;
    if (!noted(tenon_context_reset_state(session.context),
               tenon_context_text(session.context)))
      return false;
    HostTensor<float> x{1, 2, 3, 4}, value(2.f);
    HostTensor<int64_t> count(int64_t(2)), index({3, 0});
    // Parts of all sizes: some are fills, some pass through pinned memory.
    int64_t bytes = 520000;
    std::vector<double> sent;
    for (int64_t i = 0; i < bytes; ++i)
      sent.push_back(double((7 + i) % 256));
    return noteRun("main", {x}, {2.5, 5, 7.5, 10}) &&
           noteRun("pick", {x, index}, {4, 1}) &&
           noteRun("repeat", {value, count}, {2, 2}) &&
           noteRun("positive", {x}, {1, 2, 3, 4}) &&
           noteRun("cache", {x}, {1, 2, 3, 4, 0, 0, 0, 0}) &&
           noteRun("spin", {x, HostTensor<int64_t>(int64_t(4))},
                   {3, 6, 9, 12}) &&
           noteRun("host", {HostTensor<float>(std::vector<float>(20, 1))},
                   std::vector<double>(20, -1)) &&
           noteRun<unsigned char>("send", {HostTensor<int64_t>(bytes)}, sent);
  }
};

/// The statuses that a failure of a function may have.
bool isRight(tenon_status status, const std::string &function, bool isMemory) {
  if (isMemory)
    return status == TENON_LIMIT;
  bool isOpening = function == "cuInit" || function == "cuDriverGetVersion" ||
                   function.rfind("cuDevice", 0) == 0;
  return status == (isOpening ? TENON_NO_DEVICE : TENON_FAILED);
}

/// Runs the scenario with the N-th call of a function failing. Returns false if
/// there is no such call.
bool failsOnce(const std::string &symbol, int n, int error,
               std::vector<std::string> &wrong) {
  bool sticks = error >= 700, isMemory = error == CUDA_ERROR_OUT_OF_MEMORY;
  std::string order =
      symbol + ":" + std::to_string(n) + ":" + std::to_string(error);
  int outcome = onDevice({{"TENON_GPU_FAULT", order}}, [&]() -> int {
    {
      Scenario scenario;
      scenario.runAll();
      if (!standIn<int()>("tenonStandInHasFailed")()) {
        EXPECT_EQ(scenario.failed, TENON_OK) << scenario.text;
        return AllRight;
      }
      if (!isRelease(symbol) && !isOptional(symbol)) {
        EXPECT_TRUE(isRight(scenario.failed, symbol, isMemory))
            << order << ": " << scenario.failed << ": " << scenario.text;
        EXPECT_NE(scenario.text.find("help: "), std::string::npos)
            << order << ": " << scenario.text;
        std::string name = symbol.substr(0, symbol.find("_v2"));
        EXPECT_NE(scenario.text.find(name + " failed: "), std::string::npos)
            << order << ": " << scenario.text;
      }
      if (!sticks) {
        EXPECT_TRUE(scenario.runAll()) << order << ": " << scenario.text;
      }
    }
    if (!sticks && !isRelease(symbol)) {
      EXPECT_EQ(leftOnDevice(), "") << order;
    }
    return FailedAndRecovered;
  });
  if (outcome != AllRight && outcome != FailedAndRecovered)
    wrong.push_back(order);
  return outcome != AllRight;
}

/// Fails every call in turn.
void failEach(int error) {
  const char *symbols[] = {
#define SYMBOL(name, symbol, parameters) symbol,
      NV_FUNCTIONS(SYMBOL)
#undef SYMBOL
  };
  int failures = 0;
  std::vector<std::string> wrong; // a child has printed why
  for (std::string symbol : symbols)
    for (int n = 1; failsOnce(symbol, n, error, wrong); ++n)
      ++failures;
  EXPECT_GT(failures, 80);
  EXPECT_EQ(wrong, std::vector<std::string>());
}

TEST(GpuFaults, OutOfMemory) { failEach(CUDA_ERROR_OUT_OF_MEMORY); }
TEST(GpuFaults, InvalidHandle) { failEach(CUDA_ERROR_INVALID_HANDLE); }
TEST(GpuFaults, LostDevice) { failEach(CUDA_ERROR_LAUNCH_FAILED); }

} // namespace
