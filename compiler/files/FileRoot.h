// The folder that a model may read from, and no file outside it. A name is
// first checked as text. The path it resolves to must be in the folder. The
// file is then opened relative to the folder's descriptor without following
// links, so that replacing the name in between opens no other file.
#ifndef TENON_COMPILER_FILES_FILEROOT_H
#define TENON_COMPILER_FILES_FILEROOT_H

#include "compiler/files/OpenFile.h"

#include <memory>
#include <string>

namespace tenon {

class FileRoot : public std::enable_shared_from_this<FileRoot> {
public:
  /// Names are looked up in the folder `named`, and the files they resolve to
  /// must be in `allowed`. The two differ if the model is a link into a store
  /// (`snapshots/x` to `blobs/y`). Throws FileError (Io) if a folder cannot be
  /// opened.
  FileRoot(const std::string &named, const std::string &allowed);
  ~FileRoot();
  FileRoot(const FileRoot &) = delete;
  FileRoot &operator=(const FileRoot &) = delete;

  /// The root for a model at `path`: the folder of `path`, and the folder of
  /// the resolved path. Null for a file without a folder, such as one in
  /// memory.
  static std::shared_ptr<FileRoot> ofModel(const std::string &path);

  /// Opens a file. Throws FileError: InvalidModel if the name leaves the folder
  /// or is no regular file, Io if the file is missing or not readable. Never
  /// blocks.
  std::shared_ptr<OpenFile> open(const std::string &relative) const;

  /// The path of the file in messages and artifacts.
  std::string join(const std::string &relative) const;

  /// Opens the resolved path `beneath` again; a descriptor, or -1 on failure.
  int reopen(const std::string &beneath) const;

  /// Resolves `relative` to a path beneath the allowed folder. Throws
  /// FileError.
  std::string resolve(const std::string &relative) const;

private:
  int openBeneath(const std::string &beneath, int flags) const;

  std::string named;
  std::string allowed; ///< with links resolved
  int descriptor = -1;
};

/// Throws FileError (InvalidModel) unless `name` is a relative path that cannot
/// leave its folder: not empty, and without NUL, backslash, drive letter, URL
/// scheme and `..`.
void checkRelativeName(const std::string &name);

} // namespace tenon

#endif // TENON_COMPILER_FILES_FILEROOT_H
