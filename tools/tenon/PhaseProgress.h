// What a user sees while the compiler works.
#ifndef TENON_TOOLS_TENON_PHASEPROGRESS_H
#define TENON_TOOLS_TENON_PHASEPROGRESS_H

#include "compiler/Compiler.h"
#include "tools/tenon/Verbs.h"

namespace tenon::cli {

/// Shows the phases of `compiler`, which is to emit `kind`, as they end; a
/// crash report names the last one.
void showPhases(Invocation &call, Compiler &compiler, EmitKind kind);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_PHASEPROGRESS_H
