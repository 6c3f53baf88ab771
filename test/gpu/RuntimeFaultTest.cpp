// Every call of the driver fails once, while a model opens, runs and closes;
// with TENON_TEST_FULL, once with each error. The status must be right, nothing
// may be left on the device, and the next run must be right.
#include "test/gpu/RuntimeScenario.h"

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

/// Functions that make a graph or change one. Where they fail, work starts
/// without a graph.
bool isRecovered(const std::string &name) {
  return name.rfind("cuGraph", 0) == 0 && name != "cuGraphLaunch";
}

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
    auto hasFailed = standIn<int()>("tenonStandInHasFailed");
    bool mayRun = isRelease(symbol) || isOptional(symbol) ||
                  (isRecovered(symbol) && !sticks);
    {
      Scenario scenario;
      scenario.runAll();
      if (!hasFailed() || (isRecovered(symbol) && !sticks)) {
        EXPECT_EQ(scenario.failed, TENON_OK) << scenario.text;
      } else if (!mayRun) {
        EXPECT_TRUE(isRight(scenario.failed, symbol, isMemory))
            << order << ": " << scenario.failed << ": " << scenario.text;
        EXPECT_NE(scenario.text.find("help: "), std::string::npos)
            << order << ": " << scenario.text;
        std::string name = symbol.substr(0, symbol.find("_v2"));
        EXPECT_TRUE(scenario.text.find(name + " failed: ") !=
                        std::string::npos ||
                    isRecovered(symbol))
            << order << ": " << scenario.text;
      }
      if (hasFailed() && !sticks) {
        EXPECT_TRUE(scenario.runAll()) << order << ": " << scenario.text;
      }
    } // The call that fails may be one of those that close.
    if (!sticks && !isRelease(symbol)) {
      EXPECT_EQ(leftOnDevice(), "") << order;
    }
    return hasFailed() ? FailedAndRecovered : AllRight;
  });
  if (outcome != AllRight && outcome != FailedAndRecovered)
    wrong.push_back(order);
  return outcome != AllRight;
}

/// Fails every call in turn, with one of the errors, in turn.
void failEach(const std::vector<int> &errors) {
  const char *symbols[] = {
#define SYMBOL(name, symbol, parameters) symbol,
      NV_FUNCTIONS(SYMBOL) NV_GRAPH_FUNCTIONS(SYMBOL)
#undef SYMBOL
  };
  int failures = 0;
  std::vector<std::string> wrong; // a child has printed why
  for (std::string symbol : symbols)
    for (int n = 1;
         failsOnce(symbol, n, errors[failures % errors.size()], wrong); ++n)
      ++failures;
  EXPECT_GT(failures, 120);
  EXPECT_EQ(wrong, std::vector<std::string>());
}

TEST(GpuFaults, EachCall) {
  const std::vector<int> errors = {CUDA_ERROR_OUT_OF_MEMORY,
                                   CUDA_ERROR_INVALID_HANDLE,
                                   CUDA_ERROR_LAUNCH_FAILED};
  if (!getenv("TENON_TEST_FULL"))
    return failEach(errors);
  for (int error : errors)
    failEach({error});
}

} // namespace
