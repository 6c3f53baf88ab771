// The summary of a compilation for its user.
#ifndef TENON_TOOLS_TENON_COMPILESUMMARY_H
#define TENON_TOOLS_TENON_COMPILESUMMARY_H

#include "compiler/Compiler.h"
#include "tools/tenon/Verbs.h"

namespace tenon::cli {

/// Prints what was written, and with --time, --stats or --format=json what it
/// cost. `seconds` is the time of the whole command.
void printSummary(Invocation &call, const CompileOptions &options,
                  const CompileReport &report,
                  const std::vector<PhaseReport> &phases, double seconds);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_COMPILESUMMARY_H
