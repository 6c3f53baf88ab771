// Our own kernels under 16 orders of warps and blocks: no finding, and the
// CPU's bits each time.
#include "test/gpu/EmulatedModel.h"

#include <gtest/gtest.h>

using namespace tenon::test;

namespace {
class Schedules : public testing::TestWithParam<std::string> {};

TEST_P(Schedules, GiveTheSameBits) {
  const EmulatedModel &model = EmulatedModel::of(GetParam());
  ASSERT_EQ(model.complaint, "");
  for (uint64_t seed = 0; seed < 16; ++seed) {
    DeviceRun run = model.run(seed);
    EXPECT_EQ(run.finding, "") << "seed " << seed;
    EXPECT_EQ(run.end, DeviceRun::End::SameBits)
        << "seed " << seed << ": " << run.said;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Schedules,
                         testing::ValuesIn(EmulatedModel::names()),
                         [](const auto &info) { return info.param; });
} // namespace
