// A language model: one file per architecture. A decoder computes tokens and
// knows nothing of batches, pads and caches.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_MODELS_DECODER_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_MODELS_DECODER_H

#include "compiler/import/huggingface/blocks/Attend.h"
#include "compiler/import/huggingface/blocks/Part.h"
#include "compiler/import/huggingface/reader/Config.h"

#include <memory>

namespace tenon::hf {

class Decoder {
public:
  virtual ~Decoder() = default;

  /// What the head reads, rows x positions x width, for tokens `ids`, which is
  /// [rows, positions]. `positions` is [positions] if all rows have the same,
  /// else [rows, positions].
  virtual mlir::Value hidden(mlir::Value ids, mlir::Value positions,
                             const Attend &attend) const = 0;
  /// The scores of all tokens of the vocabulary as the next one.
  virtual mlir::Value logits(mlir::Value hidden) const = 0;
};

/// `root` is the part without a name. The configuration must outlive the
/// decoder.
std::unique_ptr<Decoder> makeDecoder(const Config &config, const Part &root);

std::unique_ptr<Decoder> makeGpt2(const Gpt2Config &config, const Part &root);
std::unique_ptr<Decoder> makeOpt(const OptConfig &config, const Part &root);
std::unique_ptr<Decoder> makeLlama(const LlamaConfig &config, const Part &root);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_MODELS_DECODER_H
