// Mistakes planted into the PTX text of an artifact: each changes one place and
// keeps the length of the text.
#ifndef TENON_TEST_GPU_MUTATIONS_H
#define TENON_TEST_GPU_MUTATIONS_H

#include <string>
#include <vector>

namespace tenon::test {

struct Mutation {
  std::string what; ///< "line 31: a barrier is left out"
  /// The emulator must report it; others may show in the bits alone.
  bool mustBeFound;
  std::string text; ///< all of the text, with the mistake
  /// All of the text, with a trap in its place: a line that no thread executes
  /// is no mistake.
  std::string trapped;
};

/// All barriers, waits and shuffles of the text in turn, and some of its
/// accesses.
std::vector<Mutation> mutationsOf(const std::string &text);

} // namespace tenon::test

#endif
