// The text of failures. A file that is wrong everywhere gets a message of
// bounded length.
#include "tokenizers/Failure.h"

#include "tokenizers/Utf8.h"

namespace tenon::tokenizers {

static constexpr size_t maxLines = 20;
static constexpr size_t maxQuoted = 60;

std::string quoted(std::string_view text) {
  std::string result = "'";
  for (size_t at = 0; at < text.size();) {
    size_t length = sequenceLength(text, at);
    if (at + length > maxQuoted) {
      result += "...";
      break;
    }
    if (length == 0 || static_cast<unsigned char>(text[at]) < 0x20) {
      static const char digits[] = "0123456789abcdef";
      unsigned char byte = text[at];
      result += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
      ++at;
      continue;
    }
    result += text.substr(at, length);
    at += length;
  }
  return result + "'";
}

void Findings::add(tenon_tokenizer_status status, const std::string &place,
                   const std::string &text) {
  // Something invalid makes the file invalid, whatever else it asks for; the
  // lower status is the graver one.
  if (worst == TENON_TOKENIZER_OK || status < worst)
    worst = status;
  if (++count > maxLines)
    return;
  if (count > 1)
    lines += '\n';
  lines += file + ": " + (place.empty() ? "" : place + ": ") + text;
}

void Findings::check() const {
  if (count == 0)
    return;
  std::string text = lines;
  if (count > maxLines)
    text += "\n" + file + ": " + std::to_string(count - maxLines) +
            " more problems";
  throw Failure{worst, text};
}

} // namespace tenon::tokenizers
