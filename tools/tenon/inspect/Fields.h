// What `tenon inspect` prints of models and artifacts alike.
#ifndef TENON_TOOLS_TENON_INSPECT_FIELDS_H
#define TENON_TOOLS_TENON_INSPECT_FIELDS_H

#include "compiler/report/ModelSummary.h"

#include "llvm/Support/JSON.h"

namespace tenon::cli {

/// Prints a line, unless the value is empty.
void printField(const char *name, const std::string &value);

/// Prints a line for each tensor; the first has the heading.
void printTensors(const char *heading,
                  const std::vector<TensorSummary> &tensors);
llvm::json::Array tensorsAsJson(const std::vector<TensorSummary> &tensors);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_INSPECT_FIELDS_H
