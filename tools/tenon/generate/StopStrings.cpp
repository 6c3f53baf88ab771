// The text held back is the longest end of the text that begins a stop string.
#include "tools/tenon/generate/StopStrings.h"

#include "llvm/ADT/STLExtras.h"

namespace tenon::cli {

StopStrings::StopStrings(std::vector<std::string> given)
    : strings(std::move(given)) {
  llvm::erase_if(strings, [](const std::string &s) { return s.empty(); });
}

/// The length of the longest end of `text` that begins `string`.
static size_t endThatBegins(llvm::StringRef text, llvm::StringRef string) {
  size_t length = std::min(text.size(), string.size() - 1);
  while (!text.ends_with(string.take_front(length)))
    --length;
  return length;
}

std::string StopStrings::push(llvm::StringRef piece) {
  if (found)
    return "";
  held += piece;
  size_t end = std::string::npos, longest = 0;
  for (const std::string &string : strings) {
    end = std::min(end, held.find(string));
    longest = std::max(longest, endThatBegins(held, string));
  }
  found = end != std::string::npos;
  if (!found)
    end = held.size() - longest;
  std::string text = held.substr(0, end);
  held.erase(0, end);
  return text;
}

std::string StopStrings::finish() {
  return found ? "" : std::exchange(held, "");
}

} // namespace tenon::cli
