// The contents of a model file as text and as JSON.
#ifndef TENON_TOOLS_TENON_INSPECT_MODEL_H
#define TENON_TOOLS_TENON_INSPECT_MODEL_H

#include "compiler/report/ModelSummary.h"

#include "llvm/Support/JSON.h"

namespace tenon::cli {

llvm::json::Object summaryAsJson(const ModelSummary &summary);

/// Prints the contents; with `ops` all kinds of ops, else the most frequent.
void printSummary(const ModelSummary &summary, bool ops);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_INSPECT_MODEL_H
