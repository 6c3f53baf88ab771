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
  for (const char *names :
       {"[]", "{\"en\":-1}", "{\"en\":\"x\"}", "{\"\":1}", "{\"a\\u0000b\":1}"})
    expectRefused(readTokens("{\"lang_to_id\":" + std::string(names) + "}"),
                  Status::InvalidModel, "\"lang_to_id\"");
  expectRefused(readTokens(R"({"no_timestamps_token_id":-2})"),
                Status::InvalidModel, "\"no_timestamps_token_id\"");
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
