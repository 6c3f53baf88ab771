// The main function: expands response files, finds the verb, parses its flags
// and calls it.
#include "tools/tenon/CompileFlags.h"
#include "tools/tenon/Interrupts.h"
#include "tools/tenon/LargeStack.h"
#include "tools/tenon/LimitWatch.h"
#include "tools/tenon/Verbs.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"

using namespace tenon;
using namespace tenon::cli;
using namespace tenon::cli::options;

/// Calls the verb under --timeout and --max-memory.
static Status callWithinLimits(const Verb &verb,
                               const llvm::opt::InputArgList &args,
                               Talk &talk) {
  Invocation call{args, talk};
  double seconds = 0;
  uint64_t bytes = 0;
  Status status = readDuration(call, OPT_timeout, seconds);
  if (status == Status::Success)
    status = readSize(call, OPT_max_memory, bytes);
  if (status != Status::Success)
    return status;
  std::vector<std::string> files = args.getAllArgValues(OPT_INPUT);
  std::string file = files.empty() ? "tenon" : files[0];
  TimeLimit limit(talk, file, "the --timeout", seconds);
  if (bytes)
    limitMemory(talk, file, bytes);
  call.memory = MemoryBudget(bytes);
  return verb.body(call);
}

static Status callVerb(const Verb *verb, llvm::ArrayRef<const char *> rest) {
  Talk talk;
  ParsedArguments parsed = parseArguments(verb ? verb->bit : NoVerb, rest);
  if (Status status = talk.configure(parsed.list); status != Status::Success)
    return status;
  if (parsed.error)
    return talk.say(*parsed.error);
  if (parsed.list.hasArg(OPT_help)) {
    printHelp(llvm::outs(), verb);
    return finishResult(talk, Status::Success);
  }
  if (parsed.list.hasArg(OPT_version)) {
    printVersion(llvm::outs(), wantsJson(parsed.list));
    return finishResult(talk, Status::Success);
  }
  if (!verb) {
    printHelp(llvm::errs(), nullptr);
    return Status::Usage;
  }
  Status status =
      finishResult(talk, callWithinLimits(*verb, parsed.list, talk));
  if (status == Status::Internal)
    if (std::string path = writeReproducer(); !path.empty())
      talk.fail(Status::Internal, "tenon", "this is a bug of tenon", {},
                "report it with the model and " + path);
  return status;
}

static Status unknownVerb(const char *name) {
  std::vector<std::string> known;
  for (const Verb &verb : verbs())
    known.push_back(verb.name);
  return Talk().usage("unknown command '" + std::string(name) + "'" +
                          didYouMean(name, known),
                      "'tenon help' lists the commands");
}

static Status runCommand(int argc, char **argv) {
  llvm::BumpPtrAllocator allocator;
  llvm::SmallVector<const char *, 32> arguments(argv + 1, argv + argc);
  llvm::cl::ExpansionContext expansion(allocator,
                                       llvm::cl::TokenizeGNUCommandLine);
  if (llvm::Error error = expansion.expandResponseFiles(arguments))
    return Talk().fail(Status::Io, "tenon", llvm::toString(std::move(error)));

  // The compiler's own name: it calls the verb compile.
  if (argc > 0 && llvm::sys::path::filename(argv[0]) == "tenonc")
    return callVerb(findVerb("compile"), arguments);
  if (arguments.empty() || arguments[0][0] == '-')
    return callVerb(nullptr, arguments);
  const Verb *verb = findVerb(arguments[0]);
  if (!verb)
    return unknownVerb(arguments[0]);
  return callVerb(verb, llvm::ArrayRef(arguments).drop_front());
}

int main(int argc, char **argv) {
  holdStandardStreams();
  installInterrupts(argc, argv);
  Status status = withLargeStack([&] { return runCommand(argc, argv); });
  // The error stream may be unwritable, but there is nobody to tell.
  llvm::errs().clear_error();
  return static_cast<int>(status);
}
