// Files the tool writes itself: whole or not at all, and never in place of what
// was asked to be read.
#ifndef TENON_TOOLS_TENON_OUTPUTFILE_H
#define TENON_TOOLS_TENON_OUTPUTFILE_H

#include "compiler/report/Diagnostic.h"
#include "tools/tenon/Talk.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace tenon::cli {

/// Judges, before any work, whether `output` can be written and is not `input`:
/// the folder exists and takes files, and the name is not a folder's.
Status checkOutput(Talk &talk, const std::string &output,
                   const std::string &input);

/// A file that a command will write, as its user knows it: "the header".
struct NamedOutput {
  std::string what, path;
};

/// Refuses two outputs that are one file, and one that is the input.
Status checkDistinct(Talk &talk, llvm::ArrayRef<NamedOutput> outputs,
                     const std::string &input);

/// True for '-' and for pipes and devices: these are written to, not replaced.
bool isStream(const std::string &output);

/// Writes `content` to `path` through a temporary file beside it; to the
/// standard output for '-'.
Status writeOutput(Talk &talk, const std::string &path,
                   llvm::StringRef content);

/// Copies the file `from` to the stream `to`.
Status copyToStream(Talk &talk, const std::string &from, const std::string &to);

/// Reads the file `path` whole; on failure an Io error after a message.
Status readWhole(Talk &talk, const std::string &path, std::string &content);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_OUTPUTFILE_H
