// Runs the entries `start` and `advance` themselves, so that a row has the time
// of one of them only.
#include "tools/tenon/generate/GenerationBench.h"

#include "tools/tenon/BenchChart.h"
#include "tools/tenon/MachinePeaks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <chrono>
#include <deque>

namespace tenon::cli {

/// For a model with fewer positions both are shortened alike.
static constexpr int64_t mostPrompt = 128, mostNew = 32;
/// 30 s at 16 kHz: what a model of speech reads at once.
static constexpr int64_t mostSamples = 480000;
/// The least number of runs unless a flag gives one.
static constexpr size_t minRuns = 5;

Status findGeneration(Invocation &call, const std::string &artifact,
                      const std::string &shownAs, bool &found) {
  LoadedModel model;
  LoadedModel::Options options;
  options.describeOnly = true;
  Status status = model.open(call.talk, artifact, shownAs, options);
  found = status == Status::Success;
  for (const char *entry : {"start", "advance", "result"})
    found = found && tenon_find_function(model.getHandle(), entry);
  return status;
}

namespace {
/// The required inputs of an entry that describe sound: samples, or a window of
/// features. A model of text has none in `start`.
class SoundInputs {
public:
  explicit SoundInputs(const tenon_function_desc &function) {
    const llvm::StringRef text[] = {"ids", "lengths", "encoder_ids",
                                    "encoder_lengths"};
    for (int32_t i = 0; i < function.num_inputs; ++i) {
      const tenon_tensor_desc &input = function.inputs[i];
      if (!(input.flags & TENON_INPUT_OPTIONAL) &&
          !llvm::is_contained(text, input.name))
        add(input);
    }
    for (Input &input : inputs) {
      bool isReal = input.desc->dtype == TENON_F32;
      tensors.push_back(
          {sizeof(tenon_tensor), input.desc->name, input.desc->dtype,
           int32_t(input.dims.size()), input.dims.data(),
           isReal ? static_cast<void *>(input.reals.data())
                  : input.integers.data(),
           isReal ? 4 * input.reals.size() : 8 * input.integers.size(),
           TENON_ON_HOST});
    }
  }

  std::vector<tenon_tensor> tensors;
  int64_t positions = 0; ///< samples or frames

private:
  struct Input {
    const tenon_tensor_desc *desc;
    std::vector<int64_t> dims;
    std::vector<float> reals;
    std::vector<int64_t> integers;
  };

  /// The first tensor of reals has the positions in its last extent; numbers of
  /// them and other scales follow.
  void add(const tenon_tensor_desc &desc) {
    Input &input = inputs.emplace_back();
    input.desc = &desc;
    bool isReal = desc.dtype == TENON_F32, isSound = isReal && !positions;
    int64_t count = 1;
    for (int32_t i = 0; i < desc.rank; ++i) {
      const tenon_dim_desc &dim = desc.dims[i];
      bool isLast = isSound && i + 1 == desc.rank;
      input.dims.push_back(dim.size >= 0 ? dim.size
                           : isLast      ? std::min(mostSamples, dim.max)
                                         : 1);
      if (isLast)
        positions = input.dims.back();
      count *= input.dims.back();
    }
    // Values do not matter for the time.
    for (int64_t i = 0; i < count; ++i)
      if (isReal)
        input.reals.push_back(isSound ? float(i % 977) / 977 - 1 : 0);
      else
        input.integers.push_back(positions);
  }

  std::deque<Input> inputs;
};

/// A context with one prompt.
class TextContext {
public:
  TextContext(Talk &talk, std::string shownAs, tenon_model *model)
      : talk(talk), shownAs(std::move(shownAs)), model(model) {}
  ~TextContext() { tenon_context_destroy(context); }

  Status create(const LoadedModel::Options &options) {
    char text[4096] = "";
    std::vector<tenon_extent> extents = chooseExtents(options);
    tenon_context_options making = {};
    making.struct_size = sizeof making;
    making.error_text = text;
    making.error_text_bytes = sizeof text;
    making.memory_limit = options.memoryLimit;
    making.extents = extents.data();
    making.num_extents = extents.size();
    tenon_status status = tenon_context_create(model, &making, &context);
    return status == TENON_OK ? Status::Success
                              : talk.say(fromRuntime(shownAs, status, text));
  }

  /// True if the model has an encoder of sound.
  bool readsSound() const {
    return !SoundInputs(*tenon_find_function(model, "start")).tensors.empty();
  }

  /// Runs an entry that has the inputs of one sound alone.
  Status runSound(const char *entry, int64_t &positions) {
    SoundInputs sound(*tenon_find_function(model, entry));
    positions = sound.positions;
    return run(entry, sound.tensors.data(), sound.tensors.size());
  }

  Status start() {
    SoundInputs sound(*tenon_find_function(model, "start"));
    // The smallest ids, which every model has.
    int64_t ids[mostPrompt], dims[2] = {1, promptTokens}, first[2] = {1, 1};
    for (int64_t i = 0; i < promptTokens; ++i)
      ids[i] = i % 2;
    int64_t length = promptTokens, count = newTokens, none = 0, one = 1;
    // No id ends the text. An encoder reads the prompt, and the decoder begins
    // after one id.
    std::vector<tenon_tensor> inputs = {
        {sizeof(tenon_tensor), "max_new_tokens", TENON_I64, 0, nullptr, &count,
         8, TENON_ON_HOST},
        {sizeof(tenon_tensor), "eos_token_id", TENON_I64, 1, &none, nullptr, 0,
         TENON_ON_HOST},
        {sizeof(tenon_tensor), hasEncoder ? "encoder_ids" : "ids", TENON_I64, 2,
         dims, ids, uint64_t(8 * promptTokens), TENON_ON_HOST},
        {sizeof(tenon_tensor), hasEncoder ? "encoder_lengths" : "lengths",
         TENON_I64, 1, dims, &length, 8, TENON_ON_HOST},
        {sizeof(tenon_tensor), "ids", TENON_I64, 2, first, ids, 8,
         TENON_ON_HOST},
        {sizeof(tenon_tensor), "lengths", TENON_I64, 1, first, &one, 8,
         TENON_ON_HOST}};
    inputs.resize(hasEncoder ? 6 : 4);
    llvm::append_range(inputs, sound.tensors);
    return run("start", inputs.data(), inputs.size());
  }

  Status advance() {
    int64_t steps = newTokens;
    tenon_tensor input = {sizeof input, "steps", TENON_I64, 0,
                          nullptr,      &steps,  8,         TENON_ON_HOST};
    return run("advance", &input, 1);
  }

  int64_t promptTokens = 0, newTokens = 0;

private:
  /// The context's extents, and the tokens that fit them.
  std::vector<tenon_extent> chooseExtents(const LoadedModel::Options &options) {
    const tenon_model_desc *desc = tenon_describe(model);
    auto most = [&](llvm::StringRef name) -> int64_t {
      for (int32_t i = 0; i < desc->num_extents; ++i)
        if (name == desc->extents[i].name)
          return desc->extents[i].most;
      return 0;
    };
    auto atLeast = [&](const char *name, int64_t size) {
      auto chosen = options.contextExtents.find(name);
      return tenon_extent{name, chosen == options.contextExtents.end()
                                    ? size
                                    : std::max(size, chosen->second)};
    };
    int64_t positions = std::min(mostPrompt + mostNew, most("positions"));
    promptTokens = positions * mostPrompt / (mostPrompt + mostNew);
    newTokens = positions - promptTokens;
    if (readsSound()) {
      promptTokens = 1;
      newTokens = std::min(mostNew, positions - 1);
    }
    hasEncoder = hasInput("encoder_ids");
    if (!hasEncoder)
      return {atLeast("positions", positions)};
    promptTokens = std::min(mostPrompt, most("encoder_positions"));
    newTokens = std::min(mostNew, most("positions") - 1);
    return {atLeast("positions", newTokens + 1),
            atLeast("encoder_positions", promptTokens)};
  }

  bool hasInput(llvm::StringRef name) const {
    const tenon_function_desc *start = tenon_find_function(model, "start");
    for (int32_t i = 0; i < start->num_inputs; ++i)
      if (name == start->inputs[i].name)
        return true;
    return false;
  }

  Status run(const char *entry, const tenon_tensor *inputs, size_t count) {
    const tenon_function_desc *function = tenon_find_function(model, entry);
    std::vector<tenon_tensor> outputs(function->num_outputs);
    for (tenon_tensor &output : outputs)
      output.struct_size = sizeof output;
    tenon_status status = tenon_run(context, entry, inputs, count,
                                    outputs.data(), outputs.size());
    return status == TENON_OK
               ? Status::Success
               : talk.say(
                     fromRuntime(shownAs, status, tenon_context_text(context)));
  }

  Talk &talk;
  std::string shownAs;
  tenon_model *model;
  tenon_context *context = nullptr;
  bool hasEncoder = false;
};

/// The times of one row.
struct Series {
  std::vector<double> seconds;
  double total = 0;

  template <typename Run> Status measure(Run run) {
    auto start = std::chrono::steady_clock::now();
    Status status = run();
    std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - start;
    seconds.push_back(taken.count());
    total += taken.count();
    return status;
  }
};
} // namespace

Status GenerationBench::measure(Invocation &call, const std::string &artifact,
                                const std::string &shownAs, int32_t threads) {
  LoadedModel model;
  LoadedModel::Options options = loading;
  options.threads = threads;
  Status status = model.open(call.talk, artifact, shownAs, options);
  if (status != Status::Success)
    return status;
  TextContext context(call.talk, shownAs, model.getHandle());
  status = context.create(options);
  struct SoundRow {
    const char *entry, *test;
    int64_t positions = 0;
    Series series = {};
  };
  std::vector<SoundRow> sounds;
  if (context.readsSound())
    for (SoundRow row : {SoundRow{"features", "mel"}, SoundRow{"encode", "en"}})
      if (tenon_find_function(model.getHandle(), row.entry))
        sounds.push_back(row);
  Series prompt, text;
  auto isDone = [&] {
    if (runs > 0)
      return int64_t(prompt.seconds.size()) >= runs;
    return prompt.total >= minTime && text.total >= minTime &&
           prompt.seconds.size() >= minRuns;
  };
  for (int64_t i = 0; status == Status::Success && i < warmup; ++i) {
    for (SoundRow &row : sounds)
      if (status == Status::Success)
        status = context.runSound(row.entry, row.positions);
    if (status == Status::Success)
      status = context.start();
    if (status == Status::Success)
      status = context.advance();
  }
  while (status == Status::Success && !isDone()) {
    for (SoundRow &row : sounds)
      if (status == Status::Success)
        status = row.series.measure(
            [&] { return context.runSound(row.entry, row.positions); });
    if (status == Status::Success)
      status = prompt.measure([&] { return context.start(); });
    if (status == Status::Success)
      status = text.measure([&] { return context.advance(); });
  }
  if (status != Status::Success)
    return status;
  tenon_model_info info = model.getInfo();
  // The floor is this CPU's.
  double once =
      info.device
          ? 0
          : measurePeaks(info.threads)
                .floor(/*flops=*/0, static_cast<int64_t>(info.weight_bytes));
  auto add = [&](const char *kind, int64_t tokens, const Series &series,
                 double floor) {
    Row &row = rows.emplace_back();
    row.model = model.getDesc().name;
    row.test = kind + std::to_string(tokens);
    row.threads = info.threads;
    row.tokens = tokens;
    row.seconds = series.seconds;
    row.statistics = summarize(series.seconds);
    row.floor = floor;
    row.weightBytes = info.weight_bytes;
  };
  for (const SoundRow &row : sounds)
    add(row.test, row.positions, row.series, /*floor=*/0);
  // One token says nothing about prompts, and the tokens of a text do not read
  // the weights of an encoder of sound.
  bool readsSound = context.readsSound();
  if (!readsSound)
    add("pp", context.promptTokens, prompt, once);
  add("tg", context.newTokens, text, readsSound ? 0 : once * context.newTokens);
  return status;
}

static std::string perSecond(int64_t tokens, double seconds) {
  if (seconds <= 0)
    return "-";
  return llvm::formatv("{0:f1}", tokens / seconds);
}

std::vector<std::vector<std::string>> GenerationBench::cells() const {
  std::vector<std::vector<std::string>> cells = {{"model", "test", "threads",
                                                  "runs", "tok/s", "sd %",
                                                  "floor tok/s", "weights"}};
  for (const Row &row : rows) {
    const TimeStatistics &s = row.statistics;
    cells.push_back(
        {row.model, row.test, std::to_string(row.threads),
         std::to_string(row.seconds.size()), perSecond(row.tokens, s.p50),
         llvm::formatv("{0:f1}", s.mean > 0 ? 100 * s.deviation / s.mean : 0),
         perSecond(row.tokens, row.floor), formatBytes(row.weightBytes)});
  }
  return cells;
}

std::string GenerationBench::asJson() const {
  llvm::json::Array results;
  for (const Row &row : rows)
    results.push_back(
        llvm::json::Object{{"model", llvm::json::fixUTF8(row.model)},
                           {"test", row.test},
                           {"threads", row.threads},
                           {"runs", int64_t(row.seconds.size())},
                           {"tokens", row.tokens},
                           {"p50_seconds", row.statistics.p50},
                           {"sd_seconds", row.statistics.deviation},
                           {"floor_seconds", row.floor},
                           {"weight_bytes", int64_t(row.weightBytes)}});
  return llvm::formatv("{0:2}\n",
                       llvm::json::Value(llvm::json::Object{
                           {"schema", 1}, {"results", std::move(results)}}));
}

std::string GenerationBench::asChart() const {
  std::vector<BenchBar> bars;
  for (const Row &row : rows) {
    BenchBar bar;
    bar.label =
        llvm::formatv("{0}, {1}, {2} {3}", row.model, row.test, row.threads,
                      row.threads == 1 ? "thread" : "threads");
    bar.text = llvm::formatv("{0} tok/s, {1} runs",
                             perSecond(row.tokens, row.statistics.p50),
                             row.seconds.size());
    auto rateOf = [&](double seconds) {
      return seconds > 0 ? double(row.tokens) / seconds : 0;
    };
    bar.median = rateOf(row.statistics.p50);
    for (double seconds : row.seconds)
      bar.values.push_back(rateOf(seconds));
    if (row.floor > 0) {
      bar.marks.push_back({"floor", rateOf(row.floor)});
      bar.text += ", floor " + perSecond(row.tokens, row.floor) + " tok/s";
    }
    bars.push_back(std::move(bar));
  }
  return asSvg("Tokens per second", "tokens per second", bars);
}

} // namespace tenon::cli
