// `tenon generate` continues texts with a language model: a checkpoint's folder
// or an artifact made of one. A single text is shown while it is made.
#include "tools/tenon/CompileFlags.h"
#include "tools/tenon/DeviceFlags.h"
#include "tools/tenon/ObtainArtifact.h"
#include "tools/tenon/generate/GenerationOptions.h"
#include "tools/tenon/generate/LoadedGenerator.h"
#include "tools/tenon/generate/Prompts.h"
#include "tools/tenon/generate/Report.h"
#include "tools/tenon/generate/SequenceText.h"

#include "llvm/ADT/StringExtras.h"

#include <deque>

using namespace tenon::cli::options;

namespace tenon::cli {

namespace {
struct GenerateFlags {
  std::string model;
  std::string format;
  std::string what; ///< text, ids, or empty: as there is a tokenizer
  Prompts prompts;
  std::vector<std::string> stops;
  LoadedModel::Options loading;
};

/// One call of the verb, after its flags were read.
class Generation {
public:
  Generation(Invocation &call, GenerateFlags &flags)
      : call(call), flags(flags) {}

  Status run();

private:
  Status openTokenizer();
  bool showsPieces() const {
    return flags.format == "text" && flags.what == "text" &&
           flags.prompts.ids.size() == 1;
  }
  SequenceText &textOf(size_t sequence);
  tenon_token_answer onToken(size_t sequence, int64_t id);
  std::vector<GeneratedSequence> collect();

  Invocation &call;
  GenerateFlags &flags;
  LoadedTokenizer tokenizer;
  LoadedGenerator generator;
  GenerationTimes times;
  std::deque<SequenceText> texts; ///< of the sequences whose ids are told
};
} // namespace

static Status readFlags(Invocation &call, GenerateFlags &flags) {
  int64_t threads = 0;
  Status status = readOnePositional(
      call, "the folder of a checkpoint or an artifact", flags.model);
  auto then = [&](auto step) {
    if (status == Status::Success)
      status = step();
  };
  then([&] {
    return readChoice(call, OPT_format, {"text", "json"}, "text", flags.format);
  });
  if (call.args.hasArg(OPT_print))
    then([&] {
      return readChoice(call, OPT_print, {"text", "ids"}, "text", flags.what);
    });
  then([&] { return readContextExtents(call, flags.loading.contextExtents); });
  then([&] { return readNumber(call, OPT_threads, 0, 1024, threads); });
  then(
      [&] { return readDuration(call, OPT_deadline, flags.loading.deadline); });
  then(
      [&] { return readSize(call, OPT_mem_limit, flags.loading.memoryLimit); });
  then([&] { return readLoadWeights(call, flags.loading.weights); });
  then([&] { return readCpuMask(call, flags.loading.cpuMask); });
  then([&] { return readDevice(call, flags.loading.device); });
  then([&] { return flags.prompts.read(call); });
  flags.loading.memory = call.memory;
  flags.loading.verifyWeights = call.args.hasArg(OPT_verify_weights);
  flags.loading.weightsPath = weightsPath(call);
  flags.loading.threads = static_cast<int32_t>(threads);
  flags.stops = call.args.getAllArgValues(OPT_stop);
  if (status == Status::Success && !flags.stops.empty() && flags.what == "ids")
    return call.talk.usage("--stop is for texts, not for --print=ids");
  return status;
}

/// Without a tokenizer prompts must be ids, and so are the results.
Status Generation::openTokenizer() {
  std::string path = findTokenizer(call, flags.model);
  bool needsText = !flags.prompts.texts.empty() || flags.what == "text" ||
                   !flags.stops.empty();
  if (path.empty() && needsText)
    return call.talk.fail(
        Status::Io, flags.model,
        "there is no tokenizer.json, vocab.json or spiece.model beside it", {},
        "pass --tokenizer=FOLDER, or --prompt-ids=1,2,3 and --print=ids");
  if (flags.what.empty())
    flags.what = path.empty() ? "ids" : "text";
  if (path.empty() || (!needsText && flags.what == "ids"))
    return Status::Success;
  Status status = tokenizer.open(call.talk, path);
  return status == Status::Success ? flags.prompts.encode(call, tokenizer)
                                   : status;
}

SequenceText &Generation::textOf(size_t sequence) {
  while (texts.size() <= sequence)
    texts.emplace_back(flags.stops).create(call.talk, tokenizer);
  return texts[sequence];
}

tenon_token_answer Generation::onToken(size_t sequence, int64_t id) {
  times.addToken();
  if (!tokenizer.get())
    return TENON_GO_ON;
  SequenceText &text = textOf(sequence);
  std::string piece = text.push(static_cast<uint32_t>(id));
  if (showsPieces() && sequence == 0) {
    llvm::outs() << piece;
    llvm::outs().flush();
  }
  return text.isStopped() ? TENON_STOP_SEQUENCE : TENON_GO_ON;
}

std::vector<GeneratedSequence> Generation::collect() {
  std::vector<GeneratedSequence> results;
  std::vector<tenon_sequence> sequences = generator.getSequences();
  bool wereTold = !texts.empty();
  for (size_t i = 0; i < sequences.size(); ++i) {
    const tenon_sequence &sequence = sequences[i];
    GeneratedSequence &result = results.emplace_back();
    result.prompt = i * flags.prompts.ids.size() / sequences.size();
    result.ids.assign(sequence.ids, sequence.ids + sequence.count);
    result.score = sequence.score;
    result.reason = sequence.reason;
    if (!tokenizer.get())
      continue;
    SequenceText &text = textOf(i);
    // The ids of beams are told only at the end.
    for (int64_t id : result.ids)
      if (!wereTold)
        text.push(static_cast<uint32_t>(id));
    result.rest = text.finish();
    result.text = text.get();
    if (text.isStopped())
      result.reason = TENON_REASON_STOPPED;
  }
  return results;
}

Status Generation::run() {
  Artifact artifact;
  if (Status status = obtainArtifact(call, flags.model, artifact);
      status != Status::Success)
    return status;
  setCurrentStage("run");
  times.startLoading();
  Status status = openTokenizer();
  if (status == Status::Success)
    status =
        generator.open(call.talk, artifact.path, flags.model, flags.loading);
  if (status == Status::Success)
    status = setGenerationOptions(
        call, flags.model, generator.getStart(),
        [&](const tenon_tensor &value) {
          return tenon_generator_set(generator.get(), &value);
        },
        [&] { return tenon_generator_text(generator.get()); });
  if (status != Status::Success)
    return status;
  times.startRun();
  status = generator.run(
      call.talk, flags.prompts.ids,
      [&](size_t sequence, int64_t id) { return onToken(sequence, id); });
  times.endRun();
  std::vector<GeneratedSequence> results = collect();
  if (flags.format == "json")
    printAsJson(llvm::outs(), results, tokenizer.get() != nullptr);
  else if (flags.what == "ids")
    printIds(llvm::outs(), results);
  else if (!texts.empty())
    printTexts(llvm::outs(), results, showsPieces() && times.hasTokens());
  if (call.args.hasArg(OPT_verbose))
    call.talk.note(times.report(flags.prompts.ids, results));
  return status;
}

Status generateVerb(Invocation &call) {
  GenerateFlags flags;
  if (Status status = readFlags(call, flags); status != Status::Success)
    return status;
  return Generation(call, flags).run();
}

} // namespace tenon::cli
