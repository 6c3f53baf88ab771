// The conformance cases of the GPU suite: the device's bits against the CPU's.
#ifndef TENON_TEST_GPU_SUITE_CASES_H
#define TENON_TEST_GPU_SUITE_CASES_H

#include <string>

namespace tenon::suite {

struct Counts {
  int passed = 0, failed = 0;
};

/// Runs every case below `folder` whose name has `part`, in `jobs` processes at
/// a time, and prints those that fail. A case is a folder with `model.so` and
/// data sets; `seconds` is the most that one may take.
Counts runCases(const std::string &folder, const std::string &part, int jobs,
                int seconds);

} // namespace tenon::suite

#endif
