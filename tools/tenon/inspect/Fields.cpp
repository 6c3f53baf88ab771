// Lines and JSON of what models and artifacts both have.
#include "tools/tenon/inspect/Fields.h"

#include "compiler/report/Diagnostic.h"
#include "compiler/report/NumberText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::json::Array;
using llvm::json::fixUTF8;
using llvm::json::Object;

namespace tenon::cli {

/// A default and bounds, as printed after a type.
static std::string notesText(const TensorSummary &tensor) {
  std::vector<std::string> notes;
  constexpr size_t longest = 64;
  if (tensor.defaultValue.size() > longest)
    notes.push_back("default " + tensor.defaultValue.substr(0, longest) +
                    "...");
  else if (!tensor.defaultValue.empty())
    notes.push_back("default " + tensor.defaultValue);
  if (!tensor.least.empty())
    notes.push_back(boundsText(tensor.least, tensor.greatest));
  return notes.empty() ? "" : "   " + llvm::join(notes, ", ");
}

void printTensors(const char *heading,
                  const std::vector<TensorSummary> &tensors) {
  size_t width = 0;
  for (const TensorSummary &tensor : tensors)
    width = std::max(width, escapeForTerminal(tensor.name).size());
  for (const TensorSummary &tensor : tensors) {
    std::string name = escapeForTerminal(tensor.name);
    name.resize(width, ' ');
    llvm::outs() << llvm::formatv("{0,-10}", heading) << name << "  "
                 << tensor.dtype << " ["
                 << escapeForTerminal(llvm::join(tensor.dims, ", ")) << "]"
                 << notesText(tensor) << '\n';
    heading = "";
  }
}

/// Numbers and lists of numbers; a number that JSON lacks, such as "inf", as a
/// string.
static llvm::json::Value valueAsJson(const std::string &text) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (value)
    return std::move(*value);
  llvm::consumeError(value.takeError());
  return text;
}

Array tensorsAsJson(const std::vector<TensorSummary> &tensors) {
  Array array;
  for (const TensorSummary &tensor : tensors) {
    Array dims;
    for (const std::string &dim : tensor.dims) {
      int64_t number = 0;
      if (llvm::StringRef(dim).getAsInteger(10, number))
        dims.push_back(fixUTF8(dim));
      else
        dims.push_back(number);
    }
    Object object{{"name", fixUTF8(tensor.name)},
                  {"dtype", tensor.dtype},
                  {"dims", std::move(dims)}};
    if (!tensor.defaultValue.empty())
      object["default"] = valueAsJson(tensor.defaultValue);
    if (!tensor.least.empty())
      object["range"] =
          Array{valueAsJson(tensor.least), valueAsJson(tensor.greatest)};
    array.push_back(std::move(object));
  }
  return array;
}

void printField(const char *name, const std::string &value) {
  if (!value.empty())
    llvm::outs() << llvm::formatv("{0,-10}", name) << escapeForTerminal(value)
                 << '\n';
}

} // namespace tenon::cli
