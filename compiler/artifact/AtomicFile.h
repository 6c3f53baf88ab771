// Files that appear complete or not at all. Each is written under a temporary
// name in its folder and then renamed, several of them together.
#ifndef TENON_COMPILER_ARTIFACT_ATOMICFILE_H
#define TENON_COMPILER_ARTIFACT_ATOMICFILE_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tenon {

/// One file that is being written. Every step returns false on failure; `error`
/// then holds the errno of the first failure. An interrupted process leaves no
/// file: the file is registered with llvm::sys::RemoveFileOnSignal.
class AtomicFile {
public:
  /// The file will become `path`. `executable` decides its mode, under the
  /// umask.
  AtomicFile(std::string path, bool executable);
  ~AtomicFile();
  AtomicFile(const AtomicFile &) = delete;
  AtomicFile &operator=(const AtomicFile &) = delete;

  bool create();
  bool write(llvm::StringRef bytes);
  bool writeAt(uint64_t offset, llvm::StringRef bytes);
  /// Opens the file again after another program has replaced it.
  bool reopen();
  /// Syncs the file to disk and closes it.
  bool finish();
  /// Gives the file the second name `.NAME.<key>` while the files of a group
  /// are renamed one after the other. If the process is killed in between, that
  /// name remains. The key has 16 hex digits.
  void setKey(std::string digits) { key = std::move(digits); }

  const std::string &path() const { return target; }
  const std::string &temporaryPath() const { return temporary; }
  int descriptor() const { return fd; }
  int error() const { return firstError; }

private:
  friend class OutputFiles;
  bool fail();
  bool publish();
  void withdraw();
  std::string keyedName() const;

  std::string target, temporary, key;
  bool executable;
  bool exchanged = false; ///< the old file has the temporary name
  bool published = false;
  int fd = -1;
  int firstError = 0;
};

/// The files of one artifact.
class OutputFiles {
public:
  /// Adds and creates a file; the caller checks its error().
  AtomicFile &add(const std::string &path, bool executable = false);

  /// Renames all finished files, in the order they were added. On failure it
  /// restores those already renamed and returns the file that failed; on
  /// success it returns null. Interrupts, and other compilations into the
  /// folder, wait until it is done.
  AtomicFile *commit();

private:
  std::vector<std::unique_ptr<AtomicFile>> files;
};

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_ATOMICFILE_H
