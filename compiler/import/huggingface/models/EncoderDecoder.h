// A model with an encoder: a decoder whose layers also attend to what the
// encoder makes of an item, such as a text. What an item is, how it is checked
// and how it is encoded is the model's own; entries go through the items one by
// one, so that no pad is computed and an item has the bits that it has alone.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_MODELS_ENCODERDECODER_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_MODELS_ENCODERDECODER_H

#include "compiler/import/huggingface/models/Decoder.h"

#include <string>
#include <vector>

namespace tenon::hf {

/// An input of the encoder. Its first extent is that of the items, "rows".
struct EncoderInput {
  struct Extent {
    std::string name; ///< of a dynamic extent
    int64_t size = -1;
  };
  std::string name;
  std::vector<Extent> extents;
  bool isFloat = false; ///< f32, else i64
};

/// What a configuration says about the encoder, before any op is built.
struct EncoderInputs {
  std::vector<EncoderInput> alone;   ///< of `encode` and `logits`
  std::vector<EncoderInput> inStart; ///< of `start`, beside the decoder's
  /// The greatest sizes of named extents.
  std::vector<EncoderInput::Extent> bounds;
  /// The positions of an item's results: the most, and those of a context whose
  /// extents nobody chooses. If all items have as many, `isFixed`.
  int64_t positions, usualPositions;
  bool isFixed = false;
  bool hasTokens = true; ///< an item is made of tokens
};

EncoderInputs encoderInputsOf(const Config &config);
EncoderInputs t5EncoderInputs(const T5Config &config);
EncoderInputs whisperEncoderInputs(const WhisperConfig &config);

/// An argument of an entry.
struct EncoderArgument {
  std::string name;
  mlir::Value value;
};

/// The items of one call.
class Encoder {
public:
  virtual ~Encoder() = default;

  /// The most positions of an item of this call.
  virtual Size positions() const = 0;
  /// The results for item number `item`: f32 [1, positions, width].
  virtual mlir::Value encode(Size item) const = 0;
  /// Its tokens, i64 [1, positions], or null if an item has none.
  virtual mlir::Value tokens(Size item) const = 0;
};

class EncoderDecoder : public Decoder {
public:
  /// Checks `inputs`, which are in the order of EncoderInputs.
  virtual std::unique_ptr<Encoder>
  encoder(llvm::ArrayRef<EncoderArgument> inputs) const = 0;
  /// The elements of a position of the encoder's results.
  virtual int64_t encoderWidth() const = 0;
  /// The keys and values of an item's results, `hidden`, for a layer of the
  /// decoder.
  virtual Projections crossProjections(int64_t layer,
                                       mlir::Value hidden) const = 0;
};

/// For a configuration that has an encoder.
std::unique_ptr<EncoderDecoder> makeEncoderDecoder(const Config &config,
                                                   const Part &root);
std::unique_ptr<EncoderDecoder> makeT5(const T5Config &config,
                                       const Part &root);
std::unique_ptr<EncoderDecoder> makeWhisper(const WhisperConfig &config,
                                            const Part &root);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_MODELS_ENCODERDECODER_H
