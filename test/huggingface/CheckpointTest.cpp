// Tests the reader of checkpoint folders: configurations, files with weights
// and their index, and folders that must not be left.
#include "test/huggingface/CheckpointFolder.h"

namespace tenon::test {
namespace {

using namespace hf;

const char *const gpt2 = R"({"model_type":"gpt2","vocab_size":65,"n_embd":12,
  "n_layer":2,"n_head":3,"n_positions":32,"architectures":["GPT2LMHeadModel"]})";

/// A configuration of `type` with `more` members.
std::string llama(const std::string &more = "",
                  const std::string &type = "llama") {
  return R"({"model_type":")" + type +
         R"(","vocab_size":70,"max_position_embeddings":64,"hidden_size":24,
      "intermediate_size":40,"num_hidden_layers":2,"num_attention_heads":6)" +
         (more.empty() ? "" : ",") + more + "}";
}

/// Mistral has eight heads of keys and values unless it says otherwise.
std::string mistral(const std::string &more) {
  return llama("\"num_key_value_heads\":2" + more, "mistral");
}

Config configOf(const std::string &text) { return readConfig(parseJson(text)); }

LlamaConfig llamaOf(const std::string &text) {
  return std::get<LlamaConfig>(configOf(text).model);
}

Outcome readText(const std::string &text) {
  return outcomeOf([&] { configOf(text); });
}

std::string tensor(const std::string &name, int begin, int end) {
  return "{\"" + name + "\":{\"dtype\":\"F32\",\"shape\":[" +
         std::to_string((end - begin) / 4) + "],\"data_offsets\":[" +
         std::to_string(begin) + "," + std::to_string(end) + "]}}";
}

TEST(HuggingFaceConfig, DefaultsAreTheArchitectures) {
  auto small = std::get<Gpt2Config>(configOf(gpt2).model);
  EXPECT_EQ(small.inner, 48);
  EXPECT_TRUE(small.tied && small.scaleByDepth && !small.scaleByLayer);
  auto opt = std::get<OptConfig>(configOf(R"({"model_type":"opt"})").model);
  EXPECT_EQ(opt.embeddingWidth, 768);
  EXPECT_TRUE(opt.normFirst && opt.finalNorm && opt.biases && opt.tied);
  LlamaConfig plain = llamaOf(llama());
  EXPECT_EQ(plain.sharedHeads, 6);
  EXPECT_EQ(plain.headDim, 4);
  EXPECT_FALSE(plain.tied || plain.queryBias || plain.headNorms);
  EXPECT_FALSE(plain.window);
  LlamaConfig qwen2 = llamaOf(llama("", "qwen2"));
  EXPECT_TRUE(qwen2.queryBias && !qwen2.outputBias);
  LlamaConfig qwen3 = llamaOf(llama("\"num_key_value_heads\":2", "qwen3"));
  EXPECT_EQ(qwen3.headDim, 128);
  EXPECT_EQ(qwen3.sharedHeads, 2);
  EXPECT_TRUE(qwen3.headNorms);
}

TEST(HuggingFaceConfig, AliasesAndNullsAreRead) {
  auto alias = std::get<Gpt2Config>(
      configOf(R"({"model_type":"gpt2","hidden_size":8,"num_hidden_layers":1,
        "num_attention_heads":2,"max_position_embeddings":16,"n_inner":null})")
          .model);
  EXPECT_EQ(alias.width, 8);
  EXPECT_EQ(alias.positions, 16);
  EXPECT_EQ(alias.inner, 32);
}

TEST(HuggingFaceConfig, RopeHasTwoForms) {
  RopeConfig old = llamaOf(llama(R"("rope_theta":5e5,"rope_scaling":{
    "rope_type":"llama3","factor":8,"low_freq_factor":1,"high_freq_factor":4,
    "original_max_position_embeddings":8192})"))
                       .rope;
  EXPECT_EQ(old.theta, 5e5);
  EXPECT_EQ(old.scaling, RopeConfig::Scaling::Llama3);
  EXPECT_EQ(old.originalPositions, 8192);
  RopeConfig now = llamaOf(llama(R"("rope_parameters":{"rope_theta":1000,
    "rope_type":"linear","factor":2.5})"))
                       .rope;
  EXPECT_EQ(now.theta, 1000);
  EXPECT_EQ(now.scaling, RopeConfig::Scaling::Linear);
  EXPECT_EQ(now.factor, 2.5);
  for (const char *type : {"yarn", "longrope", "dynamic", "su"})
    expectRefused(readText(llama(std::string(R"("rope_scaling":{"type":")") +
                                 type + "\",\"factor\":2}")),
                  Status::Unsupported,
                  "\"rope_scaling.type\": error: \"" + std::string(type) +
                      "\" is not supported");
  expectRefused(readText(llama(R"("rope_scaling":{"type":"linear"})")),
                Status::InvalidModel,
                "\"rope_scaling.factor\": error: expected a number above 0, "
                "got nothing");
  expectRefused(readText(llama(R"("partial_rotary_factor":0.5)")),
                Status::Unsupported, "partial_rotary_factor");
}

TEST(HuggingFaceConfig, WindowsAreThoseThatCount) {
  EXPECT_EQ(llamaOf(mistral("")).window, 4096);
  EXPECT_FALSE(llamaOf(mistral(",\"sliding_window\":null")).window);
  EXPECT_EQ(llamaOf(mistral(",\"sliding_window\":9")).window, 9);
  EXPECT_FALSE(llamaOf(llama("\"sliding_window\":9", "qwen2")).window);
  EXPECT_EQ(llamaOf(llama(R"("sliding_window":9,"use_sliding_window":true,
    "max_window_layers":1)",
                          "qwen2"))
                .window,
            9);
  EXPECT_FALSE(llamaOf(llama(R"("sliding_window":9,"use_sliding_window":true,
    "max_window_layers":2)",
                             "qwen2"))
                   .window);
  EXPECT_FALSE(llamaOf(llama(R"("sliding_window":9,"use_sliding_window":true,
    "layer_types":["full_attention","full_attention"])",
                             "qwen3"))
                   .window);
  expectRefused(readText(llama(R"("sliding_window":9,"use_sliding_window":true,
    "layer_types":["linear_attention"])",
                               "qwen3")),
                Status::Unsupported, "\"linear_attention\" is not supported");
}

TEST(HuggingFaceConfig, NumbersOutOfRangeAreNamed) {
  for (const char *width : {"0", "-1", "1e18", "\"4096\"", "4096.5", "true"}) {
    std::string text = gpt2;
    text.replace(text.find("12,"), 2, width);
    expectRefused(readText(text), Status::InvalidModel,
                  "\"n_embd\": error: expected an integer from 1 to");
  }
  expectRefused(readText(llama("\"num_key_value_heads\":4")),
                Status::InvalidModel, "expected a divisor of the 6 heads");
  expectRefused(readText(llama("\"head_dim\":3")), Status::InvalidModel,
                "expected an even number");
  expectRefused(readText(R"({"model_type":"llama","vocab_size":9,
    "max_position_embeddings":9,"hidden_size":8388608,"intermediate_size":9,
    "num_hidden_layers":2,"num_attention_heads":1})"),
                Status::InvalidModel, "at most 65536, got 8388608");
  expectRefused(readText(llama("\"rms_norm_eps\":0")), Status::InvalidModel,
                "\"rms_norm_eps\": error: expected a number above 0, got 0");
  expectRefused(readText(llama("\"rope_theta\":NaN")), Status::InvalidModel,
                "not JSON");
  expectRefused(
      readText(R"({"model_type":"opt","num_hidden_layers":1000000000})"),
      Status::InvalidModel, "an integer from 1 to 1024");
  expectRefused(readText(R"({"model_type":"opt","max_position_embeddings":0})"),
                Status::InvalidModel, "max_position_embeddings");
  expectRefused(readText(R"({"model_type":"gpt2","n_head":5})"),
                Status::InvalidModel, "a divisor of the width 768, got 5");
  expectRefused(readText("[1]"), Status::InvalidModel, "expected an object");
  expectRefused(readText(R"({"model_type":"opt","enable_bias":1})"),
                Status::InvalidModel, "expected true or false, got 1");
}

TEST(HuggingFaceConfig, WhatIsNotSupportedIsNamedByKeyAndValue) {
  expectRefused(readText(R"({"model_type":"mamba"})"), Status::Unsupported,
                "\"model_type\": error: \"mamba\" is not supported");
  expectRefused(readText(R"({"model_type":"mamba"})"), Status::Unsupported,
                "gpt2, llama, mistral, mt5, opt, qwen2, qwen3, t5");
  expectRefused(readText("{}"), Status::InvalidModel, "\"model_type\"");
  expectRefused(readText(llama(R"("auto_map":{"AutoModel":"code.py"})")),
                Status::Unsupported, "\"auto_map\"");
  expectRefused(readText(llama(R"("quantization_config":{"bits":4})")),
                Status::Unsupported, "\"quantization_config\"");
  expectRefused(readText(llama("\"num_local_experts\":8", "mistral")),
                Status::Unsupported, "\"num_local_experts\": error: 8");
  expectRefused(readText(R"({"model_type":"gpt2","add_cross_attention":true})"),
                Status::Unsupported, "\"add_cross_attention\": error: true");
  expectRefused(readText(llama("\"hidden_act\":\"mish\"")), Status::Unsupported,
                "\"hidden_act\": error: \"mish\"");
  expectRefused(
      readText(llama(R"("architectures":["LlamaForTokenClassification"])")),
      Status::Unsupported, "expected LlamaForCausalLM");
}

TEST(GenerationDefaults, OptionsAreRead) {
  GenerationConfig none = readGenerationConfig(parseJson("{}"));
  EXPECT_FALSE(none.firstToken || none.padToken || none.maxLength);
  EXPECT_TRUE(none.endTokens.empty());
  EXPECT_EQ(none.topK, 50);
  GenerationConfig all = readGenerationConfig(parseJson(
      R"({"bos_token_id":1,"pad_token_id":-1,"eos_token_id":[2,7],
      "max_new_tokens":20,"do_sample":true,"temperature":0.6,"top_k":20,
      "top_p":0.95,"early_stopping":"never","length_penalty":-0.5,
      "suppress_tokens":[5],"top_n":null,"typical_p":null})"));
  EXPECT_EQ(all.firstToken, 1);
  EXPECT_FALSE(all.padToken);
  EXPECT_EQ(all.endTokens, (std::vector<int64_t>{2, 7}));
  EXPECT_EQ(all.maxNewTokens, 20);
  EXPECT_TRUE(all.sample);
  EXPECT_EQ(all.temperature, 0.6);
  EXPECT_EQ(all.earlyStopping, EarlyStopping::Never);
  EXPECT_EQ(all.lengthPenalty, -0.5);
  EXPECT_EQ(all.suppressTokens, std::vector<int64_t>{5});
  EXPECT_EQ(readGenerationConfig(parseJson(R"({"eos_token_id":3})")).endTokens,
            std::vector<int64_t>{3});
}

TEST(GenerationDefaults, OptionsOutOfRangeAreNamed) {
  auto read = [](const std::string &text) {
    return outcomeOf([&] { readGenerationConfig(parseJson(text)); });
  };
  expectRefused(read(R"({"temperature":0})"), Status::InvalidModel,
                "\"temperature\": error: expected a number above 0, got 0");
  expectRefused(read(R"({"top_p":1.5})"), Status::InvalidModel,
                "\"top_p\": error: expected a number from 0.0 to 1.0, got 1.5");
  expectRefused(read(R"({"top_k":-1})"), Status::InvalidModel, "\"top_k\"");
  expectRefused(read(R"({"num_beams":0})"), Status::InvalidModel,
                "an integer from 1 to 64, got 0");
  expectRefused(read(R"({"num_beams":65})"), Status::InvalidModel,
                "\"num_beams\": error: expected an integer from 1 to 64");
  expectRefused(read(R"({"temperature":1e-300})"), Status::InvalidModel,
                "\"temperature\"");
  expectRefused(read(R"({"typical_p":0})"), Status::InvalidModel,
                "\"typical_p\": error: expected a number above 0, got 0");
  expectRefused(read(R"({"typical_p":1.5})"), Status::InvalidModel,
                "\"typical_p\"");
  expectRefused(read(R"({"encoder_repetition_penalty":-1})"),
                Status::InvalidModel,
                "\"encoder_repetition_penalty\": error: expected a number "
                "above 0, got -1");
  expectRefused(read(R"({"encoder_no_repeat_ngram_size":-2})"),
                Status::InvalidModel, "\"encoder_no_repeat_ngram_size\"");
  expectRefused(read(R"({"forced_bos_token_id":3000000000})"),
                Status::InvalidModel, "\"forced_bos_token_id\"");
  expectRefused(read(R"({"forced_eos_token_id":[-1]})"), Status::InvalidModel,
                "\"forced_eos_token_id\": error: expected tokens");
  expectRefused(read(R"({"renormalize_logits":1})"), Status::InvalidModel,
                "\"renormalize_logits\": error: expected true or false, got 1");
  std::string many = "0";
  for (int i = 1; i < 65; ++i)
    many += "," + std::to_string(i);
  expectRefused(read("{\"eos_token_id\":[" + many + "]}"), Status::InvalidModel,
                "expected at most 64 tokens, got 65");

  expectRefused(read(R"({"eos_token_id":[1,-2]})"), Status::InvalidModel,
                "expected tokens from 0 to 2147483647, got -2");
  expectRefused(read(R"({"eos_token_id":"x"})"), Status::InvalidModel,
                "\"eos_token_id\"");
  expectRefused(read(R"({"early_stopping":"ever"})"), Status::InvalidModel,
                "expected true or false, got \"ever\"");
}

TEST(GenerationDefaults, OptionsOfProcessorsAreRead) {
  GenerationConfig none = readGenerationConfig(parseJson("{}"));
  EXPECT_TRUE(none.badWords.empty() && none.sequenceBias.empty());
  EXPECT_FALSE(none.forcedFirstToken || none.lengthDecay);
  EXPECT_FALSE(none.renormalize || none.removeInvalid);
  EXPECT_EQ(none.promptRepetitionPenalty, 1);
  GenerationConfig all = readGenerationConfig(parseJson(
      R"({"bad_words_ids":[[5],[6,7]],"forced_bos_token_id":3,
      "forced_eos_token_id":[2,9],"renormalize_logits":true,
      "remove_invalid_values":true,"encoder_repetition_penalty":1.5,
      "encoder_no_repeat_ngram_size":3,
      "exponential_decay_length_penalty":[4,1.25]})"));
  EXPECT_EQ(all.badWords, (std::vector<std::vector<int64_t>>{{5}, {6, 7}}));
  EXPECT_EQ(all.forcedFirstToken, 3);
  EXPECT_EQ(all.forcedEndTokens, (std::vector<int64_t>{2, 9}));
  EXPECT_TRUE(all.renormalize && all.removeInvalid);
  EXPECT_EQ(all.promptRepetitionPenalty, 1.5);
  EXPECT_EQ(all.noRepeatPromptNgram, 3);
  ASSERT_TRUE(all.lengthDecay);
  EXPECT_EQ(all.lengthDecay->start, 4);
  EXPECT_EQ(all.lengthDecay->factor, 1.25);
  auto one = readGenerationConfig(parseJson(R"({"forced_eos_token_id":2})"));
  EXPECT_EQ(one.forcedEndTokens, std::vector<int64_t>{2});
}

TEST(GenerationDefaults, SequenceBiasHasTwoForms) {
  for (const char *text : {R"_({"sequence_bias":[[[5],1.5],[[6,7],-2]]})_",
                           R"_({"sequence_bias":{"(5,)":1.5,"(6, 7)":-2}})_",
                           R"_({"sequence_bias":{"5":1.5,"( 6,7)":-2.0}})_"}) {
    GenerationConfig read = readGenerationConfig(parseJson(text));
    ASSERT_EQ(read.sequenceBias.size(), 2u) << text;
    EXPECT_EQ(read.sequenceBias[0].tokens, std::vector<int64_t>{5});
    EXPECT_EQ(read.sequenceBias[0].bias, 1.5);
    EXPECT_EQ(read.sequenceBias[1].tokens, (std::vector<int64_t>{6, 7}));
    EXPECT_EQ(read.sequenceBias[1].bias, -2);
  }
}

TEST(GenerationDefaults, WrongWordsAreNamed) {
  auto refused = [](const std::string &text, Status status,
                    const std::string &message) {
    expectRefused(outcomeOf([&] { readGenerationConfig(parseJson(text)); }),
                  status, message);
  };
  for (const char *key : {"()", "(5", "5)", "(5 6)", "(5,,6)", "(-1)", "x", "",
                          "(5,6)x", "(99999999999999999999)"})
    refused(std::string(R"({"sequence_bias":{")") + key + "\":1}}",
            Status::InvalidModel,
            "\"sequence_bias\": error: expected a tuple of tokens");
  refused(R"({"sequence_bias":[[[5],"x"]]})", Status::InvalidModel,
          "expected a number as bias, got \"x\"");
  refused(R"({"sequence_bias":[[5,1]]})", Status::InvalidModel,
          "expected a list of tokens, got 5");
  refused(R"({"sequence_bias":[[[5]]]})", Status::InvalidModel,
          "expected a pair of a word and its bias");
  refused(R"({"sequence_bias":7})", Status::InvalidModel,
          "\"sequence_bias\": error: expected a list of pairs");
  refused(R"({"bad_words_ids":[[]]})", Status::InvalidModel,
          "\"bad_words_ids\": error: expected a list of tokens");
  refused(R"({"bad_words_ids":[[1,-2]]})", Status::InvalidModel,
          "expected tokens from 0 to 2147483647, got -2");
  refused(R"({"bad_words_ids":[3]})", Status::InvalidModel, "got 3");
  std::string word = "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]";
  refused("{\"bad_words_ids\":[" + word + "]}", Status::Unsupported,
          "words of more than 16 tokens are not supported, got 17");
  std::string words = "[1]";
  for (int i = 0; i < 1024; ++i)
    words += ",[1]";
  refused("{\"bad_words_ids\":[" + words + "]}", Status::Unsupported,
          "lists of more than 1024 words are not supported, got 1025");
  for (const char *decay : {"[4]", "[-1,2]", "[4,0]", "[4.5,1]", "3"})
    refused(std::string(R"({"exponential_decay_length_penalty":)") + decay +
                "}",
            Status::InvalidModel, "\"exponential_decay_length_penalty\"");
}

TEST_F(CheckpointFolder, GenerationDefaultsHaveAFileOfTheirOwn) {
  std::string text = gpt2;
  text.insert(1, "\"eos_token_id\":5,");
  write("config.json", text);
  write("model.safetensors", safetensors(tensor("wte.weight", 0, 8), 8));
  ASSERT_TRUE(read().done);
  EXPECT_EQ(checkpoint->generation.endTokens, std::vector<int64_t>{5});
  write("generation_config.json", R"({"eos_token_id":[6]})");
  ASSERT_TRUE(read().done);
  EXPECT_EQ(checkpoint->generation.endTokens, std::vector<int64_t>{6});
  EXPECT_EQ(checkpoint->files.size(), 3u);
  write("generation_config.json", R"({"top_p":2})");
  expectRefused(read(), Status::InvalidModel,
                "generation_config.json: \"top_p\"");
}

TEST_F(CheckpointFolder, AFileOfWeightsIsRead) {
  write("config.json", gpt2);
  write("model.safetensors", safetensors(tensor("wte.weight", 0, 8), 8));
  EXPECT_TRUE(isCheckpointFolder(root.string()));
  Outcome outcome = read();
  ASSERT_TRUE(outcome.done) << outcome.text();
  EXPECT_EQ(checkpoint->config.modelType, "gpt2");
  EXPECT_EQ(checkpoint->files.size(), 2u);
  const CheckpointTensor *found = checkpoint->find("wte.weight");
  ASSERT_TRUE(found);
  EXPECT_EQ(checkpoint->bytes(*found), std::vector<std::byte>(8));
  write("saved_model.pb", "");
  EXPECT_FALSE(isCheckpointFolder(root.string()));
}

TEST_F(CheckpointFolder, MessagesNameTheFile) {
  write("config.json", "{\"n_layer\":2,}");
  expectRefused(read(), Status::InvalidModel, "config.json: offset 13");
  write("config.json", gpt2);
  expectRefused(read(), Status::InvalidModel,
                "the folder has neither model.safetensors nor "
                "model.safetensors.index.json");
  write("model.safetensors", "{}");
  expectRefused(read(), Status::InvalidModel, "model.safetensors: offset 0");
}

TEST_F(CheckpointFolder, PicklesThatAreNoTensors) {
  write("config.json", gpt2);
  write("consolidated.00.pth", "PK\3\4");
  expectRefused(read(), Status::Unsupported,
                "its weights are in consolidated.00.pth");
  write("pytorch_model.bin", "PK\3\4");
  expectRefused(read(), Status::InvalidModel,
                "pytorch_model.bin: error: expected a zip archive");
  write("pytorch_model.bin", "\x80\x02.");
  expectRefused(read(), Status::Unsupported, "before 1.6");
  // Safetensors are read if a folder has both.
  write("model.safetensors", safetensors(tensor("a", 0, 8), 8));
  EXPECT_TRUE(read().done);
}

TEST_F(CheckpointFolder, ShardsFollowTheIndex) {
  write("config.json", gpt2);
  write("one.safetensors", safetensors(tensor("a", 0, 8), 8));
  write("two.safetensors", safetensors(tensor("b", 0, 4), 4));
  auto index = [&](const std::string &map, const std::string &size = "12") {
    write("model.safetensors.index.json", R"({"metadata":{"total_size":)" +
                                              size + R"(},"weight_map":{)" +
                                              map + "}}");
    return read();
  };
  const std::string a = R"("a":"one.safetensors")",
                    b = R"("b":"two.safetensors")";
  Outcome outcome = index(a + "," + b);
  ASSERT_TRUE(outcome.done) << outcome.text();
  EXPECT_EQ(checkpoint->files[checkpoint->find("b")->file].path,
            (root / "two.safetensors").string());
  expectRefused(index(a), Status::InvalidModel, "expected the 8 bytes");
  expectRefused(index(a + "," + b, "13"), Status::InvalidModel,
                "\"metadata.total_size\": error: expected the 12 bytes of all "
                "tensors, got 13");
  expectRefused(index(a + "," + a), Status::InvalidModel, "twice");
  expectRefused(index(b + R"(,"a":"two.safetensors")"), Status::InvalidModel,
                "tensor \"a\": error: it is not in");
  expectRefused(index(R"("a":"two.safetensors")"), Status::InvalidModel,
                "does not list it");
  expectRefused(index(R"("a":7)"), Status::InvalidModel,
                "the name of a file for \"a\", got 7");
  expectRefused(index(""), Status::InvalidModel, "weight_map");
  expectRefused(index(R"("a":"gone.safetensors")"), Status::Io,
                "cannot open 'gone.safetensors'");
  // Both shards hold the tensor; the index can place it in one only.
  write("two.safetensors", safetensors(tensor("a", 0, 4), 4));
  expectRefused(index(a + R"(,"b":"two.safetensors")"), Status::InvalidModel,
                "places it in \"one.safetensors\"");
}

TEST_F(CheckpointFolder, NoFileOutsideIsOpened) {
  write("model/config.json", gpt2);
  write("x.safetensors", safetensors(tensor("a", 0, 8), 8));
  auto index = [&](const std::string &name) {
    write("model/model.safetensors.index.json",
          R"({"weight_map":{"a":")" + name + "\"}}");
    return read("model");
  };
  for (const std::string &name :
       {std::string("../x.safetensors"), (root / "x.safetensors").string(),
        std::string("sub/../../x.safetensors"), std::string("file:///x")})
    expectRefused(index(name), Status::InvalidModel,
                  "only from its own folder");
  std::filesystem::create_symlink(root / "x.safetensors",
                                  root / "model/link.safetensors");
  expectRefused(index("link.safetensors"), Status::InvalidModel,
                "leaves the model directory");
  std::filesystem::remove(root / "model/model.safetensors.index.json");
  std::filesystem::create_directory(root / "model/model.safetensors");
  expectRefused(read("model"), Status::InvalidModel, "to be a regular file");
}

TEST_F(CheckpointFolder, LinksIntoTheHubsBlobsAreFollowed) {
  write("blobs/c0", gpt2);
  write("blobs/w0", safetensors(tensor("a", 0, 8), 8));
  write("outside", safetensors(tensor("a", 0, 8), 8));
  std::filesystem::path snapshot = root / "snapshots/1";
  std::filesystem::create_directories(snapshot);
  std::filesystem::create_symlink("../../blobs/c0", snapshot / "config.json");
  std::filesystem::create_symlink("../../blobs/w0",
                                  snapshot / "model.safetensors");
  Outcome outcome = read("snapshots/1");
  EXPECT_TRUE(outcome.done) << outcome.text();
  // A file put into the snapshot by hand stands beside the links.
  std::filesystem::remove(snapshot / "model.safetensors");
  std::filesystem::copy_file(root / "blobs/w0", snapshot / "model.safetensors");
  EXPECT_TRUE(read("snapshots/1").done);
  std::filesystem::remove(snapshot / "model.safetensors");
  std::filesystem::create_symlink("../../outside",
                                  snapshot / "model.safetensors");
  expectRefused(read("snapshots/1"), Status::InvalidModel,
                "leaves the model directory");
}

TEST_F(CheckpointFolder, ManyShardsNeedFewDescriptors) {
  write("config.json", gpt2);
  std::string map;
  for (int i = 0; i < 100; ++i) {
    std::string name = "t" + std::to_string(i);
    write(name + ".safetensors", safetensors(tensor(name, 0, 8), 8));
    map += (i ? ",\"" : "\"") + name + "\":\"" + name + ".safetensors\"";
  }
  write("model.safetensors.index.json", "{\"weight_map\":{" + map + "}}");
  Outcome outcome = read();
  ASSERT_TRUE(outcome.done) << outcome.text();
  for (const auto &[name, tensor] : checkpoint->tensors)
    EXPECT_TRUE(checkpoint->bytes(tensor)) << name;
}

} // namespace
} // namespace tenon::test
