// The tokens that Whisper's checkpoints name for languages, tasks and times.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_READER_SPEECHTOKENS_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_READER_SPEECHTOKENS_H

#include "compiler/files/Json.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tenon::hf {

struct NamedToken {
  std::string name; ///< "en", "transcribe"
  int64_t token;
};

struct SpeechTokens {
  std::vector<NamedToken> languages, tasks;
  /// What follows the start token unless a call says otherwise; a token without
  /// a value is to be detected.
  std::vector<std::optional<int64_t>> first;
  /// The token before the timestamps, which says that there are none. The one
  /// before it means that nobody speaks.
  std::optional<int64_t> noTimestamps;
  /// Begins the text of earlier windows.
  std::optional<int64_t> previous;
  /// The greatest number of the first timestamp.
  std::optional<int64_t> lastInitialTimestamp;
  /// The text of each token as makeTokenPieces has it; empty if unknown.
  std::vector<uint8_t> pieces;
  bool isMultilingual = false;
  bool makesTimestamps = false; ///< unless a call says otherwise
};

/// Reads generation_config.json, or config.json in older checkpoints. `model`
/// is config.json. Throws ReadFailure.
SpeechTokens readSpeechTokens(const Json &json, const Json &model);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_READER_SPEECHTOKENS_H
