// Shows the progress of a compilation.
#ifndef TENON_TOOLS_TENON_PHASEPROGRESS_H
#define TENON_TOOLS_TENON_PHASEPROGRESS_H

#include "compiler/Compiler.h"
#include "tools/tenon/Verbs.h"

namespace tenon::cli {

/// Shows the phases of `compiler` as they end; `options` are those it gets.
/// Crash reports name the last phase shown.
void showPhases(Invocation &call, Compiler &compiler,
                const CompileOptions &options);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_PHASEPROGRESS_H
