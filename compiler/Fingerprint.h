// What decides the bytes of an artifact, told before anything is compiled: the
// build of this compiler, the target, every option, and the contents of every
// file the model consists of.
#ifndef TENON_COMPILER_FINGERPRINT_H
#define TENON_COMPILER_FINGERPRINT_H

#include "compiler/options/CompileOptions.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tenon {

/// A file as it was when it was hashed.
struct FileState {
  std::string path;
  uint64_t device = 0, inode = 0, bytes = 0;
  int64_t changed = 0; ///< in nanoseconds: content, name or mode
  std::string hash;    ///< BLAKE3, 64 hex digits
};

/// Equal texts are equal artifacts.
struct Fingerprint {
  std::string text; ///< lines, the model's name and target first
  std::vector<FileState> files;

  /// Whether the files are still those that were hashed, and all of
  /// `filesRead` are among them.
  bool isStillTrue(const std::vector<std::string> &filesRead) const;
};

/// The fingerprint of what `options` would compile to; nothing where the model
/// cannot be read or its files cannot be told, for whatever reason: compiling
/// it says why.
std::optional<Fingerprint> takeFingerprint(const CompileOptions &options);

/// The state of the regular file at `path`, hashed; nothing where it cannot be
/// read.
std::optional<FileState> hashFile(const std::string &path);

/// BLAKE3 of `text`, 64 hex digits.
std::string hashText(const std::string &text);

} // namespace tenon

#endif // TENON_COMPILER_FINGERPRINT_H
