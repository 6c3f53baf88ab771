// `tenon help`, `--help` and `--version`, generated from the tables of verbs
// and flags.
#include "runtime/tenon.h"
#include "tools/tenon/ExitCodes.h"
#include "tools/tenon/ManPage.h"
#include "tools/tenon/Verbs.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace tenon::cli::options;

namespace tenon::cli {

llvm::ArrayRef<Verb> verbs() {
  static const Verb table[] = {
      {"compile", CompileVerb, "MODEL [-o OUT]",
       "compile a model to native code", compileVerb},
      {"run", RunVerb, "MODEL|ARTIFACT", "run once and show the outputs",
       runVerb},
      {"bench", BenchVerb, "MODEL|ARTIFACT...", "measure the time of runs",
       benchVerb},
      {"verify", VerifyVerb, "MODEL",
       "compare compiled code with the reference, op by op", verifyVerb},
      {"inspect", InspectVerb, "MODEL|ARTIFACT",
       "show inputs, outputs, ops and sizes", inspectVerb},
      {"generate", GenerateVerb, "FOLDER|ARTIFACT -p TEXT",
       "continue a text with a language model", generateVerb},
      {"transcribe", TranscribeVerb, "FOLDER|ARTIFACT FILE",
       "write down what is said in a sound file", transcribeVerb},
      {"tokenize", TokenizeVerb, "FOLDER|FILE [TEXT]",
       "show the ids of a text, or the text of ids", tokenizeVerb},
      {"cache", CacheVerb, "", "show or clear the cache of compiled models",
       cacheVerb},
      {"targets", TargetsVerb, "", "show this machine and the known CPUs",
       targetsVerb},
      {"completion", CompletionVerb, "bash|zsh|fish",
       "print a shell's completion script", completionVerb},
      {"help", HelpVerb, "[COMMAND|exit-codes]", "show help", helpVerb},
  };
  return table;
}

const Verb *findVerb(llvm::StringRef name) {
  for (const Verb &verb : verbs())
    if (name == verb.name)
      return &verb;
  return nullptr;
}

void printHelp(llvm::raw_ostream &out, const Verb *verb) {
  if (verb) {
    std::string usage = llvm::formatv("tenon {0} {1}{2}[options]", verb->name,
                                      verb->usage, *verb->usage ? " " : "");
    optionTable().printHelp(out, usage.c_str(), verb->summary,
                            /*ShowHidden=*/false, /*ShowAllAliases=*/false,
                            llvm::opt::Visibility(verb->bit));
    return;
  }
  out << "OVERVIEW: ahead-of-time compiler for machine-learning models\n\n"
         "USAGE: tenon COMMAND [arguments]\n\nCOMMANDS:\n";
  for (const Verb &row : verbs())
    out << llvm::formatv("  {0,-11} {1,-26} {2}\n", row.name, row.usage,
                         row.summary);
  out << "\n'tenon help COMMAND' shows the flags of a command, "
         "'tenon help exit-codes' what\nexit codes mean, 'tenon --version' "
         "the version.\n";
}

void printVersion(llvm::raw_ostream &out, bool json) {
  if (!json) {
    out << "tenon " TENON_VERSION " (LLVM " LLVM_VERSION_STRING ", runtime ABI "
        << tenon_abi_version() << ")\n";
    return;
  }
  llvm::json::Object object{{"schema", 1},
                            {"version", TENON_VERSION},
                            {"llvm", LLVM_VERSION_STRING},
                            {"runtime_abi", tenon_abi_version()}};
  out << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(object)));
}

Status helpVerb(Invocation &call) {
  std::vector<std::string> names = call.args.getAllArgValues(OPT_INPUT);
  if (names.size() > 1)
    return call.talk.usage("expected one command, got '" + names[0] +
                           "' and '" + names[1] + "'");
  if (call.args.hasArg(OPT_man)) {
    printManPage(llvm::outs());
    return Status::Success;
  }
  const Verb *verb = nullptr;
  if (!names.empty()) {
    if (names[0] == exitCodesTopic) {
      printExitCodes(llvm::outs());
      return Status::Success;
    }
    verb = findVerb(names[0]);
    std::vector<std::string> known{exitCodesTopic};
    for (const Verb &row : verbs())
      known.push_back(row.name);
    if (!verb)
      return call.talk.usage("unknown command '" + names[0] + "'" +
                             didYouMean(names[0], known));
  }
  printHelp(llvm::outs(), verb);
  return Status::Success;
}

} // namespace tenon::cli
