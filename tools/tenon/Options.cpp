// The option table, and the errors that LLVM's parser leaves to us. The error
// for an unknown flag names the nearest flag; for a flag of another verb it
// names that verb; for a flag without a value it names the flag.
#include "tools/tenon/Options.h"

#include "tools/tenon/Verbs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/Arg.h"

using namespace llvm::opt;

namespace tenon::cli {

#define OPTTABLE_STR_TABLE_CODE
#include "tools/tenon/Options.inc"
#undef OPTTABLE_STR_TABLE_CODE

#define OPTTABLE_PREFIXES_TABLE_CODE
#include "tools/tenon/Options.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

using namespace options;

static constexpr OptTable::Info optionInfos[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "tools/tenon/Options.inc"
#undef OPTION
};

namespace {
class Table : public GenericOptTable {
public:
  Table() : GenericOptTable(OptionStrTable, OptionPrefixesTable, optionInfos) {
    setDashDashParsing(true);
  }
};
} // namespace

const OptTable &optionTable() {
  static const Table table;
  return table;
}

std::vector<Option> listedFlags(VerbBit verb) {
  std::vector<Option> flags;
  const OptTable &table = optionTable();
  for (unsigned id = OPT_UNKNOWN + 1; id <= table.getNumOptions(); ++id)
    if (const Option option = table.getOption(id);
        option.isValid() && option.getKind() != Option::GroupClass &&
        table.getOptionHelpText(id) && option.hasVisibilityFlag(verb))
      flags.push_back(option);
  return flags;
}

Diagnostic usageError(std::string text, std::string help) {
  Diagnostic d;
  d.file = "tenon";
  d.text = std::move(text);
  d.help = std::move(help);
  d.status = Status::Usage;
  return d;
}

/// The error for `spelling`, which matches no flag of `verb`.
static Diagnostic unknownFlag(VerbBit verb, llvm::StringRef spelling,
                              const ArgList &all, unsigned index) {
  std::string text = "unknown argument '" + spelling.str() + "'";
  std::vector<std::string> others;
  for (const Verb &other : verbs()) {
    unsigned at = index;
    std::unique_ptr<Arg> arg =
        optionTable().ParseOneArg(all, at, llvm::opt::Visibility(other.bit));
    if (other.bit != verb && (!arg || arg->getOption().getID() > OPT_UNKNOWN))
      others.push_back(std::string("'tenon ") + other.name + "'");
  }
  if (!others.empty())
    return usageError(text + "; it is for " + llvm::join(others, ", "));
  std::string nearest;
  unsigned distance = optionTable().findNearest(
      spelling, nearest, llvm::opt::Visibility(verb), /*MinimumLength=*/2);
  if (distance <= std::max<size_t>(1, spelling.split('=').first.size() / 3))
    text += "; did you mean '" + nearest + "'?";
  return usageError(text);
}

ParsedArguments parseArguments(VerbBit verb,
                               llvm::ArrayRef<const char *> arguments) {
  unsigned missingIndex = 0, missingCount = 0;
  ParsedArguments parsed{optionTable().ParseArgs(arguments, missingIndex,
                                                 missingCount,
                                                 llvm::opt::Visibility(verb)),
                         std::nullopt};
  for (const Arg *arg : parsed.list.filtered(OPT_UNKNOWN)) {
    parsed.error = unknownFlag(verb, arg->getAsString(parsed.list), parsed.list,
                               arg->getIndex());
    return parsed;
  }
  if (missingCount > 0)
    parsed.error = usageError(std::string("argument '") +
                              arguments[missingIndex] + "' needs a value");
  return parsed;
}

std::string didYouMean(llvm::StringRef word,
                       llvm::ArrayRef<std::string> known) {
  unsigned best = std::max<unsigned>(1, word.size() / 3) + 1;
  llvm::StringRef nearest;
  for (const std::string &candidate : known) {
    unsigned distance = word.edit_distance(candidate, true, best);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest.empty() ? "" : "; did you mean '" + nearest.str() + "'?";
}

} // namespace tenon::cli
