// `tenon help exit-codes`. The numbers are those of Status, and of signals.
#include "tools/tenon/ExitCodes.h"

#include "llvm/Support/FormatVariadic.h"

namespace tenon::cli {

llvm::ArrayRef<ExitCode> exitCodes() {
  static const ExitCode table[] = {
      {"0", "success"},
      {"1", "failed for a reason that was printed and has no row here"},
      {"2", "the command line is wrong"},
      {"3", "the model or a data file is invalid"},
      {"4", "the model is valid but uses something unsupported"},
      {"5", "a limit was reached: size, depth, memory"},
      {"6", "a file could not be read or written"},
      {"7", "the artifact is damaged, of another ABI, or not for this machine: "
            "its CPU, or the GPU that was asked for"},
      {"8", "wrong inputs at run time"},
      {"9", "results differ, or a benchmark is slower than its baseline"},
      {"10", "cancelled, or past the deadline"},
      {"70", "a bug of Tenon; the message names a script that repeats the "
             "command, and the module before a phase that failed, if one did"},
      {"129, 130, 141, 143",
       "ended by SIGHUP, SIGINT, SIGPIPE, SIGTERM, after cleaning up"},
  };
  return table;
}

void printExitCodes(llvm::raw_ostream &out) {
  out << "EXIT CODES:\n";
  for (const ExitCode &row : exitCodes())
    out << llvm::formatv("  {0,-19} {1}\n", row.code, row.meaning);
}

} // namespace tenon::cli
