// Tests what preprocessor_config.json and processor_config.json may say: the
// features that the compiler makes, and nothing else.
#include "compiler/import/huggingface/reader/SoundFeatures.h"

#include "test/huggingface/CheckpointFolder.h"

namespace tenon::test {
namespace {

using namespace hf;

Outcome checked(const std::string &members) {
  Config model = readConfig(parseJson(R"({"model_type":"whisper"})"));
  return outcomeOf([&] {
    Json json = parseJson("{" + members + "}");
    checkSoundFeatures(ConfigReader(json),
                       std::get<WhisperConfig>(model.model));
  });
}

TEST(SoundFeatures, ThoseOfTheLibraryAreAccepted) {
  EXPECT_TRUE(checked("").done);
  Outcome whole = checked(R"(
    "chunk_length":30,"dither":0.0,"feature_extractor_type":
    "WhisperFeatureExtractor","feature_size":80,"hop_length":160,
    "mel_filters":[[0.5,0.25],[0.0,1e-3]],"n_fft":400,"n_samples":480000,
    "nb_max_frames":3000,"padding_side":"right","padding_value":0.0,
    "processor_class":"WhisperProcessor","return_attention_mask":false,
    "sampling_rate":16000,"do_normalize":false)");
  EXPECT_TRUE(whole.done) << whole.text();
}

TEST(SoundFeatures, OthersAreRefused) {
  for (auto [key, value] :
       {std::pair("sampling_rate", "8000"), std::pair("hop_length", "160.5"),
        std::pair("n_fft", "-400"), std::pair("padding_value", "1"),
        std::pair("dither", "0.5"), std::pair("padding_side", "\"left\""),
        std::pair("do_normalize", "true"),
        std::pair("feature_extractor_type", "\"ClapFeatureExtractor\"")}) {
    std::string name = "\"" + std::string(key) + "\"";
    expectRefused(checked(name + ":" + value), Status::Unsupported,
                  name + ": error: " + value + " is not supported");
  }
  expectRefused(checked(R"("hop_length":80)"), Status::Unsupported,
                "help: features are made with 160");
}

TEST(SoundFeatures, OtherSizesThanTheModelsAreRefused) {
  expectRefused(checked(R"("feature_size":128)"), Status::InvalidModel,
                "\"feature_size\": error: expected the 80 mel bins of "
                "config.json, got 128");
  expectRefused(checked(R"("chunk_length":20)"), Status::InvalidModel,
                "\"chunk_length\": error: expected the seconds of the 3000 "
                "frames");
}

TEST(SoundFeatures, TypesAreNamed) {
  for (const char *key :
       {"sampling_rate", "hop_length", "n_fft", "padding_value", "dither",
        "feature_size", "chunk_length", "padding_side", "do_normalize",
        "feature_extractor_type"})
    for (const char *value : {"[]", "{}"}) {
      std::string name = "\"" + std::string(key) + "\"";
      expectRefused(checked(name + ":" + value), Status::InvalidModel,
                    name + ": error: expected ");
    }
  for (const char *value : {"0", "-1", "1e18", "80.5", "\"80\"", "true"}) {
    expectRefused(checked("\"feature_size\":" + std::string(value)),
                  Status::InvalidModel, "expected an integer from 1");
    expectRefused(checked("\"chunk_length\":" + std::string(value)),
                  Status::InvalidModel, "expected an integer from 1");
  }
}

/// A Whisper without weights: its settings are read before they are missed.
class SoundFeaturesFolder : public CheckpointFolder {
protected:
  SoundFeaturesFolder() { write("config.json", R"({"model_type":"whisper"})"); }

  void expectAccepted() {
    expectRefused(read(), Status::InvalidModel,
                  "the folder has neither model.safetensors");
  }
};

TEST_F(SoundFeaturesFolder, ThoseOfAProcessorAreChecked) {
  write("processor_config.json",
        R"({"processor_class":"WhisperProcessor","feature_extractor":{
            "chunk_length":30,"dither":0.0,"feature_extractor_type":
            "WhisperFeatureExtractor","feature_size":80,"hop_length":160,
            "n_fft":400,"n_samples":480000,"nb_max_frames":3000,
            "padding_side":"right","padding_value":0.0,
            "return_attention_mask":false,"sampling_rate":16000}})");
  expectAccepted();
  write("processor_config.json", R"({"feature_extractor":{"n_fft":512}})");
  expectRefused(read(), Status::Unsupported,
                "processor_config.json: \"feature_extractor.n_fft\": error: "
                "512 is not supported");
  write("processor_config.json",
        R"({"feature_extractor":{"feature_size":128}})");
  expectRefused(read(), Status::InvalidModel,
                "processor_config.json: \"feature_extractor.feature_size\": "
                "error: expected the 80 mel bins of config.json, got 128");
}

TEST_F(SoundFeaturesFolder, AProcessorMayHaveNone) {
  for (const char *processor :
       {"{}", R"({"feature_extractor":null})",
        R"({"processor_class":"WhisperProcessor","n_fft":512})"}) {
    write("processor_config.json", processor);
    expectAccepted();
  }
}

TEST_F(SoundFeaturesFolder, AProcessorIsAnObjectOfObjects) {
  write("processor_config.json", "[1]");
  expectRefused(read(), Status::InvalidModel,
                "processor_config.json: error: expected an object, got");
  for (const char *value :
       {"[]", "80", "\"WhisperFeatureExtractor\"", "true"}) {
    write("processor_config.json",
          "{\"feature_extractor\":" + std::string(value) + "}");
    expectRefused(read(), Status::InvalidModel,
                  "processor_config.json: \"feature_extractor\": error: "
                  "expected an object, got");
  }
}

TEST_F(SoundFeaturesFolder, BothFilesAreChecked) {
  const char *right = R"({"n_fft":400})", *wrong = R"({"n_fft":512})";
  auto inProcessor = [](const std::string &settings) {
    return "{\"feature_extractor\":" + settings + "}";
  };
  write("preprocessor_config.json", right);
  write("processor_config.json", inProcessor(right));
  expectAccepted();
  write("processor_config.json", inProcessor(wrong));
  expectRefused(read(), Status::Unsupported,
                "/processor_config.json: \"feature_extractor.n_fft\"");
  write("preprocessor_config.json", wrong);
  write("processor_config.json", inProcessor(right));
  expectRefused(read(), Status::Unsupported,
                "/preprocessor_config.json: \"n_fft\"");
}

} // namespace
} // namespace tenon::test
