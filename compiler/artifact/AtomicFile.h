// Files that appear whole or not at all: each is written under another name in
// its own folder and takes its place by a rename, several of them together.
#ifndef TENON_COMPILER_ARTIFACT_ATOMICFILE_H
#define TENON_COMPILER_ARTIFACT_ATOMICFILE_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tenon {

/// One file being written. Every step returns false on failure; `error` then
/// holds the errno of the first one. An interrupted process leaves no file: it
/// is registered with llvm::sys::RemoveFileOnSignal.
class AtomicFile {
public:
  /// Will become `path`; `executable` decides the mode, under the umask.
  AtomicFile(std::string path, bool executable);
  ~AtomicFile();
  AtomicFile(const AtomicFile &) = delete;
  AtomicFile &operator=(const AtomicFile &) = delete;

  bool create();
  bool write(llvm::StringRef bytes);
  bool writeAt(uint64_t offset, llvm::StringRef bytes);
  /// Opens anew what another program has put in the place of the new file.
  bool reopen();
  /// Brings everything to the disk and closes.
  bool finish();
  /// While the files of a group take their places one after the other, this
  /// one is to be found as `.NAME.<key>` too, also after a kill. The key has
  /// 16 hex digits.
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
  bool exchanged = false; ///< the old file stands under the temporary name
  bool published = false;
  int fd = -1;
  int firstError = 0;
};

/// The files of one artifact.
class OutputFiles {
public:
  /// A new file, created; check its error().
  AtomicFile &add(const std::string &path, bool executable = false);

  /// Renames all finished files, in the order they were added. On failure the
  /// ones renamed before are put back; the file that failed is returned. An
  /// interrupt waits until all are renamed or put back, and so does another
  /// compilation into the same folder.
  AtomicFile *commit();

private:
  std::vector<std::unique_ptr<AtomicFile>> files;
};

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_ATOMICFILE_H
