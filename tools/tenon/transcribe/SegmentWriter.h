// Prints the segments of a sound, each when it is known: as text, subtitles or
// JSON.
#ifndef TENON_TOOLS_TENON_TRANSCRIBE_SEGMENTWRITER_H
#define TENON_TOOLS_TENON_TRANSCRIBE_SEGMENTWRITER_H

#include "runtime/tenon_transcribe.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

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
  void addObject(const tenon_segment &segment, const std::string &text,
                 bool hasText);

  llvm::raw_ostream &out;
  std::string format;
  bool hasTimes;
  int64_t count = 0;
  llvm::json::Array objects;
};

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_TRANSCRIBE_SEGMENTWRITER_H
