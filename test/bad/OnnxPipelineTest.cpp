// Runs damaged models through the first phases of the compiler. Each must be
// refused with a proper status or pass shape inference.
#include "test/bad/OneNodeModels.h"

#include "compiler/Compiler.h"

#include <random>

namespace tenon::test {
namespace {

class OnnxPipeline : public testing::Test {
protected:
  /// Compiles `bytes` up to the phase `shaped`; returns the status.
  Status shape(const std::string &bytes, std::string &said) {
    folder.write("m.onnx", bytes);
    Compiler compiler(
        [&](const Diagnostic &d) { said += formatDiagnostic(d); });
    CompileOptions options;
    options.input = folder / "m.onnx";
    options.stopAfter = "shaped";
    Status status = Status::Internal;
    compiler.printStage(options, status);
    return status;
  }

  void expectSettled(const std::string &bytes, const std::string &what) {
    std::string said;
    Status status = shape(bytes, said);
    ++(status == Status::Success ? accepted : refused);
    EXPECT_TRUE(status == Status::Success || status == Status::InvalidModel ||
                status == Status::Unsupported || status == Status::Limit)
        << what << ": " << int(status) << " " << said;
    EXPECT_TRUE(status == Status::Success || !said.empty()) << what;
  }

  Folder folder;
  int accepted = 0, refused = 0;
};

/// A model with a function, a branch, an initializer, sizes and types.
std::string makeVariedModel() {
  ::onnx::ModelProto model = makeModel();
  auto *graph = model.mutable_graph();
  addTensor(graph->mutable_input(), "c", {}, ::onnx::TensorProto::BOOL);
  auto branches = addIf(graph, "c", "z");
  addNode(branches.thenBranch, "Relu", {"y"}, {"a"});
  addTensor(branches.thenBranch->mutable_output(), "a");
  addTensor(branches.elseBranch->mutable_output(), "w");
  addNode(graph, "Shape", {"z"}, {"size"});
  addNode(graph, "Reshape", {"z", "size"}, {"r"});
  addFunction(model, "twice", {"Relu", "Relu"});
  auto *call = addNode(graph, "twice", {"r"}, {"end"});
  call->set_domain("f");
  auto *import = model.add_opset_import();
  import->set_domain("f");
  import->set_version(1);
  addTensor(graph->mutable_output(), "end");
  return model.SerializeAsString();
}

TEST_F(OnnxPipeline, TheModelIsGood) {
  std::string said;
  EXPECT_EQ(int(shape(makeVariedModel(), said)), 0) << said;
}

TEST_F(OnnxPipeline, PrefixesAreRefused) {
  std::string good = makeVariedModel();
  // The graph comes before the functions and opsets it needs.
  for (size_t size = 0; size < good.size(); size += 3)
    expectSettled(good.substr(0, size), "cut at " + std::to_string(size));
  EXPECT_EQ(accepted, 0);
}

TEST_F(OnnxPipeline, FlippedBytesAreRefusedOrCompiled) {
  std::string good = makeVariedModel();
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= i % 2 ? 0x01 : 0xff;
    expectSettled(bad, "byte " + std::to_string(i));
  }
  EXPECT_GT(accepted, 10);
  EXPECT_GT(refused, 100);
}

TEST_F(OnnxPipeline, DamagedOperatorsAreRefusedOrCompiled) {
  std::mt19937 random(20240602);
  for (const auto &[op, model] : oneNodeModels())
    for (int round = 0; round < TENON_TEST_ROUNDS; ++round) {
      std::string bytes = model.SerializeAsString();
      for (unsigned edits = 1 + random() % 2; edits > 0; --edits) {
        size_t at = random() % bytes.size();
        bytes[at] =
            random() % 2 ? char(bytes[at] ^ 1 << random() % 8) : char(random());
      }
      expectSettled(bytes, op + " " + std::to_string(round));
    }
  if (!oneNodeModels().empty()) {
    EXPECT_GT(accepted, 20);
    EXPECT_GT(refused, 200);
  }
}

} // namespace
} // namespace tenon::test
