// A regular file held open: later reads see the file that was checked, whatever
// happens to its name.
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

/// Thrown inside readers, never across their door.
struct FileError {
  Status status;
  std::string text;
};

class OpenFile {
public:
  /// Takes the descriptor, which must be open on a regular file; else throws
  /// FileError.
  explicit OpenFile(int descriptor);
  ~OpenFile();
  OpenFile(const OpenFile &) = delete;
  OpenFile &operator=(const OpenFile &) = delete;

  /// Opens `path` as the user wrote it; links are followed. Throws FileError
  /// (Io) when it cannot.
  static std::shared_ptr<OpenFile> open(const std::string &path);
  /// `open` for callers without exceptions: null if it fails, with the error.
  static std::shared_ptr<OpenFile> tryOpen(const std::string &path,
                                           FileError &error);

  uint64_t size() const { return bytes; }

  /// Copies bytes; false when they cannot be read or the file has shrunk.
  bool read(uint64_t offset, void *into, uint64_t size) const;

  /// The file mapped read-only, as long as this lives. Empty files give an
  /// empty span. Throws FileError.
  std::span<const std::byte> map();
  /// Ends the mapping.
  void unmap();

  /// Whether size and time of modification are still those of the opening.
  bool unchanged() const;

  /// From now on the descriptor is opened with `reopen` at each read and closed
  /// again; a reopened file that is not the same is not read. For models of
  /// more files than a process may hold open.
  void releaseDescriptor(std::function<int()> reopen);

private:
  /// The descriptor, or the file opened again and found to be the same, which
  /// `again` then holds; -1 when it cannot be.
  int readable(std::unique_ptr<OpenFile> &again) const;

  int descriptor;
  std::function<int()> reopen;
  uint64_t bytes = 0, device = 0, inode = 0;
  int64_t modifiedSeconds = 0, modifiedNanoseconds = 0;
  void *mapping = nullptr;
};

/// Files by the names that messages and `tenon.source` have for them.
using OpenFiles = std::map<std::string, std::shared_ptr<const OpenFile>>;

/// The text of the current errno.
std::string systemError();

} // namespace tenon

#endif // TENON_COMPILER_FILES_OPENFILE_H
