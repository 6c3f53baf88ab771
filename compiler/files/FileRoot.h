// The folder a model may read from, and nothing beside it.
// A name is checked as text before it is looked up, and the path it resolves to
// must lie in the folder. The file is then opened inside the folder's
// descriptor without following links, so a name swapped in between opens
// nothing else.
#ifndef TENON_COMPILER_FILES_FILEROOT_H
#define TENON_COMPILER_FILES_FILEROOT_H

#include "compiler/files/OpenFile.h"

#include <memory>
#include <string>

namespace tenon {

class FileRoot : public std::enable_shared_from_this<FileRoot> {
public:
  /// Names are looked up in the folder `named`; the paths they resolve to must
  /// lie in `allowed`. The two differ where the model is a link into a store
  /// (`snapshots/x` to `blobs/y`). Throws FileError (Io) when a folder cannot
  /// be opened.
  FileRoot(const std::string &named, const std::string &allowed);
  ~FileRoot();
  FileRoot(const FileRoot &) = delete;
  FileRoot &operator=(const FileRoot &) = delete;

  /// The root of a model at `path`: the folder it is named in and the folder
  /// its resolved path lies in. Null for a file that is in no folder, as a copy
  /// in memory is.
  static std::shared_ptr<FileRoot> ofModel(const std::string &path);

  /// Throws FileError: InvalidModel for a name that leaves the folder or is no
  /// regular file, Io for one that is missing or not readable. Never blocks.
  std::shared_ptr<OpenFile> open(const std::string &relative) const;

  /// The path messages and artifacts name the file by.
  std::string join(const std::string &relative) const;

  /// Opens again what `open` resolved; -1 on failure.
  int reopen(const std::string &beneath) const;

  /// `relative` resolved, as a path beneath the allowed folder. Throws
  /// FileError.
  std::string resolve(const std::string &relative) const;

private:
  int openBeneath(const std::string &beneath, int flags) const;

  std::string named;
  std::string allowed; ///< resolved
  int descriptor = -1;
};

/// Throws FileError (InvalidModel) unless `name` is a relative path that cannot
/// leave its folder: not empty, no NUL, no backslash, no drive letter, no URL,
/// no `..`.
void checkRelativeName(const std::string &name);

} // namespace tenon

#endif // TENON_COMPILER_FILES_FILEROOT_H
