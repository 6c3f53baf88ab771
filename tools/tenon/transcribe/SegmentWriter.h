// Prints the segments of a sound, each when it is known: as text, subtitles or
// JSON.
#ifndef TENON_TOOLS_TENON_TRANSCRIBE_SEGMENTWRITER_H
#define TENON_TOOLS_TENON_TRANSCRIBE_SEGMENTWRITER_H

#include "runtime/tenon_transcribe.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace tenon::cli {

class SegmentWriter {
public:
  /// `format` is text, srt, vtt or json. `hasTimes`: lines of text begin with
  /// times.
  SegmentWriter(llvm::raw_ostream &out, std::string format, bool hasTimes);

  /// Prints a segment with its text; with ids only, the ids are the text.
  void add(const tenon_segment &segment, const std::string &text, bool hasText);

  /// Ends the output. JSON is printed here. An empty language is unknown.
  void finish(const std::string &language, double seconds);

private:
  /// A segment for JSON.
  struct Told {
    tenon_segment segment; ///< whose ids are gone
    std::vector<int64_t> ids;
    std::string text;
    bool hasText;
  };
  static void writeObject(llvm::json::OStream &json, const Told &told);

  llvm::raw_ostream &out;
  std::string format;
  bool hasTimes;
  int64_t count = 0;
  std::vector<Told> segments;
};

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_TRANSCRIBE_SEGMENTWRITER_H
