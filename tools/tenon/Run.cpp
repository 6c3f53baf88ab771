// `tenon run` runs a model or artifact once on inputs from the command line,
// and shows, writes or compares its outputs.
#include "tools/tenon/CallStats.h"
#include "tools/tenon/Comparison.h"
#include "tools/tenon/CompileFlags.h"
#include "tools/tenon/DeviceFlags.h"
#include "tools/tenon/InputValues.h"
#include "tools/tenon/LimitWatch.h"
#include "tools/tenon/LoadedModel.h"
#include "tools/tenon/ObtainArtifact.h"
#include "tools/tenon/OutputFile.h"
#include "tools/tenon/Profile.h"
#include "tools/tenon/TensorFile.h"
#include "tools/tenon/TensorPrinting.h"
#include "tools/tenon/npy/Npz.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/Arg.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <chrono>

using namespace tenon::cli::options;
using llvm::opt::Arg;

namespace tenon::cli {

namespace {
/// The flags of `run`, read before anything is compiled.
struct RunFlags {
  std::string model;
  std::string format;
  std::map<std::string, int64_t> sizes;
  LoadedModel::Options loading;
  Tolerance tolerance;
  PrintOptions printing;
  int64_t repeat = 1;
  bool profile = false;
  std::string trace; ///< path for the profile's trace, or empty
};
} // namespace

static Status readLabels(Invocation &call, PrintOptions &printing) {
  std::string content;
  std::string path = call.args.getLastArgValue(OPT_labels).str();
  if (path.empty())
    return Status::Success;
  if (Status status = readWhole(call.talk, path, content);
      status != Status::Success)
    return status;
  llvm::StringRef rest = content;
  while (!rest.empty()) {
    auto [line, tail] = rest.split('\n');
    printing.labels.push_back(line.rtrim('\r').str());
    rest = tail;
  }
  return Status::Success;
}

static Status readFlags(Invocation &call, RunFlags &flags) {
  int64_t threads = 0;
  Status status = readOnePositional(call, "a model or artifact", flags.model);
  auto then = [&](auto step) {
    if (status == Status::Success)
      status = step();
  };
  then([&] {
    return readChoice(call, OPT_format, {"text", "json"}, "text", flags.format);
  });
  then([&] { return readDimSizes(call, flags.sizes); });
  then([&] { return readContextExtents(call, flags.loading.contextExtents); });
  then([&] { return readNumber(call, OPT_threads, 0, 1024, threads); });
  then([&] {
    return readNumber(call, OPT_repeat, 1, 1000000000, flags.repeat);
  });
  then(
      [&] { return readDuration(call, OPT_deadline, flags.loading.deadline); });
  then(
      [&] { return readSize(call, OPT_mem_limit, flags.loading.memoryLimit); });
  flags.loading.memory = call.memory;
  flags.loading.verifyWeights = call.args.hasArg(OPT_verify_weights);
  flags.loading.weightsPath = weightsPath(call);
  then([&] { return readLoadWeights(call, flags.loading.weights); });
  then([&] { return readCpuMask(call, flags.loading.cpuMask); });
  then([&] { return readDevice(call, flags.loading.device); });
  then([&] { return readTolerance(call, OPT_rtol, flags.tolerance.rtol); });
  then([&] { return readTolerance(call, OPT_atol, flags.tolerance.atol); });
  then([&] {
    return readNumber(call, OPT_print_top, 1, 1000000, flags.printing.top);
  });
  then([&] {
    return readNumber(call, OPT_print_max, 0, INT64_MAX, flags.printing.values);
  });
  then([&] { return readLabels(call, flags.printing); });
  then([&] {
    std::string path = call.args.getLastArgValue(OPT_outputs).str();
    return path.empty() ? Status::Success
                        : checkOutput(call.talk, path, flags.model);
  });
  flags.trace = call.args.getLastArgValue(OPT_profile_to).str();
  flags.profile = call.args.hasArg(OPT_profile, OPT_profile_to);
  if (call.args.hasArg(OPT_profile_to))
    then([&] { return checkOutput(call.talk, flags.trace, flags.model); });
  flags.loading.threads = static_cast<int32_t>(threads);
  if (status == Status::Success && call.args.hasArg(OPT_labels) &&
      !call.args.hasArg(OPT_print_top))
    return call.talk.usage("--labels needs --print-top");
  if (status == Status::Success && call.args.hasArg(OPT_test_data) &&
      call.args.hasArg(OPT_input, OPT_inputs, OPT_expect))
    return call.talk.usage("--test-data brings its own inputs and outputs");
  if (status == Status::Success && call.args.hasArg(OPT_test_data) &&
      flags.profile)
    return call.talk.usage("--profile is for one set of inputs",
                           "pass --inputs instead of --test-data");
  return status;
}

/// Finds the output `name`; without a name the only output.
static Status findOutput(Invocation &call, const std::vector<Tensor> &outputs,
                         const char *flag, const std::string &name,
                         const Tensor *&found) {
  std::vector<std::string> names;
  for (const Tensor &output : outputs) {
    names.push_back(output.name);
    if (output.name == name)
      found = &output;
  }
  if (name.empty() && outputs.size() == 1)
    found = &outputs[0];
  if (found)
    return Status::Success;
  return call.talk.usage(
      std::string(flag) + (name.empty() ? ": expected the name of an output"
                                        : ": no output is called '" + name +
                                              "'" + didYouMean(name, names)),
      "pass " + std::string(flag) + "=NAME=@FILE with one of " +
          llvm::join(names, ", "));
}

/// Splits "[NAME=]@FILE" by the names of `outputs`.
static std::pair<std::string, std::string>
splitOutput(const std::string &text, const std::vector<Tensor> &outputs) {
  std::vector<std::string> names;
  for (const Tensor &output : outputs)
    names.push_back(output.name);
  auto [name, file] = splitName(text, names);
  size_t at = file.find("=@");
  if (name.empty() && at != std::string::npos && !file.starts_with("@")) {
    name = file.substr(0, at);
    file = file.substr(at + 1);
  }
  return {name, file.starts_with("@") ? file.substr(1) : file};
}

static Status writeOutputs(Invocation &call,
                           const std::vector<Tensor> &outputs) {
  for (const Arg *arg : call.args.filtered(OPT_output)) {
    auto [name, file] = splitOutput(arg->getValue(), outputs);
    const Tensor *output = nullptr;
    Status status = findOutput(call, outputs, "--output", name, output);
    if (status == Status::Success)
      status = checkOutput(call.talk, file, "");
    if (status == Status::Success)
      status = writeOutput(call.talk, file, writeNpy(*output));
    if (status != Status::Success)
      return status;
  }
  std::string path = call.args.getLastArgValue(OPT_outputs).str();
  if (path.empty())
    return Status::Success;
  std::string archive = writeNpz(outputs);
  if (archive.empty())
    return call.talk.fail(Status::Limit, path,
                          "the outputs are larger than a .npz file of 4 GiB",
                          {}, "write them one by one with --output");
  return writeOutput(call.talk, path, archive);
}

static Status compareOutput(Invocation &call, const Tensor &actual,
                            const Tensor &expected, const std::string &file,
                            const Tolerance &tolerance) {
  Difference difference = compareTensors(actual, expected, tolerance);
  if (difference.same)
    return Status::Success;
  Diagnostic d;
  d.file = file;
  d.place = "output \"" + actual.name + "\"";
  d.text = difference.text;
  d.details = difference.details;
  d.status = Status::Mismatch;
  return call.talk.say(d);
}

static Status compareExpected(Invocation &call,
                              const std::vector<Tensor> &outputs,
                              const Tolerance &tolerance) {
  Status result = Status::Success;
  for (const Arg *arg : call.args.filtered(OPT_expect)) {
    auto [name, file] = splitOutput(arg->getValue(), outputs);
    const Tensor *output = nullptr;
    Tensor expected;
    Status status = findOutput(call, outputs, "--expect", name, output);
    if (status == Status::Success)
      status = readOneTensor(call, file, output->name, expected);
    if (status == Status::Success)
      status = compareOutput(call, *output, expected, file, tolerance);
    if (status != Status::Success && status != Status::Mismatch)
      return status;
    if (status != Status::Success)
      result = status;
  }
  return result;
}

/// Reads PREFIX_0.pb, PREFIX_1.pb, ... as the tensors `names`, in order. If all
/// files name known tensors, these names are used instead.
static Status readTestTensors(Invocation &call, const std::string &directory,
                              const char *prefix,
                              const std::vector<std::string> &names,
                              std::vector<Tensor> &tensors,
                              std::vector<std::string> &files) {
  if (Status status = listTensorFiles(call.talk, directory, prefix, files);
      status != Status::Success)
    return status;
  if (files.size() != names.size())
    return call.talk.fail(Status::BadInput, directory,
                          "expected " + std::to_string(names.size()) +
                              " files " + prefix + "N.pb, found " +
                              std::to_string(files.size()));
  for (const std::string &file : files) {
    Tensor tensor;
    if (Status status = readOneTensor(call, file, "", tensor);
        status != Status::Success)
      return status;
    tensors.push_back(std::move(tensor));
  }
  std::vector<size_t> order;
  for (const std::string &name : names)
    for (size_t i = 0; i < tensors.size(); ++i)
      if (tensors[i].name == name && !llvm::is_contained(order, i)) {
        order.push_back(i);
        break;
      }
  if (order.size() == names.size()) {
    std::vector<Tensor> ordered;
    std::vector<std::string> orderedFiles;
    for (size_t i : order) {
      ordered.push_back(std::move(tensors[i]));
      orderedFiles.push_back(files[i]);
    }
    tensors = std::move(ordered);
    files = std::move(orderedFiles);
  }
  for (size_t i = 0; i < names.size(); ++i)
    tensors[i].name = names[i];
  return Status::Success;
}

static Status runTestSet(Invocation &call, const RunFlags &flags,
                         LoadedModel &model, const std::string &directory) {
  std::vector<std::string> inputNames, outputNames, inputFiles, outputFiles;
  const tenon_function_desc &function = model.getFunction();
  for (int32_t i = 0; i < function.num_inputs; ++i)
    inputNames.push_back(function.inputs[i].name);
  for (int32_t i = 0; i < function.num_outputs; ++i)
    outputNames.push_back(function.outputs[i].name);
  std::vector<Tensor> inputs, expected;
  Status status = readTestTensors(call, directory, "input_", inputNames, inputs,
                                  inputFiles);
  if (status == Status::Success)
    status = readTestTensors(call, directory, "output_", outputNames, expected,
                             outputFiles);
  if (status == Status::Success)
    status = model.admit(call.talk, inputs);
  if (status == Status::Success)
    status = model.run(call.talk, inputs);
  if (status != Status::Success)
    return status;
  std::vector<Tensor> outputs = model.copyOutputs();
  int64_t same = 0;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (compareOutput(call, outputs[i], expected[i], outputFiles[i],
                      flags.tolerance) == Status::Success)
      ++same;
    else
      status = Status::Mismatch;
  llvm::raw_ostream &out = llvm::outs();
  if (flags.format == "json")
    out << llvm::json::Value(
               llvm::json::Object{{"schema", 1},
                                  {"directory", llvm::json::fixUTF8(directory)},
                                  {"outputs", int64_t(outputs.size())},
                                  {"same", same}})
        << '\n';
  else
    out << escapeForTerminal(directory) << ": " << same << " of "
        << outputs.size() << " outputs as expected\n";
  return status;
}

/// Runs on every test_data_set_* of `directory`, or on `directory` itself if
/// there are none.
static Status runTestData(Invocation &call, const RunFlags &flags,
                          LoadedModel &model, const std::string &directory) {
  std::vector<std::string> sets;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(directory, error), end;
       it != end && !error; it.increment(error))
    if (llvm::sys::path::filename(it->path()).starts_with("test_data_set_"))
      sets.push_back(it->path());
  if (error)
    return call.talk.fail(Status::Io, directory,
                          "cannot read the directory: " + error.message());
  llvm::sort(sets);
  if (sets.empty())
    sets.push_back(directory);
  Status result = Status::Success;
  for (const std::string &set : sets) {
    Status status = runTestSet(call, flags, model, set);
    if (status != Status::Success && status != Status::Mismatch)
      return status;
    if (status != Status::Success)
      result = status;
  }
  return result;
}

/// True if an output goes to the standard output.
static bool streamsOutput(const llvm::opt::InputArgList &args) {
  for (const Arg *arg : args.filtered(OPT_output)) {
    llvm::StringRef value = arg->getValue();
    if (value == "-" || value == "@-" || value.ends_with("=-") ||
        value.ends_with("=@-"))
      return true;
  }
  return args.getLastArgValue(OPT_outputs) == "-";
}

static void printResult(Invocation &call, const RunFlags &flags,
                        const LoadedModel &model,
                        const std::vector<Tensor> &outputs, double seconds,
                        const Profile *profile) {
  bool withStats = call.args.hasArg(OPT_stats);
  llvm::raw_ostream &out = llvm::outs();
  if (flags.format == "json") {
    llvm::json::Array array;
    for (const Tensor &output : outputs)
      array.push_back(tensorAsJson(output, flags.printing));
    llvm::json::Object result{
        {"schema", 1}, {"outputs", std::move(array)}, {"seconds", seconds}};
    if (profile)
      result["profile"] = profile->asJson();
    if (withStats)
      result["stats"] = callStatsAsJson(model);
    out << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(result)));
    return;
  }
  for (const Tensor &output : outputs)
    printTensor(out, output, flags.printing);
  if (profile)
    profile->print(out);
  if (withStats)
    out << callStatsAsText(model);
  out.flush();
  call.talk.note("ran in " + formatTime(seconds));
}

/// Refuses an output that would overwrite another output or the model.
static Status checkOutputs(Invocation &call, const RunFlags &flags,
                           const tenon_function_desc &function) {
  std::vector<Tensor> outputs(function.num_outputs);
  for (int32_t i = 0; i < function.num_outputs; ++i)
    outputs[i].name = function.outputs[i].name;
  std::vector<NamedOutput> files;
  for (const Arg *arg : call.args.filtered(OPT_output))
    files.push_back({arg->getAsString(call.args) + ": the file",
                     splitOutput(arg->getValue(), outputs).second});
  if (const Arg *arg = call.args.getLastArg(OPT_outputs))
    files.push_back({"the archive of the outputs", arg->getValue()});
  if (!flags.trace.empty())
    files.push_back({"the trace", flags.trace});
  return checkDistinct(call.talk, files, flags.model);
}

static Status runOnInputs(Invocation &call, const RunFlags &flags,
                          LoadedModel &model) {
  if (Status status = checkOutputs(call, flags, model.getFunction());
      status != Status::Success)
    return status;
  std::vector<Tensor> inputs;
  {
    // The deadline covers the reading of inputs too.
    TimeLimit limit(call.talk, flags.model, "the deadline",
                    flags.loading.deadline);
    Status status = readInputs(call, signatureOf(model.getFunction()),
                               flags.sizes, OpenInputs::Refuse, inputs);
    if (status == Status::Success)
      status = model.admit(call.talk, inputs);
    if (status != Status::Success)
      return status;
  }
  double seconds = 0, total = 0;
  auto run = [&] {
    auto start = std::chrono::steady_clock::now();
    Status status = model.run(call.talk, inputs);
    seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    return status;
  };
  Profile profile;
  if (flags.profile) {
    // Not profiled: the first run reads weights from disk and starts threads.
    if (Status status = run(); status != Status::Success)
      return status;
    profile.listen(model, !flags.trace.empty());
  }
  for (int64_t i = 0; i < flags.repeat; ++i) {
    if (Status status = run(); status != Status::Success)
      return status;
    total += seconds;
  }
  std::vector<Tensor> outputs = model.copyOutputs();
  if (flags.profile)
    profile.finish(flags.repeat, total, model.getInfo().threads);
  if (!streamsOutput(call.args))
    printResult(call, flags, model, outputs, seconds,
                flags.profile ? &profile : nullptr);
  if (!flags.trace.empty())
    if (Status status = writeOutput(call.talk, flags.trace, profile.trace());
        status != Status::Success)
      return status;
  if (Status status = writeOutputs(call, outputs); status != Status::Success)
    return status;
  return compareExpected(call, outputs, flags.tolerance);
}

Status runVerb(Invocation &call) {
  RunFlags flags;
  if (Status status = readFlags(call, flags); status != Status::Success)
    return status;
  Artifact artifact;
  if (Status status = obtainArtifact(call, flags.model, artifact);
      status != Status::Success)
    return status;
  LoadedModel model;
  Status status =
      model.open(call.talk, artifact.path, flags.model, flags.loading);
  if (status == Status::Success)
    status = model.choose(call.talk, functionName(call));
  if (status != Status::Success)
    return status;
  setCurrentStage("run");
  std::string data = call.args.getLastArgValue(OPT_test_data).str();
  return data.empty() ? runOnInputs(call, flags, model)
                      : runTestData(call, flags, model, data);
}

} // namespace tenon::cli
