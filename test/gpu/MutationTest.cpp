// Mistakes planted into what the compiler makes, in the PTX and in the host's
// code: the emulator must report them, or the results must not be the CPU's.
#include "test/gpu/DroppedTransfer.h"
#include "test/gpu/EmulatedModel.h"
#include "test/gpu/Mutations.h"

#include <gtest/gtest.h>

using namespace tenon::test;

namespace {
class Mutations : public testing::TestWithParam<std::string> {};

TEST_P(Mutations, OfKernelsAreReported) {
  const EmulatedModel &model = EmulatedModel::of(GetParam());
  ASSERT_EQ(model.complaint, "");
  std::string text = model.artifact.substr(model.textStart, model.textBytes);
  auto mutations = mutationsOf(text);
  EXPECT_FALSE(mutations.empty());
  RecordProperty("mutations", int(mutations.size()));
  auto runWith = [&](const std::string &text) {
    std::string bytes = model.artifact;
    bytes.replace(model.textStart, model.textBytes, text);
    return model.run(bytes, 1);
  };
  for (const Mutation &mutation : mutations) {
    DeviceRun run = runWith(mutation.text);
    bool isFound = run.finding.find(": line ") != std::string::npos;
    if (mutation.mustBeFound ? isFound : run.end != DeviceRun::End::SameBits)
      continue;
    if (runWith(mutation.trapped).end != DeviceRun::End::SameBits)
      ADD_FAILURE() << mutation.what << "\nfinding: " << run.finding
                    << "\nerror: " << run.said;
  }
}

TEST_P(Mutations, OfTransfersAreReported) {
  const EmulatedModel &right = EmulatedModel::of(GetParam());
  RecordProperty("mutations", right.numTransfers);
  for (int i = 0; i < right.numTransfers; ++i) {
    transferFault().dropped = i;
    EmulatedModel model(GetParam());
    transferFault().dropped = -1;
    EXPECT_EQ(model.complaint, "");
    DeviceRun run = model.run(1);
    EXPECT_NE(run.end, DeviceRun::End::SameBits) << "transfer " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Mutations,
                         testing::ValuesIn(EmulatedModel::names()),
                         [](const auto &info) { return info.param; });
} // namespace
