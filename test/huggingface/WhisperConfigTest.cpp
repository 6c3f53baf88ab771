// Tests the configuration of Whisper, and the tokens that its checkpoints name.
#include "test/huggingface/CheckpointFolder.h"

namespace tenon::test {
namespace {

using namespace hf;

/// A configuration with `more` members.
std::string whisper(const std::string &more = "") {
  return std::string(R"({"model_type":"whisper","is_encoder_decoder":true)") +
         (more.empty() ? "" : ",") + more + "}";
}

WhisperConfig whisperOf(const std::string &more = "") {
  return std::get<WhisperConfig>(readConfig(parseJson(whisper(more))).model);
}

Outcome readText(const std::string &more) {
  return outcomeOf([&] { readConfig(parseJson(whisper(more))); });
}

SpeechTokens tokensOf(const std::string &text,
                      const std::string &config = "{}") {
  return readSpeechTokens(parseJson(text), parseJson(config));
}

Outcome readTokens(const std::string &text) {
  return outcomeOf([&] { tokensOf(text); });
}

TEST(WhisperConfig, DefaultsAreTheArchitectures) {
  Config read = readConfig(parseJson(whisper()));
  EXPECT_TRUE(read.hasEncoder());
  EXPECT_EQ(read.positions(), 448);
  EXPECT_EQ(read.vocabulary(), 51865);
  WhisperConfig tiny = whisperOf();
  EXPECT_EQ(tiny.bins, 80);
  EXPECT_EQ(tiny.width, 384);
  EXPECT_EQ(tiny.frames(), 3000);
  EXPECT_EQ(tiny.encoder.heads, 6);
  EXPECT_EQ(tiny.decoder.inner, 1536);
  EXPECT_EQ(int(tiny.activation), int(Activation::Gelu));
}

TEST(WhisperConfig, StacksMayDiffer) {
  std::string turbo =
      R"("d_model":1280,"num_mel_bins":128,"encoder_layers":32,
         "encoder_attention_heads":20,"encoder_ffn_dim":5120,
         "decoder_layers":4,"decoder_attention_heads":10,
         "decoder_ffn_dim":2560)";
  WhisperConfig read = whisperOf(turbo);
  EXPECT_EQ(read.bins, 128);
  EXPECT_EQ(read.encoder.layers, 32);
  EXPECT_EQ(read.decoder.layers, 4);
  EXPECT_EQ(read.layers, 4);
  EXPECT_EQ(read.encoder.heads, 20);
  EXPECT_EQ(read.decoder.heads, 10);
  EXPECT_EQ(read.encoder.inner, 5120);
  EXPECT_EQ(read.decoder.inner, 2560);
}

TEST(WhisperConfig, OtherValuesAreRefused) {
  expectRefused(readText(R"("encoder_attention_heads":5)"),
                Status::InvalidModel, "\"encoder_attention_heads\"");
  expectRefused(readText(R"("decoder_attention_heads":0)"),
                Status::InvalidModel, "\"decoder_attention_heads\"");
  expectRefused(readText(R"("num_mel_bins":202)"), Status::InvalidModel,
                "from 1 to 201");
  expectRefused(readText(R"("scale_embedding":true)"), Status::Unsupported,
                "\"scale_embedding\"");
  expectRefused(readText(R"("tie_word_embeddings":false)"), Status::Unsupported,
                "\"tie_word_embeddings\"");
  expectRefused(readText(R"("activation_function":"mish")"),
                Status::Unsupported, "\"mish\"");
  expectRefused(
      readText(R"("architectures":["WhisperForAudioClassification"])"),
      Status::Unsupported, "WhisperForConditionalGeneration");
}

TEST(WhisperConfig, NumbersOutOfRangeAreNamed) {
  for (const char *key :
       {"vocab_size", "num_mel_bins", "max_source_positions",
        "max_target_positions", "d_model", "encoder_layers", "decoder_layers",
        "encoder_attention_heads", "decoder_attention_heads", "encoder_ffn_dim",
        "decoder_ffn_dim"})
    for (const char *value :
         {"0", "-1", "1e18", "1000000000", "\"4096\"", "40.5", "true", "[]"}) {
      std::string name = "\"" + std::string(key) + "\"";
      expectRefused(readText(name + ":" + value), Status::InvalidModel,
                    name + ": error: expected an integer from");
    }
  expectRefused(readText(R"("auto_map":{"AutoModel":"code.py"})"),
                Status::Unsupported, "\"auto_map\"");
}

TEST(SpeechTokens, AreThoseOfTheFile) {
  SpeechTokens read = tokensOf(R"({
    "lang_to_id":{"<|en|>":7,"<|de|>":8,"fr":9},
    "task_to_id":{"translate":20,"transcribe":21},
    "forced_decoder_ids":[[1,null],[2,21]],"no_timestamps_token_id":30,
    "prev_sot_token_id":25,"max_initial_timestamp_index":50,
    "is_multilingual":true,"return_timestamps":true})");
  ASSERT_EQ(read.languages.size(), 3u);
  EXPECT_EQ(read.languages[0].name, "en");
  EXPECT_EQ(read.languages[1].token, 8);
  EXPECT_EQ(read.languages[2].name, "fr");
  ASSERT_EQ(read.tasks.size(), 2u);
  EXPECT_EQ(read.tasks[1].name, "transcribe");
  ASSERT_EQ(read.first.size(), 2u);
  EXPECT_FALSE(read.first[0]);
  EXPECT_EQ(read.first[1], 21);
  EXPECT_EQ(read.noTimestamps, 30);
  EXPECT_EQ(read.previous, 25);
  EXPECT_EQ(read.lastInitialTimestamp, 50);
  EXPECT_TRUE(read.isMultilingual && read.makesTimestamps);
}

TEST(SpeechTokens, MayBeAbsent) {
  SpeechTokens none = tokensOf("{}");
  EXPECT_TRUE(none.languages.empty() && none.tasks.empty());
  EXPECT_TRUE(none.first.empty());
  EXPECT_FALSE(none.noTimestamps || none.previous || none.lastInitialTimestamp);
  EXPECT_FALSE(none.isMultilingual || none.makesTimestamps);
  EXPECT_TRUE(tokensOf(R"({"lang_to_id":{"<|en|>":7}})").isMultilingual);
  EXPECT_FALSE(tokensOf(R"({"lang_to_id":{"<|en|>":7},
    "is_multilingual":false})")
                   .isMultilingual);
}

TEST(SpeechTokens, FirstTokensMayBeInTheOtherFile) {
  const char *config = R"({"forced_decoder_ids":[[1,5]]})";
  EXPECT_EQ(tokensOf("{}", config).first.size(), 1u);
  EXPECT_EQ(tokensOf(R"({"forced_decoder_ids":null})", config).first.size(),
            1u);
  EXPECT_EQ(tokensOf(R"({"forced_decoder_ids":[]})", config).first.size(), 0u);
}

TEST(SpeechTokens, MistakesAreNamed) {
  for (const char *list : {"[[2,5]]", "[[1,5],[3,6]]", "[[1]]", "[5]", "{}",
                           "[[1,-1]]", "[[1,1.5]]", "[[0,5]]"})
    expectRefused(
        readTokens("{\"forced_decoder_ids\":" + std::string(list) + "}"),
        Status::InvalidModel, "\"forced_decoder_ids\"");
  for (const char *key : {"lang_to_id", "task_to_id"})
    for (const char *names : {"[]", "5", "{\"en\":-1}", "{\"en\":\"x\"}",
                              "{\"en\":null}", "{\"en\":1e30}", "{\"\":1}",
                              "{\"a\\u0000b\":1}", "{\"<|en|>\":1,\"en\":2}"}) {
      std::string name = "\"" + std::string(key) + "\"";
      expectRefused(readTokens("{" + name + ":" + names + "}"),
                    Status::InvalidModel, name + ": error: expected ");
    }
}

TEST(SpeechTokens, TypesAndRangesAreNamed) {
  auto refuse = [&](const char *key, const char *value) {
    std::string name = "\"" + std::string(key) + "\"";
    expectRefused(readTokens("{" + name + ":" + value + "}"),
                  Status::InvalidModel, name + ": error: expected ");
  };
  for (const char *key : {"no_timestamps_token_id", "prev_sot_token_id",
                          "max_initial_timestamp_index"})
    for (const char *value :
         {"-2", "1.5", "1e18", "9223372036854775807", "\"5\"", "true", "[5]"})
      refuse(key, value);
  for (const char *key : {"is_multilingual", "return_timestamps"})
    for (const char *value : {"1", "\"true\"", "[]", "{}"})
      refuse(key, value);
}

TEST(SpeechTokens, ListsAreLimited) {
  std::string names, pairs;
  for (int i = 0; i < 4097; ++i)
    names += (i ? ",\"" : "\"") + std::to_string(i) + "\":" + std::to_string(i);
  for (int i = 1; i <= 17; ++i)
    pairs += (i > 1 ? ",[" : "[") + std::to_string(i) + ",5]";
  expectRefused(readTokens("{\"lang_to_id\":{" + names + "}}"),
                Status::InvalidModel, "an object of at most 4096 names");
  expectRefused(readTokens("{\"forced_decoder_ids\":[" + pairs + "]}"),
                Status::InvalidModel, "a list of at most 16 pairs");
}

TEST(SpeechTokens, SuppressedOnesMayBeAny) {
  GenerationConfig config = readGenerationConfig(parseJson(
      R"({"suppress_tokens":[1,1000000,7,8],"begin_suppress_tokens":[99]})"));
  config.speech = tokensOf("{}");
  EXPECT_TRUE(outcomeOf([&] { checkPromptTokens(config, 9); }).done);
  for (const char *key : {"suppress_tokens", "begin_suppress_tokens"})
    for (const char *value :
         {"[-1]", "[1.5]", "[null]", "[[1]]", "\"all\"", "{}", "true"}) {
      std::string name = "\"" + std::string(key) + "\"";
      expectRefused(outcomeOf([&] {
                      readGenerationConfig(
                          parseJson("{" + name + ":" + value + "}"));
                    }),
                    Status::InvalidModel, name + ": error: expected ");
    }
}

/// It begins earlier text in files that name no other token for that.
TEST(SpeechTokens, TheLastButOneSuppressedIsOfTheVocabulary) {
  GenerationConfig config =
      readGenerationConfig(parseJson(R"({"suppress_tokens":[1,9,2]})"));
  config.speech = tokensOf("{}");
  auto check = [&] { return outcomeOf([&] { checkPromptTokens(config, 9); }); };
  expectRefused(check(), Status::InvalidModel,
                "\"suppress_tokens\": error: expected a token of the 9");
  config.speech->previous = 3;
  EXPECT_TRUE(check().done);
}

TEST(SpeechTokens, AreOfTheVocabulary) {
  for (auto [key, value] : {std::pair("lang_to_id", R"({"en":8,"de":9})"),
                            std::pair("task_to_id", R"({"transcribe":9})"),
                            std::pair("forced_decoder_ids", "[[1,null],[2,9]]"),
                            std::pair("no_timestamps_token_id", "9"),
                            std::pair("prev_sot_token_id", "9")}) {
    std::string name = "\"" + std::string(key) + "\"";
    GenerationConfig config;
    config.speech = tokensOf("{" + name + ":" + value + "}");
    expectRefused(outcomeOf([&] { checkPromptTokens(config, 9); }),
                  Status::InvalidModel,
                  name + ": error: expected a token of the 9 that the model");
    EXPECT_TRUE(outcomeOf([&] { checkPromptTokens(config, 10); }).done);
  }
}

} // namespace
} // namespace tenon::test
