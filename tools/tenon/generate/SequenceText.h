// The text of one sequence, from its ids. It ends before a stop string.
#ifndef TENON_TOOLS_TENON_GENERATE_SEQUENCETEXT_H
#define TENON_TOOLS_TENON_GENERATE_SEQUENCETEXT_H

#include "tools/tenon/LoadedTokenizer.h"
#include "tools/tenon/generate/StopStrings.h"

namespace tenon::cli {

class SequenceText {
public:
  explicit SequenceText(std::vector<std::string> stops)
      : stops(std::move(stops)) {}

  Status create(Talk &talk, const LoadedTokenizer &tokenizer) {
    return decoder.create(talk, tokenizer, /*skipSpecial=*/true);
  }

  /// Adds an id; returns the text that can be shown now.
  std::string push(uint32_t id) { return keep(stops.push(decoder.push(id))); }

  /// Ends the text; returns the rest.
  std::string finish() {
    std::string rest = stops.push(decoder.finish());
    return keep(rest + stops.finish());
  }

  /// True if a stop string ended the text.
  bool isStopped() const { return stops.isFound(); }

  /// All text so far.
  const std::string &get() const { return text; }

private:
  std::string keep(std::string piece) {
    text += piece;
    return piece;
  }

  TextDecoder decoder;
  StopStrings stops;
  std::string text;
};

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_GENERATE_SEQUENCETEXT_H
