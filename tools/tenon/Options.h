// The table of all flags, and the parser of a verb's arguments. The result is a
// parsed list with flags of that verb only, or a usage error that names the
// nearest spelling.
#ifndef TENON_TOOLS_TENON_OPTIONS_H
#define TENON_TOOLS_TENON_OPTIONS_H

#include "compiler/report/Diagnostic.h"

#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Option/Option.h"

#include <optional>
#include <vector>

namespace tenon::cli {

/// The visibility bits of Options.td, one for each verb; `inspect` has one for
/// calls without --html and one for calls with it.
enum VerbBit : unsigned {
  CompileVerb = 1 << 1,
  RunVerb = 1 << 2,
  BenchVerb = 1 << 3,
  VerifyVerb = 1 << 4,
  InspectPlain = 1 << 5,
  TargetsVerb = 1 << 6,
  HelpVerb = 1 << 7,
  CompletionVerb = 1 << 8,
  NoVerb = 1 << 9,
  CacheVerb = 1 << 10,
  TokenizeVerb = 1 << 11,
  GenerateVerb = 1 << 12,
  TranscribeVerb = 1 << 13,
  InspectHtml = 1 << 14,
  InspectVerb = InspectPlain | InspectHtml
};

namespace options {
enum ID {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "tools/tenon/Options.inc"
#undef OPTION
};
} // namespace options

/// The option table generated from Options.td.
const llvm::opt::OptTable &optionTable();

/// The flags that the help of `verb` lists, in the table's order.
std::vector<llvm::opt::Option> listedFlags(VerbBit verb);

/// The parsed arguments of one verb, or a usage error.
struct ParsedArguments {
  llvm::opt::InputArgList list;
  std::optional<Diagnostic> error;
};
ParsedArguments parseArguments(VerbBit verb,
                               llvm::ArrayRef<const char *> arguments);

/// A usage error of the command line: `tenon: error: text`.
Diagnostic usageError(std::string text, std::string help = {});

/// Text like `; did you mean 'x'?` for the value in `known` nearest to `word`;
/// empty if none is near.
std::string didYouMean(llvm::StringRef word, llvm::ArrayRef<std::string> known);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_OPTIONS_H
