// The exit codes of the tool, for its help and its manual page.
#ifndef TENON_TOOLS_TENON_EXITCODES_H
#define TENON_TOOLS_TENON_EXITCODES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace tenon::cli {

/// The argument of `tenon help` that shows them.
inline constexpr const char *exitCodesTopic = "exit-codes";

struct ExitCode {
  const char *code; ///< one number, or several with commas
  const char *meaning;
};

/// All exit codes, in ascending order.
llvm::ArrayRef<ExitCode> exitCodes();

void printExitCodes(llvm::raw_ostream &out);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_EXITCODES_H
