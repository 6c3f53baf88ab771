// Features have one form: the tables of the transform are constants of the
// artifact. A file that asks for another form would otherwise give wrong text.
#include "compiler/import/huggingface/reader/SoundFeatures.h"

#include "compiler/files/ReadFailure.h"

#include <cmath>

namespace tenon::hf {
namespace {

/// Frames of a second.
constexpr int64_t frameRate = 100;
/// An hour, more than any window has.
constexpr int64_t mostSeconds = 3600;

struct Setting {
  const char *key;
  double value;
};
constexpr Setting settings[] = {{"sampling_rate", 16000},
                                {"hop_length", 160},
                                {"n_fft", 400},
                                {"padding_value", 0},
                                {"dither", 0}};

void expectNumber(const ConfigReader &config, const Setting &setting) {
  const Json *value = config.find(setting.key);
  if (!value)
    return;
  double number = numberIn(value);
  if (std::isnan(number))
    fail(config.place(setting.key), "expected a number, got " + spell(*value));
  if (number != setting.value)
    config.unsupported(setting.key,
                       "features are made with " + spell({setting.value}));
}

void expectText(const ConfigReader &config, const char *key,
                const std::string &wanted) {
  if (config.text(key, wanted) != wanted)
    config.unsupported(key, "features are made as by " + wanted);
}
} // namespace

void checkSoundFeatures(const ConfigReader &config,
                        const WhisperConfig &model) {
  expectText(config, "feature_extractor_type", "WhisperFeatureExtractor");
  for (const Setting &setting : settings)
    expectNumber(config, setting);
  expectText(config, "padding_side", "right");
  if (config.flag("do_normalize", false))
    config.unsupported("do_normalize");
  int64_t bins = config.integer("feature_size", 1, INT64_MAX, model.bins);
  if (bins != model.bins)
    fail(config.place("feature_size"),
         "expected the " + std::to_string(model.bins) +
             " mel bins of config.json, got " + std::to_string(bins));
  if (!config.has("chunk_length"))
    return;
  int64_t seconds = config.integer("chunk_length", 1, mostSeconds);
  if (seconds * frameRate != model.frames())
    fail(config.place("chunk_length"),
         "expected the seconds of the " + std::to_string(model.frames()) +
             " frames of 10 ms that config.json has positions for, got " +
             std::to_string(seconds));
}

} // namespace tenon::hf
