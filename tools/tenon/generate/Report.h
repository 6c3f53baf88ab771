// The results of `tenon generate`: printed as texts, ids or JSON, and the times
// of a call.
#ifndef TENON_TOOLS_TENON_GENERATE_REPORT_H
#define TENON_TOOLS_TENON_GENERATE_REPORT_H

#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace tenon::cli {

struct GeneratedSequence {
  size_t prompt = 0; ///< the number of its prompt
  std::vector<int64_t> ids;
  std::string text;
  std::string rest; ///< the end of the text, which was not shown as a piece
  float score = 0;
  int32_t reason = 0; ///< a tenon_reason
};

/// Prints one line for each sequence.
void printIds(llvm::raw_ostream &out,
              const std::vector<GeneratedSequence> &results);

/// Prints the texts, with an empty line between two. If the pieces of the first
/// one `wereShown`, prints only its rest.
void printTexts(llvm::raw_ostream &out,
                const std::vector<GeneratedSequence> &results, bool wereShown);

void printAsJson(llvm::raw_ostream &out,
                 const std::vector<GeneratedSequence> &results, bool withTexts);

/// The times of one call.
class GenerationTimes {
public:
  void startLoading() { loading = now(); }
  void startRun() { running = now(); }
  void addToken();
  void endRun() { ended = now(); }
  bool hasTokens() const { return tokens > 0; }

  /// A line with the tokens per second of prompts and texts, the time to load
  /// and the peak of memory.
  std::string report(const std::vector<std::vector<int64_t>> &prompts,
                     const std::vector<GeneratedSequence> &results) const;

private:
  using Time = std::chrono::steady_clock::time_point;
  static Time now() { return std::chrono::steady_clock::now(); }

  Time loading, running, first, ended;
  size_t tokens = 0;
};

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_GENERATE_REPORT_H
