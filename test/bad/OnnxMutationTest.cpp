// Tests the reader on thousands of damaged models, equal in every run. Each
// must be read or refused without a crash.
#include "test/bad/OnnxModels.h"

#include <random>

namespace tenon::test {
namespace {

std::vector<std::string> seeds() {
  std::vector<std::string> all;
  ::onnx::ModelProto model = makeModel();
  auto branches = addIf(model.mutable_graph(), "x", "z");
  addNode(branches.thenBranch, "Relu", {"y"}, {"a"});
  addTensor(branches.thenBranch->mutable_output(), "a");
  addTensor(branches.elseBranch->mutable_output(), "w");
  auto *typed = model.mutable_graph()->add_initializer();
  typed->set_name("i");
  typed->set_data_type(::onnx::TensorProto::INT64);
  typed->add_dims(3);
  for (int i = 0; i < 3; ++i)
    typed->add_int64_data(-i);
  auto *function = model.add_functions();
  function->set_name("f");
  function->set_domain("d");
  function->add_input("v");
  function->add_output("v");
  all.push_back(model.SerializeAsString());
  const char *const more[] = {
      "node/test_loop11", "node/test_lstm_defaults",
      "node/test_sequence_map_add_1_sequence_1_tensor",
      "simple/test_strnorm_model_nostopwords_nochangecase",
      "pytorch-converted/test_Conv2d_groups"};
  for (const char *name : more) {
    std::ifstream stream(std::string("/usr/share/libonnx-testdata/data/") +
                             name + "/model.onnx",
                         std::ios::binary);
    if (stream)
      all.emplace_back(std::istreambuf_iterator<char>(stream),
                       std::istreambuf_iterator<char>());
  }
  return all;
}

TEST(OnnxMutation, DamagedModelsAreReadOrRefused) {
  std::mt19937 random(20240601);
  std::vector<std::string> originals = seeds();
  int accepted = 0, refused = 0;
  for (int round = 0; round < 6000; ++round) {
    std::string bytes = originals[round % originals.size()];
    auto at = [&] { return random() % bytes.size(); };
    for (unsigned edits = 1 + random() % 4; edits > 0 && !bytes.empty();
         --edits)
      switch (random() % 6) {
      case 0:
        bytes[at()] = char(random());
        break;
      case 1:
        bytes[at()] ^= char(1 << random() % 8);
        break;
      case 2:
        bytes.erase(at(), 1 + random() % 8);
        break;
      case 3:
        bytes.insert(at(), bytes.substr(at(), random() % 64));
        break;
      case 4:
        bytes[at()] = char(std::vector<int>{0, 0x7f, 0x80, 0xff}[random() % 4]);
        break;
      case 5: {
        const auto &other = originals[random() % originals.size()];
        bytes.insert(at(), other.substr(random() % other.size(), 32));
        break;
      }
      }
    Reading reading = readBytes(bytes);
    (reading.model ? accepted : refused) += 1;
    Status status = reading.status();
    ASSERT_TRUE(status == Status::Success || status == Status::InvalidModel ||
                status == Status::Unsupported || status == Status::Limit)
        << round << ": " << int(status) << " " << reading.text();
  }
  EXPECT_GT(accepted, 100);
  EXPECT_GT(refused, 1000);
}

} // namespace
} // namespace tenon::test
