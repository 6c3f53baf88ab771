// Shards of PyTorch weights: pytorch_model.bin.index.json places each tensor in
// a file of the folder.
#include "test/huggingface/CheckpointFolder.h"
#include "test/huggingface/PytorchArchive.h"

namespace tenon::test {
namespace {

/// A file with the tensors `names`, each of six numbers.
std::string fileOf(const std::vector<std::string> &names) {
  std::string items;
  for (const std::string &name : names)
    items +=
        pytorch::text(name) + pytorch::tensor(pytorch::floats, 0, {6}, {1});
  return pytorch::archive(pytorch::head + "(" + items + "u.");
}

class PytorchShards : public CheckpointFolder {
public:
  PytorchShards() {
    write("model/config.json", R"({"model_type":"gpt2"})");
    write("model/one.bin", fileOf({"a"}));
    write("model/two.bin", fileOf({"b"}));
  }

  /// Reads the folder with an index that has the members `map`.
  Outcome index(const std::string &map, const std::string &more = "") {
    write("model/pytorch_model.bin.index.json",
          "{" + more + "\"weight_map\":{" + map + "}}");
    return read("model");
  }

  const std::string a = R"("a":"one.bin")", b = R"("b":"two.bin")";
};

TEST_F(PytorchShards, FollowTheIndex) {
  Outcome outcome = index(a + "," + b, R"("metadata":{"total_size":48},)");
  ASSERT_TRUE(outcome.done) << outcome.text();
  EXPECT_EQ(checkpoint->files[checkpoint->find("b")->file].path,
            (root / "model/two.bin").string());
  expectRefused(index(a + "," + b, R"("metadata":{"total_size":47},)"),
                Status::InvalidModel,
                "\"metadata.total_size\": error: expected the 48 bytes of all "
                "tensors, got 47");
  expectRefused(index(a + "," + a), Status::InvalidModel, "twice");
  expectRefused(index(a + "," + b + R"(,"c":"two.bin")"), Status::InvalidModel,
                "tensor \"c\": error: it is not in \"two.bin\"");
  expectRefused(index(R"("a":"two.bin")"), Status::InvalidModel,
                "pytorch_model.bin.index.json does not list it");
  expectRefused(index(a + R"(,"b":["two.bin"])"), Status::InvalidModel,
                "expected the name of a file for \"b\"");
  expectRefused(index(""), Status::InvalidModel, "weight_map");
}

TEST_F(PytorchShards, AreAllThere) {
  expectRefused(index(a + R"(,"b":"gone.bin")"), Status::Io,
                "cannot open 'gone.bin'");
  write("model/two.bin", "");
  expectRefused(index(a + "," + b), Status::Unsupported,
                "two.bin: offset 0: error: expected the zip form");
  write("model/two.bin", fileOf({"b"}).substr(0, 300));
  expectRefused(index(a + "," + b), Status::InvalidModel,
                "the file may be incomplete");
}

TEST_F(PytorchShards, HaveEachTensorOnce) {
  write("model/two.bin", fileOf({"b", "a"}));
  expectRefused(
      index(a + "," + b), Status::InvalidModel,
      "tensor \"a\": error: pytorch_model.bin.index.json places it in "
      "\"one.bin\"");
  write("model/two.bin", fileOf({"b", "b"}));
  expectRefused(index(a + "," + b), Status::InvalidModel,
                "the dictionary has it twice");
}

TEST_F(PytorchShards, NoFileOutsideIsOpened) {
  write("x.bin", fileOf({"a"}));
  for (const std::string &name :
       {std::string("../x.bin"), (root / "x.bin").string(),
        std::string("sub/../../x.bin"), std::string("file:///x")})
    expectRefused(index("\"a\":\"" + name + "\""), Status::InvalidModel,
                  "only from its own folder");
  std::filesystem::create_symlink(root / "x.bin", root / "model/link.bin");
  expectRefused(index(R"("a":"link.bin")"), Status::InvalidModel,
                "leaves the model directory");
  std::filesystem::create_directory(root / "model/folder.bin");
  expectRefused(index(R"("a":"folder.bin")"), Status::InvalidModel,
                "to be a regular file");
}

} // namespace
} // namespace tenon::test
