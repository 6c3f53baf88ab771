// Tests the configurations of T5 and mT5.
#include "test/huggingface/CheckpointFolder.h"

namespace tenon::test {
namespace {

using namespace hf;

/// A configuration of `type` with `more` members.
std::string t5(const std::string &more = "", const std::string &type = "t5") {
  return R"({"model_type":")" + type + R"(","is_encoder_decoder":true)" +
         (more.empty() ? "" : ",") + more + "}";
}

Config configOf(const std::string &text) { return readConfig(parseJson(text)); }

T5Config t5Of(const std::string &more = "", const std::string &type = "t5") {
  return std::get<T5Config>(configOf(t5(more, type)).model);
}

Outcome readText(const std::string &text) {
  return outcomeOf([&] { configOf(text); });
}

TEST(T5Config, DefaultsAreTheArchitectures) {
  Config read = configOf(t5());
  EXPECT_TRUE(read.hasEncoder());
  T5Config small = t5Of();
  EXPECT_EQ(small.vocabulary, 32128);
  EXPECT_EQ(small.inner, 2048);
  EXPECT_EQ(small.layers, 6);
  EXPECT_EQ(small.encoderLayers, 6);
  EXPECT_EQ(small.heads * small.headDim, 512);
  EXPECT_EQ(small.farthest, 128);
  EXPECT_EQ(int(small.activation), int(Activation::Relu));
  EXPECT_TRUE(small.scalesHead && !small.isGated);
  EXPECT_EQ(small.usualPositions, 512);
  EXPECT_GT(small.positions, 512);
  T5Config mt5 = t5Of("", "mt5");
  EXPECT_EQ(mt5.vocabulary, 250112);
  EXPECT_EQ(mt5.heads, 6);
  EXPECT_EQ(mt5.layers, 8);
  EXPECT_TRUE(mt5.isGated && !mt5.scalesHead);
  EXPECT_FALSE(configOf(R"({"model_type":"opt"})").hasEncoder());
}

TEST(T5Config, LayersOfTheDecoderMayDiffer) {
  T5Config read = t5Of(R"("num_layers":3,"num_decoder_layers":5)");
  EXPECT_EQ(read.encoderLayers, 3);
  EXPECT_EQ(read.layers, 5);
  EXPECT_EQ(configOf(t5(R"("num_layers":3,"num_decoder_layers":5)")).layers(),
            5);
}

TEST(T5Config, FeedForwardIsAFunctionAndAGate) {
  auto read = [](const std::string &text) {
    return t5Of("\"feed_forward_proj\":\"" + text + "\"");
  };
  EXPECT_EQ(int(read("gated-gelu").activation), int(Activation::GeluTanh));
  EXPECT_TRUE(read("gated-gelu").isGated);
  EXPECT_EQ(int(read("gelu").activation), int(Activation::Gelu));
  EXPECT_FALSE(read("gelu").isGated);
  EXPECT_EQ(int(read("gated-silu").activation), int(Activation::Silu));
  for (const char *other : {"gated-mish", "gated", "fast-gelu", ""})
    expectRefused(
        readText(t5("\"feed_forward_proj\":\"" + std::string(other) + "\"")),
        Status::Unsupported,
        "\"feed_forward_proj\": error: \"" + std::string(other) + "\"");
  // Keys that follow from it must agree.
  EXPECT_TRUE(t5Of(R"("feed_forward_proj":"gated-gelu",
    "dense_act_fn":"gelu_new","is_gated_act":true)")
                  .isGated);
  expectRefused(readText(t5(R"("feed_forward_proj":"gated-gelu",
    "dense_act_fn":"gelu")")),
                Status::Unsupported, "\"dense_act_fn\": error: \"gelu\"");
  expectRefused(readText(t5("\"is_gated_act\":true")), Status::Unsupported,
                "\"is_gated_act\": error: true");
}

TEST(T5Config, TheHeadIsScaledIfTied) {
  EXPECT_FALSE(t5Of("\"tie_word_embeddings\":false").scalesHead);
  EXPECT_TRUE(t5Of("\"tie_word_embeddings\":true", "mt5").scalesHead);
  // Version 5 of the library says it directly.
  EXPECT_FALSE(t5Of("\"scale_decoder_outputs\":false").scalesHead);
  EXPECT_TRUE(t5Of(R"("tie_word_embeddings":false,
    "scale_decoder_outputs":true)")
                  .scalesHead);
}

TEST(T5Config, OtherValuesAreNamedByKey) {
  expectRefused(readText(R"({"model_type":"t5","is_encoder_decoder":false})"),
                Status::Unsupported, "\"is_encoder_decoder\": error: false");
  expectRefused(readText(R"({"model_type":"opt","is_encoder_decoder":true})"),
                Status::Unsupported, "\"is_encoder_decoder\": error: true");
  expectRefused(readText(t5("\"tie_encoder_decoder\":true")),
                Status::Unsupported, "\"tie_encoder_decoder\": error: true");
  expectRefused(readText(t5("\"architectures\":[\"T5EncoderModel\"]")),
                Status::Unsupported, "expected T5ForConditionalGeneration");
  EXPECT_TRUE(readText(t5("\"architectures\":[\"T5WithLMHeadModel\"]")).done);
  expectRefused(readText(t5("", "umt5")), Status::Unsupported,
                "\"model_type\": error: \"umt5\"");
  expectRefused(readText(t5("\"relative_attention_num_buckets\":3")),
                Status::InvalidModel, "an integer from 4 to");
  expectRefused(readText(t5("\"relative_attention_max_distance\":16")),
                Status::InvalidModel,
                "expected more than half of the 32 buckets, got 16");
  expectRefused(readText(t5("\"d_kv\":0")), Status::InvalidModel,
                "\"d_kv\": error: expected an integer from 1");
}

TEST(T5Config, NumbersOutOfRangeAreNamed) {
  for (const char *key :
       {"vocab_size", "d_model", "d_kv", "d_ff", "num_layers",
        "num_decoder_layers", "num_heads", "n_positions",
        "relative_attention_num_buckets", "relative_attention_max_distance"})
    for (const char *value :
         {"0", "-1", "1e18", "1000000000", "\"4096\"", "40.5", "true", "[]"}) {
      std::string name = "\"" + std::string(key) + "\"";
      expectRefused(readText(t5(name + ":" + value)), Status::InvalidModel,
                    name + ": error: expected an integer from");
    }
  for (const char *value : {"0", "-1", "\"x\"", "true"})
    expectRefused(readText(t5("\"layer_norm_epsilon\":" + std::string(value))),
                  Status::InvalidModel,
                  "\"layer_norm_epsilon\": error: expected a number above 0");
  for (const char *value : {"\"\"", "\"gated-\"", "\"gated-gelu-gelu\""})
    expectRefused(readText(t5("\"feed_forward_proj\":" + std::string(value))),
                  Status::Unsupported, "\"feed_forward_proj\": error: ");
  expectRefused(readText(t5("\"auto_map\":{\"AutoModel\":\"code.py\"}")),
                Status::Unsupported, "\"auto_map\"");
}

TEST(T5Config, TheDecoderBeginsWithTheTokenOfTheFiles) {
  auto first = [](const std::string &own, const char *model = nullptr) {
    Json config = model ? parseJson(model) : Json();
    return readGenerationConfig(parseJson(own), model ? &config : nullptr)
        .firstDecoderToken;
  };
  EXPECT_EQ(first(R"({"decoder_start_token_id":7,"bos_token_id":2})"), 7);
  EXPECT_EQ(first(R"({"bos_token_id":2,"pad_token_id":3})"), 2);
  EXPECT_EQ(first(R"({"pad_token_id":3})"), 3);
  EXPECT_EQ(first("{}"), 0);
  EXPECT_EQ(first(R"({"bos_token_id":2})", R"({"decoder_start_token_id":5})"),
            5);
  GenerationConfig past;
  past.firstDecoderToken = 67;
  expectRefused(outcomeOf([&] { checkPromptTokens(past, 67); }),
                Status::InvalidModel,
                "\"decoder_start_token_id\": error: expected a token of the 67 "
                "that the model has, got 67");
  EXPECT_TRUE(outcomeOf([&] { checkPromptTokens(past, 68); }).done);
}

} // namespace
} // namespace tenon::test
