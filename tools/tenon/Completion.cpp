// `tenon completion` prints a script for one shell. It is generated from the
// tables of verbs and flags, so that it is always complete.
#include "tools/tenon/ExitCodes.h"
#include "tools/tenon/Verbs.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tenon::cli::options;

namespace tenon::cli {

namespace {
/// One flag of one verb, with the data for completion.
struct Flag {
  std::string spelling;            ///< with '=' if it takes a value
  std::string help;                ///< one line
  std::vector<std::string> values; ///< all allowed values, if they are known
};
} // namespace

static std::vector<Flag> flagsOf(const Verb &verb) {
  std::vector<Flag> flags;
  const llvm::opt::OptTable &table = optionTable();
  for (const llvm::opt::Option &option : listedFlags(verb.bit)) {
    Flag flag{option.getPrefixedName().str(),
              table.getOptionHelpText(option.getID()),
              {}};
    for (const std::string &value :
         table.suggestValueCompletions(flag.spelling, ""))
      flag.values.push_back(value);
    flags.push_back(std::move(flag));
  }
  return flags;
}

/// The words offered for `flag`: the flag, or one word for each of its values.
static std::vector<std::string> wordsOf(const Flag &flag) {
  if (flag.values.empty())
    return {flag.spelling};
  std::vector<std::string> words;
  for (const std::string &value : flag.values)
    words.push_back(flag.spelling + value);
  return words;
}

static std::string verbNames() {
  std::vector<std::string> names;
  for (const Verb &verb : verbs())
    names.push_back(verb.name);
  return llvm::join(names, " ");
}

/// The arguments of `tenon help`.
static std::string helpTopics() { return verbNames() + " " + exitCodesTopic; }

static void printBash(llvm::raw_ostream &out) {
  out << "# bash completion for tenon\n_tenon() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} line=$COMP_LINE flags=\n"
         "  # bash splits words at '='; the flag is put together again\n"
         "  if [[ $word == = ]]; then word=${COMP_WORDS[COMP_CWORD-1]}=\n"
         "  elif [[ $COMP_CWORD -gt 1 && ${COMP_WORDS[COMP_CWORD-1]} == = ]]; "
         "then\n"
         "    word=${COMP_WORDS[COMP_CWORD-2]}=$word\n  fi\n"
         "  if [[ $COMP_CWORD -eq 1 ]]; then\n"
         "    COMPREPLY=($(compgen -W '"
      << verbNames()
      << " --help --version' -- \"$word\"))\n    return\n  fi\n"
         "  case ${COMP_WORDS[1]} in\n";
  for (const Verb &verb : verbs()) {
    out << "  " << verb.name << ") flags='";
    const char *separator = "";
    for (const Flag &flag : flagsOf(verb))
      for (const std::string &word : wordsOf(flag)) {
        out << separator << word;
        separator = " ";
      }
    if (verb.bit == HelpVerb)
      out << " " << helpTopics();
    if (verb.bit == CompletionVerb)
      out << " bash zsh fish";
    out << "' ;;\n";
  }
  out << "  esac\n"
         "  if [[ $word == -* || ${COMP_WORDS[1]} == help || "
         "${COMP_WORDS[1]} == completion ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$flags\" -- \"$word\"))\n"
         "    [[ $word == *=* ]] && COMPREPLY=(\"${COMPREPLY[@]#*=}\")\n"
         "    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
         "  else\n"
         "    COMPREPLY=($(compgen -f -- \"$word\"))\n  fi\n}\n"
         "complete -o filenames -F _tenon tenon\n";
}

/// `text` for use in single quotes in zsh, where brackets and colons are
/// special.
static std::string zshText(llvm::StringRef text) {
  std::string result;
  for (char c : text) {
    if (c == '\'')
      result += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      result += std::string("\\") + c;
    else
      result += c;
  }
  return result;
}

static void printZsh(llvm::raw_ostream &out) {
  out << "#compdef tenon\n# zsh completion for tenon\n_tenon() {\n"
         "  local -a commands\n  commands=(\n";
  for (const Verb &verb : verbs())
    out << "    '" << verb.name << ":" << zshText(verb.summary) << "'\n";
  out << "  )\n  if (( CURRENT == 2 )); then\n"
         "    _describe command commands\n    return\n  fi\n"
         "  local verb=$words[2]\n  shift words\n  (( CURRENT-- ))\n"
         "  case $verb in\n";
  for (const Verb &verb : verbs()) {
    out << "  " << verb.name << ")\n    _arguments";
    for (const Flag &flag : flagsOf(verb)) {
      bool takesValue = llvm::StringRef(flag.spelling).ends_with("=");
      out << " \\\n      '*" << flag.spelling << (takesValue ? "-" : "") << "["
          << zshText(flag.help) << "]";
      if (!flag.values.empty())
        out << ":value:(" << llvm::join(flag.values, " ") << ")";
      else if (takesValue)
        out << ":value:_files";
      out << "'";
    }
    if (verb.bit == HelpVerb)
      out << " \\\n      '*:topic:(" << helpTopics() << ")'";
    else if (verb.bit == CompletionVerb)
      out << " \\\n      '*:shell:(bash zsh fish)'";
    else
      out << " \\\n      '*:file:_files'";
    out << "\n    ;;\n";
  }
  out << "  esac\n}\n_tenon \"$@\"\n";
}

/// `text` for use in single quotes in fish.
static std::string fishText(llvm::StringRef text) {
  std::string result;
  for (char c : text)
    result +=
        c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return result;
}

static void printFish(llvm::raw_ostream &out) {
  out << "# fish completion for tenon\n";
  for (const Verb &verb : verbs())
    out << "complete -c tenon -n __fish_use_subcommand -f -a " << verb.name
        << " -d '" << fishText(verb.summary) << "'\n";
  for (const Verb &verb : verbs()) {
    std::string when =
        std::string("complete -c tenon -n '__fish_seen_subcommand_from ") +
        verb.name + "' ";
    for (const Flag &flag : flagsOf(verb)) {
      llvm::StringRef spelling = flag.spelling;
      bool takesValue = spelling.consume_back("=");
      out << when;
      if (spelling.consume_front("--"))
        out << "-l " << spelling;
      else if (spelling.size() == 2)
        out << "-s " << spelling.drop_front();
      else
        out << "-o " << spelling.drop_front();
      if (takesValue)
        out << " -r";
      if (!flag.values.empty())
        out << " -f -a '" << llvm::join(flag.values, " ") << "'";
      out << " -d '" << fishText(flag.help) << "'\n";
    }
    if (verb.bit == HelpVerb)
      out << when << "-f -a '" << helpTopics() << "'\n";
    if (verb.bit == CompletionVerb)
      out << when << "-f -a 'bash zsh fish'\n";
  }
}

Status completionVerb(Invocation &call) {
  std::vector<std::string> names = call.args.getAllArgValues(OPT_INPUT);
  std::string shell = names.size() == 1 ? names[0] : "";
  if (shell == "bash")
    printBash(llvm::outs());
  else if (shell == "zsh")
    printZsh(llvm::outs());
  else if (shell == "fish")
    printFish(llvm::outs());
  else
    return call.talk.usage("expected one of bash, zsh, fish" +
                           didYouMean(shell, {"bash", "zsh", "fish"}));
  return Status::Success;
}

} // namespace tenon::cli
