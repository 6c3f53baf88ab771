// One entry of the cache: a folder with an artifact, its companion files, and a
// list of all of them with their hashes. A reader trusts nothing in it: it
// checks owner, mode, names and bytes.
#ifndef TENON_TOOLS_TENON_CACHE_CACHEENTRY_H
#define TENON_TOOLS_TENON_CACHE_CACHEENTRY_H

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>

namespace tenon::cli {

/// A file descriptor that closes itself, which releases its lock.
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

/// The origin of an entry as its list states it, unchecked.
struct EntryOrigin {
  std::string model, target; ///< from its fingerprint
};

/// Writes the list of the folder at `path`, which holds the files of an
/// artifact with the fingerprint `text`. Returns the reason of a failure, or an
/// empty string.
std::string sealEntry(const std::string &path, const std::string &text);

/// Checks that the folder at `path`, open as `folder`, is an entry of the
/// fingerprint `text`. It must hold exactly the listed files, with their bytes,
/// all owned by this user and writable by no one else. Returns the first
/// problem, or an empty string.
std::string checkEntry(const std::string &path, const Descriptor &folder,
                       const std::string &text);

/// Reads the list of the entry at `path`; nullopt if there is none.
std::optional<EntryOrigin> originOf(const std::string &path);

/// touchEntry records that the entry is used now. lastUse returns the time of
/// the last use in seconds since the epoch; 0 if it is unknown.
void touchEntry(const std::string &path);
int64_t lastUse(const std::string &path);

/// The size of all files in `path`, in bytes.
uint64_t bytesOf(const std::string &path);

/// Checks that a file or folder is owned by this user and writable by no one
/// else. Returns the problem, or an empty string.
std::string whyNotOurs(const Descriptor &file);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_CACHE_CACHEENTRY_H
