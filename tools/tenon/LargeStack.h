// A stack of a known size for what recurses, whatever limit the caller's shell
// has set.
#ifndef TENON_TOOLS_TENON_LARGESTACK_H
#define TENON_TOOLS_TENON_LARGESTACK_H

#include "compiler/report/Diagnostic.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tenon::cli {

/// Runs `body` with at least the stack that Linux gives to programs by default:
/// on the thread's own where the limit allows it, else on one of our own.
Status withLargeStack(llvm::function_ref<Status()> body);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_LARGESTACK_H
