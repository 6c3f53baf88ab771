// Collects the data of the page as JSON. Missing numbers, such as the work of a
// launch whose sizes are unknown, are left out.
#include "tools/tenon/report/Report.h"

#include "tools/tenon/LoadedModel.h"
#include "tools/tenon/OutputFile.h"
#include "tools/tenon/report/JsonFile.h"
#include "tools/tenon/report/Page.h"
#include "tools/tenon/report/ProfileTrace.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Option/Arg.h"
#include "llvm/Support/Path.h"

using namespace tenon::cli::options;
using llvm::json::Array;
using llvm::json::fixUTF8;
using llvm::json::Object;

namespace tenon::cli {

/// Refuses flags of the other kind of call: with a page or without.
static Status checkKindOfCall(Invocation &call, bool hasPage) {
  VerbBit kind = hasPage ? InspectHtml : InspectPlain;
  for (const llvm::opt::Arg *arg : call.args) {
    const llvm::opt::Option &option = arg->getOption();
    if (option.hasVisibilityFlag(InspectVerb) &&
        !option.hasVisibilityFlag(kind))
      return call.talk.usage(arg->getAsString(call.args) +
                             (hasPage
                                  ? " is not for --html, which prints no result"
                                  : " needs --html=FILE"));
  }
  return Status::Success;
}

Status checkReportFlags(Invocation &call, const std::string &input) {
  bool hasPage = call.args.hasArg(OPT_html);
  Status status = checkKindOfCall(call, hasPage);
  if (!hasPage || status != Status::Success)
    return status;
  std::string path = call.args.getLastArgValue(OPT_html).str();
  status = checkOutput(call.talk, path, input);
  for (unsigned id : {OPT_profile_to, OPT_verify})
    if (const llvm::opt::Arg *arg = call.args.getLastArg(id);
        arg && status == Status::Success)
      status = checkDistinct(call.talk, {{"the page", path}}, arg->getValue());
  return status;
}

ModelGraph launchesOf(const tenon_model_desc &desc) {
  ModelGraph graph;
  for (int32_t f = 0; f < desc.num_functions; ++f) {
    const tenon_function_desc &function = desc.functions[f];
    OpGraph &after = graph.at(function.name).after;
    for (int32_t i = 0; i < function.num_launches; ++i) {
      const tenon_launch_desc &launch = function.launches[i];
      llvm::StringRef kernel = function.kernels[launch.kernel].name;
      llvm::SmallVector<llvm::StringRef> names;
      llvm::StringRef(launch.nodes).split(names, '\n', -1, false);
      GraphNode node;
      node.op =
          kernel.take_until([](char c) { return !llvm::isAlpha(c); }).str();
      node.names.assign(names.begin(), names.end());
      node.launches.push_back({kernel.str()});
      after.nodes.push_back(std::move(node));
    }
  }
  return graph;
}

static Array textsAsJson(const std::vector<std::string> &texts) {
  Array array;
  for (const std::string &text : texts)
    array.push_back(fixUTF8(text));
  return array;
}

static Object nodeAsJson(const GraphNode &node) {
  Object object{{"op", fixUTF8(node.op)}, {"names", textsAsJson(node.names)}};
  if (!node.types.empty())
    object["types"] = textsAsJson(node.types);
  if (!node.values.empty())
    object["values"] = textsAsJson(node.values);
  if (!node.constants.empty())
    object["constants"] = textsAsJson(node.constants);
  if (!node.plan.empty())
    object["plan"] = fixUTF8(node.plan);
  Array launches;
  for (const LaunchSummary &launch : node.launches) {
    Object entry{{"kernel", fixUTF8(launch.kernel)}};
    if (launch.flops >= 0)
      entry["flops"] = launch.flops;
    if (launch.bytes >= 0)
      entry["bytes"] = launch.bytes;
    launches.push_back(std::move(entry));
  }
  if (!launches.empty())
    object["launches"] = std::move(launches);
  return object;
}

static Object graphAsJson(const OpGraph &graph) {
  Array nodes, edges;
  for (const GraphNode &node : graph.nodes)
    nodes.push_back(nodeAsJson(node));
  for (const GraphEdge &edge : graph.edges)
    edges.push_back(Array{int64_t(edge.from), int64_t(edge.to)});
  return Object{{"nodes", std::move(nodes)}, {"edges", std::move(edges)}};
}

static Object memoryAsJson(const FunctionGraph &function) {
  Array buffers;
  for (const PlacedBuffer &buffer : function.buffers)
    buffers.push_back(Object{{"offset", buffer.offset},
                             {"bytes", buffer.bytes},
                             {"first", int64_t(buffer.first)},
                             {"last", int64_t(buffer.last)},
                             {"type", fixUTF8(buffer.type)}});
  return Object{{"bytes", function.arenaBytes},
                {"buffers", std::move(buffers)}};
}

static Array functionsAsJson(const ModelGraph &graph) {
  Array functions;
  for (const FunctionGraph &function : graph.functions) {
    Object object{{"name", fixUTF8(function.name)},
                  {"before", graphAsJson(function.before)},
                  {"after", graphAsJson(function.after)}};
    if (function.arenaBytes >= 0)
      object["memory"] = memoryAsJson(function);
    functions.push_back(std::move(object));
  }
  return functions;
}

static Object traceAsJson(const ProfileTrace &trace) {
  Array launches;
  for (const TracedLaunch &launch : trace.launches) {
    llvm::SmallVector<llvm::StringRef> split;
    llvm::StringRef(launch.nodes).split(split, '\n', -1, false);
    Array names;
    for (llvm::StringRef name : split)
      names.push_back(fixUTF8(name));
    Object object = asJson(launch.cost);
    object["kernel"] = fixUTF8(launch.kernel);
    object["names"] = std::move(names);
    launches.push_back(std::move(object));
  }
  Object object = asJson(trace.run);
  object["launches"] = std::move(launches);
  return object;
}

/// Notes launches of the trace that the model does not have: the artifact that
/// was profiled is another one.
static void compareLaunches(Invocation &call, const ModelGraph &graph,
                            const ProfileTrace &trace) {
  llvm::StringSet<> known;
  for (const FunctionGraph &function : graph.functions)
    for (const GraphNode &node : function.after.nodes)
      for (const LaunchSummary &launch : node.launches)
        known.insert(launch.kernel + "\n" + llvm::join(node.names, "\n"));
  size_t missing = llvm::count_if(trace.launches, [&](const auto &launch) {
    return !known.contains(launch.kernel + "\n" + launch.nodes);
  });
  if (missing > 0)
    call.talk.note("launches of the profile that are not in this model: " +
                   std::to_string(missing) +
                   "; pass the options that the profiled artifact was compiled "
                   "with");
}

/// The values of the result of `tenon verify --format=json`, with the keys that
/// the page knows.
static Array readValues(const JsonReader &result) {
  result.member("schema").integer(1, 1);
  auto finiteOrNull = [](const JsonReader &number) {
    return number.isNull() ? llvm::json::Value(nullptr)
                           : llvm::json::Value(number.number(0));
  };
  Array values;
  result.member("values").each([&](const JsonReader &value) {
    values.push_back(
        Object{{"function", value.member("function").text()},
               {"name", value.member("name").text()},
               {"type", value.member("type").text()},
               {"same", value.member("same").boolean()},
               {"max_absolute", finiteOrNull(value.member("max_absolute"))},
               {"max_relative", finiteOrNull(value.member("max_relative"))}});
  });
  return values;
}

Status writeReport(Invocation &call, Object summary, const ModelGraph &graph) {
  llvm::StringRef input = call.args.getLastArgValue(OPT_INPUT);
  Object data{{"schema", 1},
              {"file", fixUTF8(llvm::sys::path::filename(input))},
              {"summary", std::move(summary)},
              {"functions", functionsAsJson(graph)}};
  if (const llvm::opt::Arg *arg = call.args.getLastArg(OPT_profile_to)) {
    ProfileTrace trace;
    if (Status status = readTrace(call.talk, arg->getValue(), trace);
        status != Status::Success)
      return status;
    compareLaunches(call, graph, trace);
    data["profile"] = traceAsJson(trace);
  }
  if (const llvm::opt::Arg *arg = call.args.getLastArg(OPT_verify)) {
    Array values;
    if (Status status = readJson(
            call.talk, arg->getValue(),
            "the result of 'tenon verify --format=json'",
            [&](const JsonReader &root) { values = readValues(root); });
        status != Status::Success)
      return status;
    data["verification"] = Object{{"values", std::move(values)}};
  }
  return writeOutput(call.talk, call.args.getLastArgValue(OPT_html).str(),
                     asPage(std::move(data)));
}

} // namespace tenon::cli
