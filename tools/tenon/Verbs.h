// The table of the command line's verbs, and the arguments of a verb's call.
#ifndef TENON_TOOLS_TENON_VERBS_H
#define TENON_TOOLS_TENON_VERBS_H

#include "tools/tenon/MemoryBudget.h"
#include "tools/tenon/ModelPipe.h"
#include "tools/tenon/Options.h"
#include "tools/tenon/Talk.h"

namespace tenon::cli {

/// One call of a verb: its parsed arguments and its message stream.
struct Invocation {
  const llvm::opt::InputArgList &args;
  Talk &talk;
  MemoryBudget memory = MemoryBudget();
  ModelPipe pipe = ModelPipe();
};

/// One verb: its row in the help, its flags and its function.
struct Verb {
  const char *name;
  VerbBit bit;
  const char *usage; ///< the positional arguments
  const char *summary;
  Status (*body)(Invocation &);
};

/// All verbs, in the order of the help.
llvm::ArrayRef<Verb> verbs();

/// The verb called `name`, or null.
const Verb *findVerb(llvm::StringRef name);

Status compileVerb(Invocation &call);
Status runVerb(Invocation &call);
Status benchVerb(Invocation &call);
Status verifyVerb(Invocation &call);
Status inspectVerb(Invocation &call);
Status generateVerb(Invocation &call);
Status transcribeVerb(Invocation &call);
Status tokenizeVerb(Invocation &call);
Status cacheVerb(Invocation &call);
Status targetsVerb(Invocation &call);
Status helpVerb(Invocation &call);
Status completionVerb(Invocation &call);

/// Prints the help of one verb; null: of all verbs.
void printHelp(llvm::raw_ostream &out, const Verb *verb);

/// Prints `tenon 0.1.0` and the versions of its parts, as text or JSON.
void printVersion(llvm::raw_ostream &out, bool json);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_VERBS_H
