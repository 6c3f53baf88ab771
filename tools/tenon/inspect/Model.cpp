// The summary of a model file.
#include "tools/tenon/inspect/Model.h"

#include "tools/tenon/Talk.h"
#include "tools/tenon/inspect/Fields.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::json::Array;
using llvm::json::fixUTF8;
using llvm::json::Object;

namespace tenon::cli {

/// The number of op kinds listed without --ops.
static constexpr size_t topOps = 8;

Object summaryAsJson(const ModelSummary &summary) {
  Array ops;
  auto entriesAsJson = [](llvm::ArrayRef<EntrySummary> entries) {
    Array array;
    for (const EntrySummary &entry : entries)
      array.push_back(Object{{"name", fixUTF8(entry.name)},
                             {"inputs", tensorsAsJson(entry.inputs)},
                             {"outputs", tensorsAsJson(entry.outputs)}});
    return array;
  };
  for (const OpSummary &op : summary.ops)
    ops.push_back(Object{{"name", fixUTF8(op.name)},
                         {"count", op.count},
                         {"unsupported", op.unsupported}});
  return Object{{"schema", 1},
                {"kind", "model"},
                {"format", fixUTF8(summary.format)},
                {"name", fixUTF8(summary.name)},
                {"producer", fixUTF8(summary.producer)},
                {"inputs", tensorsAsJson(summary.inputs)},
                {"outputs", tensorsAsJson(summary.outputs)},
                {"functions", entriesAsJson(summary.functions)},
                {"signatures", entriesAsJson(summary.signatures)},
                {"parameters", summary.parameters},
                {"parameter_bytes", summary.parameterBytes},
                {"ops", std::move(ops)}};
}

void printSummary(const ModelSummary &summary, bool ops) {
  printField("model", summary.name);
  printField("format", summary.format);
  printField("producer", summary.producer);
  if (summary.functions.empty()) {
    printTensors("inputs", summary.inputs);
    printTensors("outputs", summary.outputs);
  }
  for (const EntrySummary &function : summary.functions) {
    printField("function", function.name);
    printTensors("inputs", function.inputs);
    printTensors("outputs", function.outputs);
  }
  for (const EntrySummary &signature : summary.signatures) {
    printField("signature", signature.name);
    printTensors("inputs", signature.inputs);
    printTensors("outputs", signature.outputs);
  }
  printField("params", std::to_string(summary.parameters) + " (" +
                           formatBytes(summary.parameterBytes) + ")");
  int64_t total = 0, unsupported = 0;
  std::vector<std::string> top;
  for (const OpSummary &op : summary.ops) {
    total += op.count;
    unsupported += op.unsupported;
    if (top.size() < topOps)
      top.push_back(op.name + " " + std::to_string(op.count));
  }
  // A checkpoint has layers, not operators.
  if (total == 0)
    return;
  std::string text = std::to_string(total);
  if (unsupported > 0)
    text += ", " + std::to_string(unsupported) + " unsupported";
  printField("ops", text);
  if (!ops) {
    printField("top ops", llvm::join(top, "  "));
    return;
  }
  for (const OpSummary &op : summary.ops)
    printField("", llvm::formatv("{0,6}  {1}{2}", op.count, op.name,
                                 op.unsupported > 0 ? "   unsupported" : ""));
}

} // namespace tenon::cli
