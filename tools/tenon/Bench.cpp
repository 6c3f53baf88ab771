// `tenon bench` measures the duration of runs. One run of each row is measured
// in turn, so that a change in the machine's speed affects all rows alike.
#include "tools/tenon/BenchChart.h"
#include "tools/tenon/CallStats.h"
#include "tools/tenon/CompileFlags.h"
#include "tools/tenon/DeviceFlags.h"
#include "tools/tenon/InputValues.h"
#include "tools/tenon/LoadedModel.h"
#include "tools/tenon/ObtainArtifact.h"
#include "tools/tenon/OutputFile.h"
#include "tools/tenon/Statistics.h"
#include "tools/tenon/Table.h"
#include "tools/tenon/generate/GenerationBench.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/Arg.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <chrono>
#include <cmath>
#include <deque>

using namespace tenon::cli::options;
using llvm::opt::Arg;

namespace tenon::cli {

/// The least number of runs unless -r gives one.
static constexpr size_t minRuns = 10;
/// The most times kept for one row; enough for percentiles of any model.
static constexpr size_t maxRuns = 1000000;

namespace {
struct BenchFlags {
  std::vector<std::string> files;
  std::string format;
  std::string output = "-";
  std::string chart; ///< path of the SVG; empty: none
  std::map<std::string, int64_t> sizes, contextExtents;
  std::vector<int64_t> threads;
  std::vector<std::string> devices; ///< of tenon_open_options
  tenon_weights_mode weights = TENON_WEIGHTS_AUTO;
  uint64_t cpuMask = 0;
  std::vector<int64_t> batches;
  int64_t runs = 0; ///< 0: until minTime has passed
  int64_t warmup = 3;
  double minTime = 1;
  uint64_t memoryLimit = 0;
  std::string baseline;
  double failIfSlower = -1; ///< a share, 0.1 for 10 percent; below zero: never
};

/// One line of the table.
struct Row {
  std::string file;
  std::string model;
  int64_t batch = 0; ///< 0: the model has no dynamic batch
  int64_t threads = 1;
  std::string device = "cpu"; ///< or "nvptx"
  std::string deviceName;     ///< of the device, "NVIDIA H100"; else empty
  LoadedModel loaded;
  std::vector<Tensor> inputs;
  std::vector<double> seconds;
  double total = 0;
  TimeStatistics statistics;
  double before = 0; ///< the baseline's median in seconds; 0: none

  bool isDone(const BenchFlags &flags) const {
    if (flags.runs > 0)
      return int64_t(seconds.size()) >= flags.runs;
    return (total >= flags.minTime && seconds.size() >= minRuns) ||
           seconds.size() >= maxRuns;
  }
};
} // namespace

static Status readSweep(Invocation &call, unsigned id, int64_t limit,
                        std::vector<int64_t> &numbers) {
  const Arg *arg = call.args.getLastArg(id);
  if (!arg || parseSweep(arg->getValue(), limit, numbers))
    return Status::Success;
  return call.talk.usage(arg->getAsString(call.args) +
                         ": expected numbers from 1 to " +
                         std::to_string(limit) + ": 1,8 or 1-32*2 or 1-4+1");
}

static Status readFailIfSlower(Invocation &call, double &share) {
  const Arg *arg = call.args.getLastArg(OPT_fail_if_slower);
  if (!arg)
    return Status::Success;
  llvm::StringRef text = arg->getValue();
  text.consume_back("%");
  double percent = 0;
  if (text.getAsDouble(percent) || !std::isfinite(percent) || percent < 0)
    return call.talk.usage(arg->getAsString(call.args) +
                           ": expected a percentage such as 5%");
  share = percent / 100;
  return call.args.hasArg(OPT_baseline)
             ? Status::Success
             : call.talk.usage("--fail-if-slower needs --baseline=OLD.json");
}

static Status readFlags(Invocation &call, BenchFlags &flags) {
  flags.files = call.args.getAllArgValues(OPT_INPUT);
  if (flags.files.empty())
    return call.talk.usage("expected a model or artifact");
  for (std::string &file : flags.files)
    if (Status status = call.pipe.settle(call.talk, file);
        status != Status::Success)
      return status;
  Status status =
      readChoice(call, OPT_format, {"md", "csv", "json"}, "md", flags.format);
  auto then = [&](auto step) {
    if (status == Status::Success)
      status = step();
  };
  then([&] { return readDimSizes(call, flags.sizes); });
  then([&] { return readContextExtents(call, flags.contextExtents); });
  then([&] { return readSweep(call, OPT_threads, 1024, flags.threads); });
  then([&] { return readSweep(call, OPT_batch, 1 << 24, flags.batches); });
  then([&] { return readNumber(call, OPT_repeat, 1, maxRuns, flags.runs); });
  then([&] { return readNumber(call, OPT_warmup, 0, maxRuns, flags.warmup); });
  then([&] { return readDuration(call, OPT_min_time, flags.minTime); });
  then([&] { return readSize(call, OPT_mem_limit, flags.memoryLimit); });
  then([&] { return readLoadWeights(call, flags.weights); });
  then([&] { return readCpuMask(call, flags.cpuMask); });
  then([&] { return readDevices(call, /*several=*/true, flags.devices); });
  then([&] { return readFailIfSlower(call, flags.failIfSlower); });
  flags.baseline = call.args.getLastArgValue(OPT_baseline).str();
  if (call.args.hasArg(OPT_o)) {
    flags.output = call.args.getLastArgValue(OPT_o).str();
    then([&] { return checkOutput(call.talk, flags.output, flags.baseline); });
  }
  flags.chart = call.args.getLastArgValue(OPT_svg).str();
  if (call.args.hasArg(OPT_svg)) {
    then([&] { return checkOutput(call.talk, flags.chart, flags.baseline); });
    then([&] {
      return checkDistinct(
          call.talk, {{"the table", flags.output}, {"the chart", flags.chart}},
          flags.files[0]);
    });
  }
  if (flags.threads.empty())
    flags.threads.push_back(0); // the runtime chooses
  return status;
}

/// The extent that --batch sets: the one named batch or batch_size, otherwise
/// the leading dynamic extent of the first input.
static std::string batchExtent(const std::vector<InputSignature> &inputs) {
  for (const InputSignature &input : inputs)
    for (const InputSignature::Dim &dim : input.dims)
      if (dim.size < 0 && (dim.name == "batch" || dim.name == "batch_size"))
        return dim.name;
  if (!inputs.empty() && !inputs[0].dims.empty() && inputs[0].dims[0].size < 0)
    return inputs[0].dims[0].name;
  return "";
}

static LoadedModel::Options loadingOf(Invocation &call,
                                      const BenchFlags &flags) {
  LoadedModel::Options loading;
  loading.memoryLimit = flags.memoryLimit;
  loading.memory = call.memory;
  loading.weightsPath = weightsPath(call);
  loading.weights = flags.weights;
  loading.verifyWeights = call.args.hasArg(OPT_verify_weights);
  loading.cpuMask = flags.cpuMask;
  loading.contextExtents = flags.contextExtents;
  return loading;
}

/// Opens the artifact for a row of this batch and reads its inputs.
static Status fillRow(Invocation &call, const BenchFlags &flags,
                      const std::string &artifact, LoadedModel::Options loading,
                      int64_t batch, Row &row) {
  loading.threads = static_cast<int32_t>(row.threads);
  Status status = row.loaded.open(call.talk, artifact, row.file, loading);
  if (status == Status::Success)
    status = row.loaded.choose(call.talk, functionName(call));
  if (status != Status::Success)
    return status;
  tenon_model_info info = row.loaded.getInfo();
  row.model = row.loaded.getDesc().name;
  row.threads = info.threads;
  if (info.device) {
    row.device = info.version;
    row.deviceName = info.device;
  }
  std::vector<InputSignature> inputs = signatureOf(row.loaded.getFunction());
  std::map<std::string, int64_t> sizes = flags.sizes;
  std::string extent = batchExtent(inputs);
  if (batch > 0 && extent.empty())
    return call.talk.fail(Status::BadInput, row.file,
                          "--batch: the model has no dynamic batch", {},
                          "expected an extent called batch, or an open first "
                          "extent of its first input");
  if (batch > 0)
    sizes[extent] = batch;
  row.batch = extent.empty() || !sizes.count(extent) ? 0 : sizes[extent];
  return readInputs(call, inputs, sizes, OpenInputs::Random, row.inputs);
}

static Status addRows(Invocation &call, const BenchFlags &flags,
                      const std::string &file, const std::string &artifact,
                      std::deque<Row> &rows) {
  std::vector<int64_t> batches = flags.batches;
  if (batches.empty())
    batches.push_back(0);
  for (const std::string &device : flags.devices)
    for (int64_t threads : flags.threads)
      for (int64_t batch : batches) {
        Row &row = rows.emplace_back();
        row.file = file;
        row.threads = threads;
        LoadedModel::Options loading = loadingOf(call, flags);
        loading.device = device;
        if (Status status = fillRow(call, flags, artifact, loading, batch, row);
            status != Status::Success)
          return status;
      }
  return Status::Success;
}

static Status measure(Invocation &call, const BenchFlags &flags,
                      std::deque<Row> &rows) {
  for (Row &row : rows) {
    if (Status status = row.loaded.admit(call.talk, row.inputs);
        status != Status::Success)
      return status;
    for (int64_t i = 0; i < flags.warmup; ++i)
      if (Status status = row.loaded.run(call.talk, row.inputs);
          status != Status::Success)
        return status;
  }
  bool more = true;
  while (more) {
    more = false;
    for (Row &row : rows) {
      if (row.isDone(flags))
        continue;
      more = true;
      auto start = std::chrono::steady_clock::now();
      Status status = row.loaded.run(call.talk, row.inputs);
      std::chrono::duration<double> taken =
          std::chrono::steady_clock::now() - start;
      if (status != Status::Success)
        return status;
      row.seconds.push_back(taken.count());
      row.total += taken.count();
    }
  }
  for (Row &row : rows)
    row.statistics = summarize(row.seconds);
  return Status::Success;
}

/// Sets every row's `before` to the median in the file `path` for the row's
/// model, batch, threads and device.
static Status readBaseline(Invocation &call, const std::string &path,
                           std::deque<Row> &rows) {
  std::string content;
  if (Status status = readWhole(call.talk, path, content);
      status != Status::Success)
    return status;
  auto invalid = [&](const std::string &why) {
    return call.talk.fail(Status::InvalidModel, path, why, {},
                          "expected the result of 'tenon bench "
                          "--format=json'");
  };
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(content);
  if (!parsed)
    return invalid(llvm::toString(parsed.takeError()));
  const llvm::json::Object *root = parsed->getAsObject();
  const llvm::json::Array *results = root ? root->getArray("results") : nullptr;
  if (!results || root->getInteger("schema") != 1)
    return invalid("not a result of schema 1");
  for (const llvm::json::Value &value : *results) {
    const llvm::json::Object *old = value.getAsObject();
    std::optional<double> median =
        old ? old->getNumber("p50_seconds") : std::nullopt;
    if (!median)
      return invalid("a result without p50_seconds");
    for (Row &row : rows)
      if (old->getString("model") == llvm::StringRef(row.model) &&
          old->getInteger("batch") == row.batch &&
          old->getInteger("threads") == row.threads &&
          old->getString("device").value_or("cpu") == row.device)
        row.before = *median;
  }
  return Status::Success;
}

static std::string resultAsJson(const std::deque<Row> &rows, bool withStats) {
  llvm::json::Array results;
  for (const Row &row : rows) {
    const TimeStatistics &s = row.statistics;
    llvm::json::Object object{
        {"model", llvm::json::fixUTF8(row.model)},
        {"file", llvm::json::fixUTF8(row.file)},
        {"batch", row.batch},
        {"threads", row.threads},
        {"device", row.device},
        {"runs", int64_t(row.seconds.size())},
        {"min_seconds", s.min},
        {"mean_seconds", s.mean},
        {"p50_seconds", s.p50},
        {"p95_seconds", s.p95},
        {"p99_seconds", s.p99},
        {"sd_seconds", s.deviation},
        {"per_second",
         s.mean > 0 ? std::max<int64_t>(row.batch, 1) / s.mean : 0}};
    if (!row.deviceName.empty())
      object["device_name"] = llvm::json::fixUTF8(row.deviceName);
    if (row.before > 0)
      object["baseline_p50_seconds"] = row.before;
    if (withStats)
      object["stats"] = callStatsAsJson(row.loaded);
    results.push_back(std::move(object));
  }
  return llvm::formatv("{0:2}\n",
                       llvm::json::Value(llvm::json::Object{
                           {"schema", 1}, {"results", std::move(results)}}));
}

/// `seconds` as milliseconds with three significant digits.
static std::string milliseconds(double seconds) {
  char text[32];
  double ms = seconds * 1e3;
  int digits = ms >= 100 ? 1 : ms >= 1 ? 2 : ms >= 0.1 ? 3 : 5;
  snprintf(text, sizeof text, "%.*f", digits, ms);
  return text;
}

static std::vector<std::vector<std::string>>
cellsOf(const std::deque<Row> &rows, bool compared) {
  std::vector<std::vector<std::string>> cells;
  bool withDevices = llvm::any_of(
      rows, [](const Row &row) { return !row.deviceName.empty(); });
  cells.push_back({"model", "batch", "threads", "runs", "p50 ms", "p95 ms",
                   "p99 ms", "sd ms", "inf/s"});
  if (compared)
    cells[0].push_back("vs baseline");
  if (withDevices)
    cells[0].push_back("device");
  for (const Row &row : rows) {
    const TimeStatistics &s = row.statistics;
    double rate = s.mean > 0 ? std::max<int64_t>(row.batch, 1) / s.mean : 0;
    cells.push_back({row.model, row.batch ? std::to_string(row.batch) : "-",
                     std::to_string(row.threads),
                     std::to_string(row.seconds.size()), milliseconds(s.p50),
                     milliseconds(s.p95), milliseconds(s.p99),
                     milliseconds(s.deviation), llvm::formatv("{0:f1}", rate)});
    if (compared)
      cells.back().push_back(row.before > 0
                                 ? llvm::formatv("{0}{1:f1}%",
                                                 s.p50 > row.before ? "+" : "",
                                                 (s.p50 / row.before - 1) * 100)
                                 : std::string("-"));
    if (withDevices)
      cells.back().push_back(row.deviceName.empty() ? row.device
                                                    : row.deviceName);
  }
  return cells;
}

static std::string chartOf(const std::deque<Row> &rows) {
  std::vector<BenchBar> bars;
  for (const Row &row : rows) {
    const TimeStatistics &s = row.statistics;
    BenchBar bar;
    bar.label = row.model;
    if (row.batch > 0)
      bar.label += ", batch " + std::to_string(row.batch);
    bar.label += ", " + std::to_string(row.threads) +
                 (row.threads == 1 ? " thread" : " threads");
    if (!row.deviceName.empty())
      bar.label += ", " + row.deviceName;
    bar.text = llvm::formatv("p50 {0} ms, p95 {1} ms, p99 {2} ms, {3} runs",
                             milliseconds(s.p50), milliseconds(s.p95),
                             milliseconds(s.p99), row.seconds.size());
    bar.median = s.p50 * 1e3;
    for (double seconds : row.seconds)
      bar.values.push_back(seconds * 1e3);
    bar.marks = {{"p95", s.p95 * 1e3}, {"p99", s.p99 * 1e3}};
    bars.push_back(std::move(bar));
  }
  return asSvg("Time of a run", "milliseconds", bars);
}

static Status compareWithBaseline(Invocation &call, const BenchFlags &flags,
                                  const std::deque<Row> &rows) {
  Status status = Status::Success;
  for (const Row &row : rows) {
    if (row.before <= 0 && flags.failIfSlower >= 0)
      call.talk.note(llvm::formatv(
          "the baseline has no row for {0}, batch {1}, {2} threads", row.model,
          row.batch, row.threads));
    if (row.before > 0 && flags.failIfSlower >= 0 &&
        row.statistics.p50 > row.before * (1 + flags.failIfSlower))
      status = call.talk.fail(
          Status::Mismatch, row.file,
          llvm::formatv("slower than the baseline: median {0}, was {1}",
                        formatTime(row.statistics.p50),
                        formatTime(row.before)));
  }
  return status;
}

/// Measures the generation of texts and writes its table.
static Status benchTexts(Invocation &call, const BenchFlags &flags,
                         const std::deque<Artifact> &artifacts) {
  if (flags.files.size() > 1 || !flags.baseline.empty())
    return call.talk.usage("a model that generates text is measured alone, "
                           "without --baseline",
                           "measure one of its functions with --function");
  if (flags.devices.size() > 1)
    return call.talk.usage("a model that generates text is measured on one "
                           "device at a time");
  GenerationBench bench;
  bench.warmup = flags.warmup;
  bench.runs = flags.runs;
  bench.minTime = flags.minTime;
  bench.loading = loadingOf(call, flags);
  bench.loading.device = flags.devices[0];
  for (int64_t threads : flags.threads)
    if (Status status = bench.measure(call, artifacts[0].path, flags.files[0],
                                      static_cast<int32_t>(threads));
        status != Status::Success)
      return status;
  std::string text = flags.format == "json"  ? bench.asJson()
                     : flags.format == "csv" ? asCsv(bench.cells())
                                             : asMarkdown(bench.cells());
  Status status = writeOutput(call.talk, flags.output, text);
  if (status == Status::Success && !flags.chart.empty())
    status = writeOutput(call.talk, flags.chart, bench.asChart());
  return status;
}

Status benchVerb(Invocation &call) {
  BenchFlags flags;
  if (Status status = readFlags(call, flags); status != Status::Success)
    return status;
  std::deque<Artifact> artifacts;
  std::deque<Row> rows;
  bool makesTexts = false;
  for (const std::string &file : flags.files) {
    Artifact &artifact = artifacts.emplace_back();
    Status status = obtainArtifact(call, file, artifact);
    if (status == Status::Success && functionName(call).empty())
      status = findGeneration(call, artifact.path, file, makesTexts);
    if (status == Status::Success && !makesTexts)
      status = addRows(call, flags, file, artifact.path, rows);
    if (status != Status::Success)
      return status;
    if (makesTexts)
      return benchTexts(call, flags, artifacts);
  }
  setCurrentStage("run");
  if (!flags.baseline.empty())
    if (Status status = readBaseline(call, flags.baseline, rows);
        status != Status::Success)
      return status;
  if (Status status = measure(call, flags, rows); status != Status::Success)
    return status;
  std::string text;
  if (flags.format == "json")
    text = resultAsJson(rows, call.args.hasArg(OPT_stats));
  else if (flags.format == "csv")
    text = asCsv(cellsOf(rows, !flags.baseline.empty()));
  else
    text = asMarkdown(cellsOf(rows, !flags.baseline.empty()));
  if (call.args.hasArg(OPT_stats) && flags.format == "md")
    for (const Row &row : rows)
      text += "\n" + escapeForTerminal(row.model) + ", batch " +
              std::to_string(row.batch) + "\n" + callStatsAsText(row.loaded);
  if (Status status = writeOutput(call.talk, flags.output, text);
      status != Status::Success)
    return status;
  if (!flags.chart.empty())
    if (Status status = writeOutput(call.talk, flags.chart, chartOf(rows));
        status != Status::Success)
      return status;
  return compareWithBaseline(call, flags, rows);
}

} // namespace tenon::cli
