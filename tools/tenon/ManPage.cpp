// `tenon help --man`. The page is generated from the tables of verbs, flags and
// exit codes, so that it is always complete.
#include "tools/tenon/ManPage.h"

#include "tools/tenon/ExitCodes.h"
#include "tools/tenon/Verbs.h"

#include "llvm/ADT/MapVector.h"

namespace tenon::cli {

/// `text` as it must be written in man's language: a hyphen is a minus sign in
/// a flag, and a line must not begin with a point or a quote.
static std::string roff(llvm::StringRef text) {
  std::string result;
  for (char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if ((c == '.' || c == '\'') && result.empty())
      result += std::string("\\&") + c;
    else
      result += c;
  }
  return result;
}

/// The flags of a verb by the heading of their group, in the table's order.
static llvm::MapVector<llvm::StringRef, std::vector<llvm::opt::Option>>
flagsByHeading(const Verb &verb) {
  llvm::MapVector<llvm::StringRef, std::vector<llvm::opt::Option>> result;
  for (const llvm::opt::Option &option : listedFlags(verb.bit)) {
    const llvm::opt::Option group = option.getGroup();
    const char *heading = group.isValid()
                              ? optionTable().getOptionHelpText(group.getID())
                              : nullptr;
    result[heading ? heading : "Other"].push_back(option);
  }
  return result;
}

static void printFlag(llvm::raw_ostream &out, const llvm::opt::Option &option) {
  const llvm::opt::OptTable &table = optionTable();
  out << ".TP\n.B " << roff(option.getPrefixedName());
  if (const char *value = table.getOptionMetaVar(option.getID())) {
    bool isJoined = option.getKind() == llvm::opt::Option::JoinedClass;
    out << (isJoined ? "\\fI" : " \\fI") << roff(value) << "\\fR";
  }
  out << "\n" << roff(table.getOptionHelpText(option.getID())) << ".\n";
}

void printManPage(llvm::raw_ostream &out) {
  out << ".TH TENON 1 \"\" \"tenon " TENON_VERSION "\" \"User commands\"\n"
         ".SH NAME\ntenon \\- ahead\\-of\\-time compiler for "
         "machine\\-learning models\n"
         ".SH SYNOPSIS\n.B tenon\n.I COMMAND\n[arguments]\n"
         ".SH DESCRIPTION\n"
         "Compiles ONNX files, TensorFlow models and Hugging Face checkpoints "
         "to native code, and runs, measures and describes the results.\n"
         "An argument @\\fIFILE\\fR reads more arguments from FILE, separated "
         "by white space.\n"
         ".SH COMMANDS\n";
  for (const Verb &verb : verbs()) {
    out << ".SS " << roff(std::string("tenon ") + verb.name + " " + verb.usage)
        << "\n"
        << roff(verb.summary) << ".\n";
    for (const auto &[heading, flags] : flagsByHeading(verb)) {
      out << ".PP\n.I " << roff(heading) << "\n";
      for (const llvm::opt::Option &flag : flags)
        printFlag(out, flag);
    }
  }
  out << ".SH EXIT STATUS\n";
  for (const ExitCode &row : exitCodes())
    out << ".TP\n.B " << row.code << "\n" << roff(row.meaning) << ".\n";
}

} // namespace tenon::cli
