// Diagnostics as text for a terminal. Names from a model can neither move the
// cursor nor break lines.
#include "compiler/report/Diagnostic.h"

#include "compiler/report/Utf8.h"

namespace tenon {

/// Appends `s`; every byte that is not printable UTF-8 becomes \xNN.
static void appendEscaped(std::string &out, const std::string &s) {
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < s.size();) {
    unsigned char first = s[i];
    size_t length = utf8SequenceLength(s, i);
    // Some terminals take U+0080 to U+009F as control characters.
    bool control = first < 0x20 || first == 0x7f ||
                   (length == 2 && first == 0xc2 && uint8_t(s[i + 1]) < 0xa0);
    if (length != 0 && !control) {
      out.append(s, i, length);
      i += length;
      continue;
    }
    for (size_t end = i + (length ? length : 1); i < end; ++i) {
      unsigned char byte = s[i];
      out += "\\x";
      out += digits[byte >> 4];
      out += digits[byte & 15];
    }
  }
}

std::string escapeForTerminal(const std::string &s) {
  std::string out;
  out.reserve(s.size());
  appendEscaped(out, s);
  return out;
}

static const char *severityName(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error: ";
  case Severity::Warning:
    return "warning: ";
  case Severity::Remark:
    return "remark: ";
  case Severity::Note:
    break;
  }
  return "note: ";
}

std::string formatDiagnostic(const Diagnostic &d) {
  std::string out;
  for (const std::string *part : {&d.file, &d.place}) {
    if (part->empty())
      continue;
    appendEscaped(out, *part);
    out += ": ";
  }
  out += severityName(d.severity);
  appendEscaped(out, d.text);
  out += '\n';
  for (const std::string &detail : d.details) {
    out += "  ";
    appendEscaped(out, detail);
    out += '\n';
  }
  if (!d.help.empty()) {
    out += "  help: ";
    appendEscaped(out, d.help);
    out += '\n';
  }
  return out;
}

} // namespace tenon
