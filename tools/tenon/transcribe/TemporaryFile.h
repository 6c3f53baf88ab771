// Files without a name, for sounds that cannot be read twice from where they
// come. The system removes them when they are closed.
#ifndef TENON_TOOLS_TENON_TRANSCRIBE_TEMPORARYFILE_H
#define TENON_TOOLS_TENON_TRANSCRIBE_TEMPORARYFILE_H

#include <cstddef>

namespace tenon::cli {

/// Opens an empty file in TMPDIR, by default /tmp. Returns -1 with an errno if
/// that fails.
int makeTemporaryFile();

/// Write all of `data`, or all that comes from `from`, to the file. Return 0 or
/// an errno.
int writeToFile(int file, const void *data, size_t bytes);
int copyToFile(int from, int file);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_TRANSCRIBE_TEMPORARYFILE_H
