// Imports a Whisper and looks at its entries: the tokens that programs read,
// the options of timestamps, and what damaged files give.
#include "test/huggingface/ImportFolder.h"

#include "dialects/tenon/Annotations.h"
#include "dialects/tenon/State.h"
#include "dialects/tenon/TenonDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tenon::test {
namespace {

using namespace mlir;

constexpr int64_t width = 8, inner = 6, vocabulary = 24, positions = 8,
                  windows = 4, bins = 5;

const char *const config =
    R"({"model_type":"whisper","vocab_size":24,"num_mel_bins":5,"d_model":8,)"
    R"("encoder_layers":1,"encoder_attention_heads":2,"encoder_ffn_dim":6,)"
    R"("decoder_layers":1,"decoder_attention_heads":4,"decoder_ffn_dim":6,)"
    R"("max_source_positions":4,"max_target_positions":8,)"
    R"("decoder_start_token_id":10})";
const char *const generation =
    R"({"lang_to_id":{"<|en|>":11,"<|de|>":12},)"
    R"("task_to_id":{"translate":13,"transcribe":14},)"
    R"("forced_decoder_ids":[[1,null],[2,14]],"suppress_tokens":[3,7,15,16],)"
    R"("no_timestamps_token_id":17,"max_initial_timestamp_index":3,)"
    R"("eos_token_id":9,"is_multilingual":true})";

class WhisperImport : public ImportFolder {
protected:
  void addNorm(const std::string &name) {
    add(name + ".weight", {width});
    add(name + ".bias", {width});
  }

  void addLinear(const std::string &name, int64_t outputs, int64_t inputs,
                 bool bias = true) {
    add(name + ".weight", {outputs, inputs});
    if (bias)
      add(name + ".bias", {outputs});
  }

  void addStack(const std::string &stack, bool isDecoder) {
    std::string layer = stack + ".layers.0.";
    for (const char *part : {"self_attn", "encoder_attn"}) {
      if (!isDecoder && part == std::string("encoder_attn"))
        continue;
      for (const char *name : {"q_proj", "k_proj", "v_proj", "out_proj"})
        addLinear(layer + part + "." + name, width, width,
                  name != std::string("k_proj"));
      addNorm(layer + part + "_layer_norm");
    }
    addLinear(layer + "fc1", inner, width);
    addLinear(layer + "fc2", width, inner);
    addNorm(layer + "final_layer_norm");
    addNorm(stack + ".layer_norm");
  }

  void writeWhisper() {
    std::string encoder = "model.encoder", decoder = "model.decoder";
    add(encoder + ".conv1.weight", {width, bins, 3});
    add(encoder + ".conv1.bias", {width});
    add(encoder + ".conv2.weight", {width, width, 3});
    add(encoder + ".conv2.bias", {width});
    add(encoder + ".embed_positions.weight", {windows, width});
    addStack(encoder, false);
    add(decoder + ".embed_tokens.weight", {vocabulary, width});
    add(decoder + ".embed_positions.weight", {positions, width});
    addStack(decoder, true);
    writeModel(config);
    write("generation_config.json", generation);
  }

  CompileOptions only(const std::string &entry) {
    CompileOptions options;
    options.tensorflow.entries.push_back({/*isSignature=*/false, entry});
    return options;
  }

  /// The default of input `input` of `entry`; null if there is none.
  DenseElementsAttr defaultOf(ModuleOp module, StringRef entry,
                              StringRef input) {
    auto function = module.lookupSymbol<func::FuncOp>(entry);
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (annotation::name.of(function, i).getValue() == input)
        return annotation::defaultValue.of(function, i);
    return {};
  }

  template <typename T = int64_t>
  std::vector<T> valuesOf(ModuleOp module, StringRef entry, StringRef input) {
    auto values = defaultOf(module, entry, input).getValues<T>();
    return {values.begin(), values.end()};
  }
};

TEST_F(WhisperImport, TokensAreDefaults) {
  writeWhisper();
  OwningOpRef<ModuleOp> module = import();
  ASSERT_TRUE(module) << said;
  using Ids = std::vector<int64_t>;
  auto ids = [&](StringRef input) {
    return valuesOf(*module, "tokens", input);
  };
  auto names = [&](StringRef input) {
    auto bytes = valuesOf<uint8_t>(*module, "tokens", input);
    return std::string(bytes.begin(), bytes.end());
  };
  EXPECT_EQ(ids("languages"), (Ids{11, 12}));
  EXPECT_EQ(names("language_names"), std::string("en\0de\0", 6));
  EXPECT_EQ(ids("tasks"), (Ids{13, 14}));
  EXPECT_EQ(names("task_names"), std::string("translate\0transcribe\0", 21));
  EXPECT_EQ(ids("first_tokens"), (Ids{-1, 14}));
  EXPECT_EQ(ids("no_timestamps_token_id"), Ids{17});
  // The last but one of the tokens that never come.
  EXPECT_EQ(ids("prev_sot_token_id"), Ids{15});
  EXPECT_TRUE(valuesOf<bool>(*module, "tokens", "is_multilingual").front());
  EXPECT_EQ(valuesOf(*module, "start", "decoder_start_token_id"), Ids{10});
  EXPECT_EQ(valuesOf(*module, "start", "max_initial_timestamp_index"), Ids{3});
  EXPECT_FALSE(valuesOf<bool>(*module, "start", "timestamps").front());
}

TEST_F(WhisperImport, TokensMayBeAbsent) {
  writeWhisper();
  write("generation_config.json", "{}");
  OwningOpRef<ModuleOp> module = import();
  ASSERT_TRUE(module) << said;
  for (const char *input : {"languages", "tasks", "first_tokens"})
    EXPECT_TRUE(valuesOf(*module, "tokens", input).empty()) << input;
  for (const char *input : {"no_timestamps_token_id", "prev_sot_token_id"})
    EXPECT_EQ(valuesOf(*module, "tokens", input).front(), -1) << input;
  EXPECT_FALSE(valuesOf<bool>(*module, "tokens", "is_multilingual").front());
}

/// All windows have the same length, so it is no extent of a context. Frames
/// are as many as one window has.
TEST_F(WhisperImport, WindowsHaveOneLength) {
  writeWhisper();
  OwningOpRef<ModuleOp> module = import();
  ASSERT_TRUE(module) << said;
  EXPECT_FALSE(module->lookupSymbol("encoder_positions"));
  auto keys = module->lookupSymbol<StateOp>("cross.keys.0");
  ASSERT_TRUE(keys);
  EXPECT_EQ(cast<RankedTensorType>(keys.getType()).getShape(),
            (ArrayRef<int64_t>{ShapedType::kDynamic, 4, windows, 2}));
  CompileOptions options;
  options.dims.push_back({"frames", 1, 2 * windows, 1});
  EXPECT_TRUE(import(options)) << said;
  options.dims.front().max = 2 * windows + 1;
  EXPECT_FALSE(import(options));
}

TEST_F(WhisperImport, EntriesCanBeChosen) {
  writeWhisper();
  for (const char *entry : {"features", "tokens", "encode"}) {
    OwningOpRef<ModuleOp> module = import(only(entry));
    ASSERT_TRUE(module) << said;
    EXPECT_TRUE(module->lookupSymbol(entry));
    EXPECT_FALSE(module->lookupSymbol("start"));
    EXPECT_EQ(said, "");
  }
  EXPECT_FALSE(import(only("hidden")));
  EXPECT_NE(said.find("its functions are features, tokens, encode"),
            std::string::npos)
      << said;
}

TEST_F(WhisperImport, DamagedBytesAreRefusedOrImported) {
  writeWhisper();
  int imported = 0, refused = 0;
  auto flip = [&](const std::string &name, std::string bytes,
                  const std::string &entry) {
    for (char &byte : bytes)
      for (char mask : {char(1), char(0x10), char(0xff)}) {
        byte ^= mask;
        write(name, bytes);
        (import(only(entry)) ? imported : refused) += 1;
        EXPECT_NE(int(status), int(Status::Internal)) << name << bytes;
        byte ^= mask;
      }
    write(name, bytes);
  };
  flip("config.json", config, "encode");
  flip("generation_config.json", generation, "tokens");
  EXPECT_GT(imported, 100);
  EXPECT_GT(refused, 1000);
}

} // namespace
} // namespace tenon::test
