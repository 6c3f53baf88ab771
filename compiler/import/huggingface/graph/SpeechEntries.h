// The entries that only models of speech have: `features` makes what the
// encoder reads, and the inputs of `tokens` tell special tokens.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GRAPH_SPEECHENTRIES_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GRAPH_SPEECHENTRIES_H

#include "compiler/import/huggingface/generation/Entries.h"
#include "compiler/import/huggingface/reader/Config.h"
#include "compiler/import/huggingface/reader/GenerationConfig.h"

namespace tenon::hf {

class SpeechEntries {
public:
  SpeechEntries(GraphBuilder &g, Entries &entries, const WhisperConfig &config,
                const GenerationConfig &defaults)
      : g(g), entries(entries), config(config), defaults(defaults) {}

  void buildFeatures();
  /// Nobody needs to call `tokens`: the defaults of its inputs are what it is
  /// for. Programs read them from the artifact's tables.
  void buildTokens();

private:
  GraphBuilder &g;
  Entries &entries;
  const WhisperConfig &config;
  const GenerationConfig &defaults;
};

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GRAPH_SPEECHENTRIES_H
