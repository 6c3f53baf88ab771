// Files that the tool writes itself. They appear complete or not at all, and
// never replace an input.
#ifndef TENON_TOOLS_TENON_OUTPUTFILE_H
#define TENON_TOOLS_TENON_OUTPUTFILE_H

#include "compiler/report/Diagnostic.h"
#include "tools/tenon/Talk.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace tenon::cli {

/// Checks in advance that `output` can be written: the folder exists and is
/// writable, the name is not a folder's, and the file is not `input`.
Status checkOutput(Talk &talk, const std::string &output,
                   const std::string &input);

/// An output file of a command; `what` is its name for users, like "the
/// header".
struct NamedOutput {
  std::string what, path;
};

/// Refuses two outputs that are one file, and an output that is the input.
Status checkDistinct(Talk &talk, llvm::ArrayRef<NamedOutput> outputs,
                     const std::string &input);

/// True for '-', pipes and devices: they are written to, not replaced.
bool isStream(const std::string &output);

/// Writes `content` to `path` through a temporary file beside it. '-' means the
/// standard output.
Status writeOutput(Talk &talk, const std::string &path,
                   llvm::StringRef content);

/// Copies the file `from` to the stream `to`.
Status copyToStream(Talk &talk, const std::string &from, const std::string &to);

/// Reads the whole file `path`. On failure prints a message and returns Io.
Status readWhole(Talk &talk, const std::string &path, std::string &content);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_OUTPUTFILE_H
