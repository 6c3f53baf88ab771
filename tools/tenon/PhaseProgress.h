// Shows the progress of a compilation.
#ifndef TENON_TOOLS_TENON_PHASEPROGRESS_H
#define TENON_TOOLS_TENON_PHASEPROGRESS_H

#include "compiler/Compiler.h"
#include "tools/tenon/Verbs.h"

namespace tenon::cli {

/// Shows the phases of `compiler` as they end, `count` in all. Crash reports
/// name the last phase shown.
void showPhases(Invocation &call, Compiler &compiler, int count);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_PHASEPROGRESS_H
