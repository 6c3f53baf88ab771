// Turns names of a model into C identifiers. In comments a name keeps its
// spelling, except for characters that could end the comment.
#include "compiler/artifact/CSpelling.h"

#include "compiler/report/Diagnostic.h"
#include "runtime/tenon_abi.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::formatv;
using llvm::StringRef;

namespace tenon {

const char *cType(int32_t dtype) {
  switch (dtype) {
  case TENON_F32:
    return "float";
  case TENON_F64:
    return "double";
  case TENON_F16:
  case TENON_BF16:
  case TENON_U16:
    return "uint16_t";
  case TENON_I8:
    return "int8_t";
  case TENON_I16:
    return "int16_t";
  case TENON_I32:
    return "int32_t";
  case TENON_I64:
    return "int64_t";
  case TENON_U32:
    return "uint32_t";
  case TENON_U64:
    return "uint64_t";
  default:
    return "uint8_t";
  }
}

const char *dtypeMacro(int32_t dtype) {
  static const char *const names[] = {
      "0",         "TENON_F32", "TENON_F64", "TENON_F16", "TENON_BF16",
      "TENON_I8",  "TENON_I16", "TENON_I32", "TENON_I64", "TENON_U8",
      "TENON_U16", "TENON_U32", "TENON_U64", "TENON_BOOL"};
  return names[dtype];
}

std::string cComment(StringRef text) {
  std::string safe;
  for (char c : escapeForTerminal(text.str())) {
    if (!safe.empty() &&
        ((safe.back() == '*' && c == '/') || (safe.back() == '/' && c == '*') ||
         (safe.back() == '?' && c == '?')))
      safe += ' ';
    safe += c;
  }
  // A backslash at the end of a line would continue it.
  return safe.empty() || safe.back() != '\\' ? safe : safe + " ";
}

std::string cString(StringRef text) {
  std::string literal = "\"";
  for (unsigned char c : text)
    literal += llvm::isAlnum(c) || c == '_' || c == '.'
                   ? std::string(1, char(c))
                   : formatv("\\{0}{1}{2}", c >> 6, c >> 3 & 7, c & 7).str();
  return literal + "\"";
}

std::string cNumber(int64_t value) {
  return value > INT32_MAX ? formatv("INT64_C({0})", value).str()
                           : std::to_string(value);
}

static bool isKeyword(StringRef name) {
  static const llvm::StringSet<> words = {
      "alignas",     "alignof",      "and",       "and_eq",
      "asm",         "auto",         "bitand",    "bitor",
      "bool",        "break",        "case",      "catch",
      "char",        "char16_t",     "char32_t",  "char8_t",
      "class",       "compl",        "concept",   "const",
      "consteval",   "constexpr",    "constinit", "const_cast",
      "continue",    "co_await",     "co_return", "co_yield",
      "decltype",    "default",      "delete",    "do",
      "double",      "dynamic_cast", "else",      "enum",
      "explicit",    "export",       "extern",    "false",
      "float",       "for",          "friend",    "goto",
      "if",          "inline",       "int",       "linux",
      "long",        "mutable",      "namespace", "new",
      "noexcept",    "not",          "not_eq",    "nullptr",
      "operator",    "or",           "or_eq",     "private",
      "protected",   "public",       "register",  "reinterpret_cast",
      "requires",    "restrict",     "return",    "short",
      "signed",      "sizeof",       "static",    "static_assert",
      "static_cast", "struct",       "switch",    "template",
      "this",        "thread_local", "throw",     "true",
      "try",         "typedef",      "typeid",    "typename",
      "union",       "unix",         "unsigned",  "using",
      "virtual",     "void",         "volatile",  "wchar_t",
      "while",       "xor",          "xor_eq",    "NULL",
      "int8_t",      "int16_t",      "int32_t",   "int64_t",
      "uint8_t",     "uint16_t",     "uint32_t",  "uint64_t",
      "errno",       "stdin",        "stdout",    "stderr",
      "assert"};
  return words.contains(name);
}

std::string CNames::make(StringRef wanted) {
  std::string name;
  for (char c : wanted)
    name += llvm::isAlnum(c) ? c : '_';
  if (name.empty() || llvm::isDigit(name[0]))
    name = "_" + name;
  // C reserves names with a leading underscore and a capital or second
  // underscore.
  if (name.size() > 1 && name[0] == '_' &&
      (name[1] == '_' || llvm::isUpper(name[1])))
    name = "t" + name;
  if (isKeyword(name))
    name += "_";
  while (!used.insert(name).second)
    name += "_";
  return name;
}

} // namespace tenon
