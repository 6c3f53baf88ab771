// The entries without states: `logits`, the scores of the next token at every
// position, and in models with an encoder `encode`, its results.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GRAPH_PLAINENTRIES_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GRAPH_PLAINENTRIES_H

#include "compiler/import/huggingface/generation/Entries.h"
#include "compiler/import/huggingface/generation/EntryInputs.h"

namespace tenon::hf {

class PlainEntries {
public:
  PlainEntries(GraphBuilder &g, Entries &entries, Parameters &parameters,
               const Config &config, const EntryInputs &inputs)
      : g(g), entries(entries), parameters(parameters), config(config),
        inputs(inputs) {}

  void buildLogits();
  void buildEncode();

private:
  void buildDecoderLogits();
  void buildEncoderDecoderLogits();
  /// The logits of `decoder` for rows with pads before their tokens. Pads get
  /// those of the row's first token.
  mlir::Value logits(const Decoder &decoder, mlir::Value ids,
                     mlir::Value lengths, llvm::StringRef input,
                     const Attend &attend);

  GraphBuilder &g;
  Entries &entries;
  Parameters &parameters;
  const Config &config;
  const EntryInputs &inputs;
};

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GRAPH_PLAINENTRIES_H
