// The manual page of the tool.
#ifndef TENON_TOOLS_TENON_MANPAGE_H
#define TENON_TOOLS_TENON_MANPAGE_H

#include "llvm/Support/raw_ostream.h"

namespace tenon::cli {

/// Prints tenon(1) in the macros of man.
void printManPage(llvm::raw_ostream &out);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_MANPAGE_H
