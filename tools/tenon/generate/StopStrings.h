// Finds stop strings in a text that comes piece by piece. A stop string may
// begin in one piece and end in another.
#ifndef TENON_TOOLS_TENON_GENERATE_STOPSTRINGS_H
#define TENON_TOOLS_TENON_GENERATE_STOPSTRINGS_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace tenon::cli {

class StopStrings {
public:
  /// Empty strings are ignored.
  explicit StopStrings(std::vector<std::string> strings);

  /// Adds a piece. Returns the text that is certainly before any stop string;
  /// the rest is held back until a later piece decides.
  std::string push(llvm::StringRef piece);

  /// Ends the text: returns what was held back.
  std::string finish();

  /// True once a stop string was complete. The text ends before it.
  bool isFound() const { return found; }

private:
  std::vector<std::string> strings;
  std::string held;
  bool found = false;
};

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_GENERATE_STOPSTRINGS_H
