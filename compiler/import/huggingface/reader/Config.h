// The configurations of the supported architectures, as checked structures.
// Fields have the names of the papers, not of the files, whose keys differ from
// one architecture to the next.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_READER_CONFIG_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_READER_CONFIG_H

#include "compiler/files/Json.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace tenon::hf {

enum class Activation { Relu, Gelu, GeluTanh, Silu };

struct Gpt2Config {
  int64_t vocabulary, positions, width, inner, layers, heads;
  Activation activation;
  double epsilon;
  bool scaleByDepth; ///< scores are divided by the square root of a head's size
  bool scaleByLayer; ///< scores are divided by the number of the layer, from 1
  bool tied;         ///< the head is the token embedding
};

struct OptConfig {
  int64_t vocabulary, positions, width, inner, layers, heads;
  int64_t embeddingWidth; ///< of tokens; projected if it is not `width`
  Activation activation;
  bool normFirst; ///< norms stand before attention and feed-forward, else after
  bool finalNorm; ///< a norm follows the last layer
  bool biases;    ///< of linear layers
  bool affineNorm; ///< norms have weights
  bool tied;
};

/// Rotary position embedding.
struct RopeConfig {
  enum class Scaling { None, Linear, Llama3 };
  double theta = 10000;
  Scaling scaling = Scaling::None;
  double factor = 1;
  double low = 0, high = 0; ///< factors of frequencies, of Llama3
  double originalPositions = 0;
};

/// Llama, Mistral, Qwen2 and Qwen3.
struct LlamaConfig {
  int64_t vocabulary, positions, width, inner, layers;
  int64_t heads, sharedHeads, headDim; ///< sharedHeads: of keys and values
  Activation activation;
  double epsilon;
  RopeConfig rope;
  bool queryBias; ///< of queries, keys and values
  bool outputBias;
  bool feedForwardBias;
  bool headNorms;                ///< queries and keys are normalized
  std::optional<int64_t> window; ///< positions that a token attends to
  std::string windowKey;         ///< the key that gives the window
  bool tied;
};

/// T5 and mT5. Positions are relative and the model has no greatest number of
/// them; `positions` bounds what entries take.
struct T5Config {
  int64_t vocabulary, positions;
  int64_t usualPositions; ///< of a context whose extents nobody chooses
  int64_t width, inner, encoderLayers, layers, heads, headDim;
  int64_t buckets, farthest; ///< of the position bias
  Activation activation;
  bool isGated; ///< the activation is multiplied by a second projection
  double epsilon;
  bool scalesHead; ///< the head reads values over the square root of `width`
};

struct WhisperStack {
  int64_t layers, heads, inner;
};

struct WhisperConfig {
  int64_t vocabulary, positions; ///< of the decoder
  int64_t width, bins;           ///< bins: features of a frame
  int64_t encoderPositions;      ///< half the frames of a window
  WhisperStack encoder, decoder;
  int64_t layers; ///< of the decoder
  Activation activation;

  int64_t frames() const { return 2 * encoderPositions; }
};

struct Config {
  std::string modelType; ///< "gpt2"
  std::variant<Gpt2Config, OptConfig, LlamaConfig, T5Config, WhisperConfig>
      model;

  int64_t vocabulary() const;
  /// The longest sequence that the model has positions for. In a model with an
  /// encoder, the decoder's.
  int64_t positions() const;
  /// The positions of a context whose extents nobody chooses.
  int64_t usualPositions() const;
  /// Layers of the decoder.
  int64_t layers() const;
  int64_t headWidth() const; ///< of the values that the head reads
  bool hasEncoder() const;
};

/// Reads config.json. Throws ReadFailure: Unsupported for other architectures
/// and for values with a meaning that the compiler lacks.
Config readConfig(const Json &json);

class ConfigReader;
Gpt2Config readGpt2Config(const ConfigReader &config);
OptConfig readOptConfig(const ConfigReader &config);
LlamaConfig readLlamaConfig(const ConfigReader &config,
                            const std::string &modelType);
T5Config readT5Config(const ConfigReader &config, const std::string &modelType);
WhisperConfig readWhisperConfig(const ConfigReader &config);
/// The function that configurations call `name`.
std::optional<Activation> activationNamed(std::string_view name);
/// The names of all functions, for messages.
std::string knownActivations();
/// The activation function named by `key`.
Activation readActivation(const ConfigReader &config, const char *key,
                          const char *absent);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_READER_CONFIG_H
