// Writes dependency rules; names are escaped as GCC and Clang do it.
#include "compiler/artifact/Dependencies.h"

namespace tenon {

static std::string escaped(llvm::StringRef name) {
  std::string text;
  for (char c : name) {
    if (c == ' ' || c == '#')
      text += '\\';
    if (c == '$')
      text += '$';
    text += c;
  }
  return text;
}

std::string dependencyRule(llvm::StringRef output,
                           llvm::ArrayRef<std::string> files) {
  std::string text = escaped(output) + ":";
  for (const std::string &file : files)
    text += " \\\n  " + escaped(file);
  return text + "\n";
}

} // namespace tenon
