// `tenon transcribe` writes down what is said in a sound file, with a speech
// model: a checkpoint's folder or an artifact made of one. Each segment is
// printed when it ends.
#include "tools/tenon/CompileFlags.h"
#include "tools/tenon/DeviceFlags.h"
#include "tools/tenon/LoadedTokenizer.h"
#include "tools/tenon/ObtainArtifact.h"
#include "tools/tenon/generate/GenerationOptions.h"
#include "tools/tenon/generate/Prompts.h"
#include "tools/tenon/transcribe/LoadedTranscriber.h"
#include "tools/tenon/transcribe/SegmentWriter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <chrono>
#include <optional>
#include <sys/resource.h>

using namespace tenon::cli::options;

namespace tenon::cli {

namespace {
struct TranscribeFlags {
  std::string model, sound;
  std::string format;
  std::string what; ///< text, ids, or empty: as there is a tokenizer
  std::string language, task, prompt, condition;
  std::vector<float> temperatures;
  std::optional<float> ratio, logprob, noSpeech;
  LoadedModel::Options loading;
};

/// One call of the verb, after its flags were read.
class Transcription {
public:
  Transcription(Invocation &call, const TranscribeFlags &flags)
      : call(call), flags(flags) {}

  Status run();

private:
  Status openTokenizer();
  Status encodePrompt();
  tenon_transcription options() const;
  std::string textOf(const tenon_segment &segment);
  std::string report(double seconds) const;

  using Time = std::chrono::steady_clock::time_point;
  Invocation &call;
  const TranscribeFlags &flags;
  bool isText = false;
  SoundFile sound;
  LoadedTokenizer tokenizer;
  LoadedTranscriber transcriber;
  std::vector<int64_t> prompt;
  int64_t firstTimestamp = -1;
  Time loading, running, ended;
};
} // namespace

static Status readModelAndSound(Invocation &call, TranscribeFlags &flags) {
  std::vector<std::string> given = call.args.getAllArgValues(OPT_INPUT);
  if (given.size() != 2 || given[0].empty() || given[1].empty())
    return call.talk.usage(
        llvm::formatv("expected the folder of a checkpoint or an artifact, and "
                      "a sound file; got {0} name{1}",
                      given.size(), given.size() == 1 ? "" : "s"),
        "'-' reads the sound from the standard input");
  flags.model = given[0];
  flags.sound = given[1];
  return flags.model == "-" && flags.sound == "-"
             ? call.talk.usage("the model and the sound cannot both come from "
                               "the standard input")
             : call.pipe.settle(call.talk, flags.model);
}

/// Reads the real numbers of a flag, between commas.
static Status readReals(Invocation &call, unsigned id,
                        std::vector<float> &values) {
  const llvm::opt::Arg *arg = call.args.getLastArg(id);
  if (!arg)
    return Status::Success;
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(arg->getValue()).split(words, ',');
  for (llvm::StringRef word : words) {
    double value = 0;
    if (word.trim().getAsDouble(value))
      return call.talk.fail(Status::BadInput, "tenon",
                            arg->getAsString(call.args) +
                                ": expected a number, got '" + word.str() +
                                "'");
    values.push_back(static_cast<float>(value));
  }
  return Status::Success;
}

static Status readReal(Invocation &call, unsigned id,
                       std::optional<float> &value) {
  std::vector<float> values;
  Status status = readReals(call, id, values);
  if (values.size() > 1)
    return call.talk.fail(Status::BadInput, "tenon",
                          call.args.getLastArg(id)->getAsString(call.args) +
                              ": expected one number");
  if (!values.empty())
    value = values[0];
  return status;
}

static Status readFlags(Invocation &call, TranscribeFlags &flags) {
  int64_t threads = 0;
  Status status = readModelAndSound(call, flags);
  auto then = [&](auto step) {
    if (status == Status::Success)
      status = step();
  };
  then([&] {
    return readChoice(call, OPT_format, {"text", "srt", "vtt", "json"}, "text",
                      flags.format);
  });
  if (call.args.hasArg(OPT_print))
    then([&] {
      return readChoice(call, OPT_print, {"text", "ids"}, "text", flags.what);
    });
  then([&] {
    return readChoice(call, OPT_prompt_condition_type,
                      {"first-segment", "all-segments"}, "first-segment",
                      flags.condition);
  });
  then([&] { return readReals(call, OPT_temperatures, flags.temperatures); });
  then([&] {
    return readReal(call, OPT_compression_ratio_threshold, flags.ratio);
  });
  then([&] { return readReal(call, OPT_logprob_threshold, flags.logprob); });
  then([&] { return readReal(call, OPT_no_speech_threshold, flags.noSpeech); });
  then([&] { return readNumber(call, OPT_threads, 0, 1024, threads); });
  then(
      [&] { return readDuration(call, OPT_deadline, flags.loading.deadline); });
  then(
      [&] { return readSize(call, OPT_mem_limit, flags.loading.memoryLimit); });
  then([&] { return readLoadWeights(call, flags.loading.weights); });
  then([&] { return readCpuMask(call, flags.loading.cpuMask); });
  then([&] { return readDevice(call, flags.loading.device); });
  flags.loading.memory = call.memory;
  flags.loading.verifyWeights = call.args.hasArg(OPT_verify_weights);
  flags.loading.weightsPath = weightsPath(call);
  flags.loading.threads = static_cast<int32_t>(threads);
  flags.language = call.args.getLastArgValue(OPT_language).str();
  flags.task = call.args.getLastArgValue(OPT_task).str();
  flags.prompt = call.args.getLastArgValue(OPT_prompt).str();
  return status;
}

/// Without a tokenizer the results are ids.
Status Transcription::openTokenizer() {
  std::string path = findTokenizer(call, flags.model);
  bool needsText = flags.what == "text" || !flags.prompt.empty();
  if (path.empty() && needsText)
    return call.talk.fail(
        Status::Io, flags.model,
        "there is no tokenizer.json, vocab.json or spiece.model beside it", {},
        "pass --tokenizer=FOLDER, or --print=ids");
  isText = flags.what.empty() ? !path.empty() : flags.what == "text";
  if (path.empty() || (!needsText && !isText))
    return Status::Success;
  return tokenizer.open(call.talk, path);
}

/// The ids of a prompt begin with the one that marks earlier text.
Status Transcription::encodePrompt() {
  if (flags.prompt.empty())
    return Status::Success;
  int64_t mark = transcriber.getIds().previous_text;
  if (mark < 0)
    return call.talk.fail(Status::Unsupported, flags.model,
                          "the model has no token for earlier text, so it "
                          "takes no --prompt");
  std::vector<uint32_t> ids;
  std::string text = " " + llvm::StringRef(flags.prompt).trim().str();
  Status status = tokenizer.encode(call.talk, text, /*addSpecial=*/false, ids);
  prompt.push_back(mark);
  prompt.insert(prompt.end(), ids.begin(), ids.end());
  return status;
}

tenon_transcription Transcription::options() const {
  tenon_transcription options = {};
  auto orNull = [](const std::string &text) {
    return text.empty() ? nullptr : text.c_str();
  };
  auto optional = [](const std::optional<float> &value) {
    return value ? &*value : nullptr;
  };
  bool isSubtitle = flags.format == "srt" || flags.format == "vtt";
  options.language = orNull(flags.language);
  options.task = orNull(flags.task);
  options.timestamps = isSubtitle || call.args.hasArg(OPT_timestamps)
                           ? TENON_TIMESTAMPS_ON
                           : TENON_TIMESTAMPS_AUTO;
  options.prompt_ids = prompt.data();
  options.num_prompt_ids = prompt.size();
  options.condition_on_prev_tokens =
      call.args.hasArg(OPT_condition_on_prev_tokens);
  options.prompt_condition = flags.condition == "all-segments"
                                 ? TENON_PROMPT_ALL_SEGMENTS
                                 : TENON_PROMPT_FIRST_SEGMENT;
  options.temperatures =
      flags.temperatures.empty() ? nullptr : flags.temperatures.data();
  options.num_temperatures = flags.temperatures.size();
  options.compression_ratio_threshold = optional(flags.ratio);
  options.logprob_threshold = optional(flags.logprob);
  options.no_speech_threshold = optional(flags.noSpeech);
  return options;
}

std::string Transcription::textOf(const tenon_segment &segment) {
  llvm::ArrayRef<int64_t> ids(segment.ids, segment.count);
  if (!isText)
    return llvm::join(
        llvm::map_range(ids, [](int64_t id) { return std::to_string(id); }),
        " ");
  TextDecoder decoder;
  decoder.create(call.talk, tokenizer, /*skipSpecial=*/true);
  std::string text;
  for (int64_t id : ids)
    if (firstTimestamp < 0 || id < firstTimestamp)
      text += decoder.push(static_cast<uint32_t>(id));
  return text + decoder.finish().str();
}

std::string Transcription::report(double seconds) const {
  std::chrono::duration<double> load = running - loading, run = ended - running;
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return llvm::formatv(
      "sound {0} · transcribed {1} ({2:f1} x real time) · load {3} · peak {4}",
      formatTime(seconds), formatTime(run.count()), seconds / run.count(),
      formatTime(load.count()), formatBytes(uint64_t(usage.ru_maxrss) * 1024));
}

Status Transcription::run() {
  // A wrong sound is found before a model is compiled.
  Status status = sound.open(call.talk, flags.sound);
  if (status != Status::Success)
    return status;
  Artifact artifact;
  status = obtainArtifact(call, flags.model, artifact);
  if (status != Status::Success)
    return status;
  setCurrentStage("run");
  loading = std::chrono::steady_clock::now();
  status = openTokenizer();
  if (status == Status::Success)
    status =
        transcriber.open(call.talk, artifact.path, flags.model, flags.loading);
  if (status == Status::Success)
    status = setGenerationOptions(
        call, flags.model, transcriber.getStart(),
        [&](const tenon_tensor &value) {
          return tenon_transcriber_set(transcriber.get(), &value);
        },
        [&] { return tenon_transcriber_text(transcriber.get()); });
  if (status == Status::Success)
    status = encodePrompt();
  if (status != Status::Success)
    return status;
  firstTimestamp = transcriber.getIds().first_timestamp;
  SegmentWriter writer(llvm::outs(), flags.format,
                       call.args.hasArg(OPT_timestamps));
  running = std::chrono::steady_clock::now();
  status = transcriber.run(call.talk, options(), sound, flags.sound,
                           [&](const tenon_segment &segment) {
                             writer.add(segment, textOf(segment), isText);
                           });
  ended = std::chrono::steady_clock::now();
  const char *language = tenon_transcriber_language(transcriber.get());
  double seconds =
      static_cast<double>(tenon_transcriber_samples(transcriber.get())) /
      TENON_SOUND_RATE;
  if (status == Status::Success || status == interruptStatus)
    writer.finish(language ? language : "", seconds);
  if (status == Status::Success && call.args.hasArg(OPT_verbose))
    call.talk.note(report(seconds));
  return status;
}

Status transcribeVerb(Invocation &call) {
  TranscribeFlags flags;
  if (Status status = readFlags(call, flags); status != Status::Success)
    return status;
  return Transcription(call, flags).run();
}

} // namespace tenon::cli
