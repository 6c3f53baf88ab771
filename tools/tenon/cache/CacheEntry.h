// One entry of the cache: a folder with an artifact, the files that belong to
// it, and a list of all of them with their hashes. Whoever reads an entry
// trusts nothing of it: not its owner, its mode, its names or its bytes.
#ifndef TENON_TOOLS_TENON_CACHE_CACHEENTRY_H
#define TENON_TOOLS_TENON_CACHE_CACHEENTRY_H

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>

namespace tenon::cli {

/// A descriptor that closes itself, and with it gives up its lock.
class Descriptor {
public:
  explicit Descriptor(int fd = -1) : fd(fd) {}
  Descriptor(Descriptor &&other) noexcept : fd(other.release()) {}
  Descriptor &operator=(Descriptor &&other) noexcept;
  ~Descriptor();

  bool isOpen() const { return fd >= 0; }
  int get() const { return fd; }
  int release();

private:
  int fd;
};

/// The name of the artifact in an entry's folder.
extern const char *const artifactName;

/// What the list of an entry says of it, unchecked.
struct EntryOrigin {
  std::string model, target; ///< as of its fingerprint
};

/// Writes the list of the folder at `path`, which holds the files of an
/// artifact made by the fingerprint `text`. Empty, or what went wrong.
std::string sealEntry(const std::string &path, const std::string &text);

/// Empty where the folder at `path`, open as `folder`, is an entry of the
/// fingerprint `text`: all files are there, no other, all of this user and of
/// nobody else to change, with the bytes they had. Otherwise why not.
std::string checkEntry(const std::string &path, const Descriptor &folder,
                       const std::string &text);

/// Reads the list of the entry at `path`; nothing where there is none.
std::optional<EntryOrigin> originOf(const std::string &path);

/// Remembers that the entry was used now, and tells when it last was, in
/// seconds since the epoch; 0 where nobody knows.
void touchEntry(const std::string &path);
int64_t lastUse(const std::string &path);

/// The bytes of all files in `path`.
uint64_t bytesOf(const std::string &path);

/// Why a file or folder may not be trusted; empty where it belongs to this user
/// and nobody else may change it.
std::string whyNotOurs(const Descriptor &file);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_CACHE_CACHEENTRY_H
