// Runs damaged SavedModels through the first phases of the compiler: cut at
// every byte, every byte flipped, also in the index, and random damage in every
// operator's graph.
#include "test/bad/TfModels.h"

#include <random>

namespace tenon::test {
namespace {

using TfMutation = TfModel;

TEST_F(TfMutation, TheModelIsGood) {
  writeBundle({{"w", {1, 2}}, {"x/y", {3}}});
  expectCompiled(variedTfModel());
}

TEST_F(TfMutation, PrefixesAreRefused) {
  writeBundle({{"w", {1, 2}}});
  std::string good = variedTfModel().SerializeAsString();
  for (size_t size = 0; size < good.size(); ++size) {
    write("saved_model.pb", good.substr(0, size));
    expectSettled("cut at " + std::to_string(size));
  }
  EXPECT_EQ(accepted, 0);
}

TEST_F(TfMutation, FlippedBytesAreRefusedOrCompiled) {
  writeBundle({{"w", {1, 2}}});
  std::string good = variedTfModel().SerializeAsString();
  for (size_t i = 0; i < good.size(); ++i)
    for (int mask : {0xff, 0x01}) {
      std::string bad = good;
      bad[i] = char(bad[i] ^ mask);
      write("saved_model.pb", bad);
      expectSettled("byte " + std::to_string(i));
    }
  EXPECT_GT(accepted, 10);
  EXPECT_GT(refused, 1000);
}

TEST_F(TfMutation, IndicesCutOrFlippedAreRefused) {
  Variables variables = {{"w", {1, 2}}};
  for (int i = 0; i < 40; ++i)
    variables["layer/" + std::to_string(i)] = {float(i)};
  writeBundle(variables);
  expectCompiled(variedTfModel());
  std::string good = read("variables/variables.index");
  for (size_t size = 0; size < good.size(); ++size) {
    write("variables/variables.index", good.substr(0, size));
    expectSettled("index cut at " + std::to_string(size));
  }
  EXPECT_EQ(accepted, 0);
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = char(bad[i] ^ (i % 2 ? 0x01 : 0xff));
    write("variables/variables.index", bad);
    expectSettled("index byte " + std::to_string(i));
  }
}

TEST_F(TfMutation, ShardsCutOrFlippedAreRefused) {
  writeBundle({{"w", {1, 2}}});
  write("saved_model.pb", variedTfModel().SerializeAsString());
  std::string name = "variables/variables.data-00000-of-00001";
  std::string good = read(name);
  for (size_t i = 0; i < good.size(); ++i) {
    write(name, good.substr(0, i));
    expectRefused(Status::InvalidModel, "beyond the end");
    std::string bad = good;
    bad[i] = char(bad[i] ^ 0x10);
    write(name, bad);
    expectRefused(Status::InvalidModel, "its checksum is not that");
  }
}

/// The graphs of one operator each that test/tensorflow has written.
TEST_F(TfMutation, DamagedOperatorsAreRefusedOrCompiled) {
  std::mt19937 random(20240607);
  std::filesystem::path folder = TENON_TEST_TF_GRAPHS;
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  ASSERT_GT(files.size(), 250u);
  for (const std::filesystem::path &path : files) {
    std::ifstream stream(path, std::ios::binary);
    std::string good{std::istreambuf_iterator<char>(stream), {}};
    for (int round = 0; round < 6; ++round) {
      std::string bytes = good;
      for (unsigned edits = 1 + random() % 2; edits > 0; --edits) {
        size_t at = random() % bytes.size();
        bytes[at] =
            random() % 2 ? char(bytes[at] ^ 1 << random() % 8) : char(random());
      }
      write("graph.pb", bytes);
      Status status = compileGraph();
      ++(status == Status::Success ? accepted : refused);
      EXPECT_TRUE(status == Status::Success || !said.empty()) << path;
      EXPECT_NE(int(status), int(Status::Internal)) << path << ": " << said;
    }
  }
  EXPECT_GT(accepted, 40);
  EXPECT_GT(refused, 500);
}

} // namespace
} // namespace tenon::test
