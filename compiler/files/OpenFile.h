// A regular file that stays open: later reads see the file that was checked,
// even if its name refers to another one by then.
#ifndef TENON_COMPILER_FILES_OPENFILE_H
#define TENON_COMPILER_FILES_OPENFILE_H

#include "compiler/report/Diagnostic.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>

namespace tenon {

/// Thrown inside readers. It must not leave them.
struct FileError {
  Status status;
  std::string text;
};

class OpenFile {
public:
  /// Takes ownership of the descriptor. Throws FileError if it is not open on a
  /// regular file.
  explicit OpenFile(int descriptor);
  ~OpenFile();
  OpenFile(const OpenFile &) = delete;
  OpenFile &operator=(const OpenFile &) = delete;

  /// Opens `path` as the user gave it, and follows links. Throws FileError (Io)
  /// on failure.
  static std::shared_ptr<OpenFile> open(const std::string &path);
  /// Same as open, without exceptions: returns null and sets `error` on
  /// failure.
  static std::shared_ptr<OpenFile> tryOpen(const std::string &path,
                                           FileError &error);

  uint64_t size() const { return bytes; }

  /// Copies `size` bytes from `offset` to `into`. False if they cannot be read,
  /// or if the file has become shorter.
  bool read(uint64_t offset, void *into, uint64_t size) const;

  /// Maps the file read-only for the lifetime of this object. Empty for an
  /// empty file. Throws FileError.
  std::span<const std::byte> map();
  /// Removes the mapping.
  void unmap();

  /// True if size and modification time are those at opening.
  bool unchanged() const;

  /// Closes the descriptor. Each read opens the file with `reopen` and closes
  /// it again; if it is another file, the read fails. For models with more
  /// files than a process may hold open.
  void releaseDescriptor(std::function<int()> reopen);

private:
  /// The descriptor to read from. If it was released, the file is opened again
  /// into `again` and compared; -1 if that fails.
  int readable(std::unique_ptr<OpenFile> &again) const;

  int descriptor;
  std::function<int()> reopen;
  uint64_t bytes = 0, device = 0, inode = 0;
  int64_t modifiedSeconds = 0, modifiedNanoseconds = 0;
  void *mapping = nullptr;
};

/// Open files by their paths in messages and in `tenon.source`.
using OpenFiles = std::map<std::string, std::shared_ptr<const OpenFile>>;

/// The system's message for the current errno.
std::string systemError();

} // namespace tenon

#endif // TENON_COMPILER_FILES_OPENFILE_H
