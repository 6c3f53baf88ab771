// Damages a small checkpoint byte by byte and imports it: the folder is refused
// or imported, and a module that is imported verifies.
#include "test/huggingface/ImportFolder.h"

namespace tenon::test {
namespace {

class CheckpointImport : public ImportFolder {
protected:
  /// The status of importing the folder with `more` options.
  Status statusOf(CompileOptions options = {}) {
    import(options);
    EXPECT_EQ(said.empty(), status == Status::Success) << said;
    return status;
  }

  /// Writes a Qwen3 of one layer.
  void writeQwen3() {
    add("model.embed_tokens.weight", {9, 8});
    for (const char *norm : {"input_layernorm", "post_attention_layernorm"})
      add(std::string("model.layers.0.") + norm + ".weight", {8});
    std::string attention = "model.layers.0.self_attn.";
    add(attention + "q_proj.weight", {8, 8});
    add(attention + "k_proj.weight", {4, 8});
    add(attention + "v_proj.weight", {4, 8});
    add(attention + "o_proj.weight", {8, 8});
    add(attention + "q_norm.weight", {4});
    add(attention + "k_norm.weight", {4});
    add("model.layers.0.mlp.gate_proj.weight", {6, 8});
    add("model.layers.0.mlp.up_proj.weight", {6, 8});
    add("model.layers.0.mlp.down_proj.weight", {8, 6});
    add("model.norm.weight", {8});
    writeModel(config);
  }

  const std::string config =
      R"({"model_type":"qwen3","vocab_size":9,"hidden_size":8,)"
      R"("intermediate_size":6,"num_hidden_layers":1,"head_dim":4,)"
      R"("num_attention_heads":2,"num_key_value_heads":1,"rope_theta":1e4,)"
      R"("max_position_embeddings":16,"tie_word_embeddings":true,)"
      R"("rope_scaling":{"type":"linear","factor":2.0}})";
};

TEST_F(CheckpointImport, DamagedBytesAreRefusedOrImported) {
  writeQwen3();
  ASSERT_EQ(int(statusOf()), int(Status::Success)) << said;
  int imported = 0, refused = 0;
  auto flip = [&](const std::string &name, std::string bytes, size_t from,
                  size_t end) {
    for (size_t i = from; i < end; ++i)
      for (char mask : {char(1), char(0x10), char(0xff)}) {
        bytes[i] ^= mask;
        write(name, bytes);
        (statusOf() == Status::Success ? imported : refused) += 1;
        EXPECT_NE(int(status), int(Status::Internal)) << name << " " << i;
        bytes[i] ^= mask;
      }
    write(name, bytes);
  };
  flip("config.json", config, 0, config.size());
  flip("model.safetensors", weights(), 0, 8 + header.size());
  EXPECT_GT(imported, 10);
  EXPECT_GT(refused, 1000);
}

TEST_F(CheckpointImport, SizesOfInputsAreChecked) {
  writeQwen3();
  auto withDim = [&](const std::string &name, int64_t min, int64_t max) {
    CompileOptions options;
    options.dims.push_back({name, min, max, 1});
    return statusOf(options);
  };
  EXPECT_EQ(int(withDim("seq", 1, 16)), int(Status::Success)) << said;
  EXPECT_EQ(int(withDim("seq", 8, INT64_MAX)), int(Status::Success)) << said;
  EXPECT_EQ(int(withDim("rows", 3, 3)), int(Status::Success)) << said;
  EXPECT_EQ(int(withDim("seq", 1, 17)), int(Status::Usage));
  EXPECT_EQ(int(withDim("seq", 0, 16)), int(Status::Usage));
  EXPECT_EQ(int(withDim("rows", 0, 4)), int(Status::Usage));
  EXPECT_EQ(int(withDim("other", 1, 4)), int(Status::Usage));
  auto withShape = [&](std::optional<int64_t> rows,
                       std::optional<int64_t> seq) {
    CompileOptions options;
    options.shapes.push_back({"ids", {rows, seq}});
    return statusOf(options);
  };
  EXPECT_EQ(int(withShape(2, 16)), int(Status::Success)) << said;
  EXPECT_EQ(int(withShape(std::nullopt, 4)), int(Status::Success)) << said;
  EXPECT_EQ(int(withShape(2, 17)), int(Status::Usage));
  EXPECT_EQ(int(withShape(0, 4)), int(Status::Usage));
  EXPECT_EQ(int(withShape(2, 0)), int(Status::Usage));
}

} // namespace
} // namespace tenon::test
