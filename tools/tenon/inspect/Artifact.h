// The contents of an artifact as text and as JSON.
#ifndef TENON_TOOLS_TENON_INSPECT_ARTIFACT_H
#define TENON_TOOLS_TENON_INSPECT_ARTIFACT_H

#include "tools/tenon/LoadedModel.h"

#include "llvm/Support/JSON.h"

namespace tenon::cli {

llvm::json::Object artifactAsJson(const LoadedModel &model);

/// Prints the contents; with `ops` each kernel and its nodes.
void printArtifact(const LoadedModel &model, bool ops);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_INSPECT_ARTIFACT_H
