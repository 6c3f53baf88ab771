// Provides a stack of known size for recursive code, whatever limit the shell
// has set.
#ifndef TENON_TOOLS_TENON_LARGESTACK_H
#define TENON_TOOLS_TENON_LARGESTACK_H

#include "compiler/report/Diagnostic.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tenon::cli {

/// Runs `body` with a stack of at least 8 MiB, the default of Linux: on the
/// current stack if the limit is large enough, otherwise on a new one.
Status withLargeStack(llvm::function_ref<Status()> body);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_LARGESTACK_H
