// A use of the model with all kinds of calls, for tests where something fails
// once.
#ifndef TENON_TEST_GPU_RUNTIMESCENARIO_H
#define TENON_TEST_GPU_RUNTIMESCENARIO_H

#include "test/gpu/RuntimeSession.h"

namespace tenon::test {

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
    HostTensor<float> x{1, 2, 3, 4}, value(2.f), eight = ramp(8),
                                                 nine = ramp(9);
    HostTensor<int64_t> count(int64_t(2)), index({3, 0});
    // Parts of all sizes: some are fills, some pass through pinned memory.
    int64_t bytes = 520000;
    std::vector<double> sent;
    for (int64_t i = 0; i < bytes; ++i)
      sent.push_back(double((7 + bytes + i) % 256));
    return noteRun("main", {x}, {2.5, 5, 7.5, 10}) &&
           // Work starts item by item, then as a graph, then as a graph with
           // other parameters.
           noteRun("mixed", {eight}, mixedOf(8)) &&
           noteRun("mixed", {eight}, mixedOf(8)) &&
           noteRun("mixed", {nine}, mixedOf(9)) &&
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

} // namespace tenon::test

#endif
