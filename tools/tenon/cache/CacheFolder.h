// The cache of compiled models: a folder with one folder for each artifact,
// named after the hash of its fingerprint. Any number of processes may use it
// at once. An entry appears and vanishes by a rename, so it is always complete.
// Locks are the kernel's, so a killed process leaves none behind.
#ifndef TENON_TOOLS_TENON_CACHE_CACHEFOLDER_H
#define TENON_TOOLS_TENON_CACHE_CACHEFOLDER_H

#include "tools/tenon/Interrupts.h"
#include "tools/tenon/cache/CacheEntry.h"

#include <functional>
#include <vector>

namespace tenon::cli {

/// An entry that is not removed while this object lives.
struct HeldEntry {
  std::string artifact; ///< path of the shared object; empty: no entry
  Descriptor folder;
};

/// The right to make an entry. Other processes wait for it, unless the file
/// system has no locks.
class MakingLock {
public:
  MakingLock() = default;
  MakingLock(MakingLock &&) = default;
  MakingLock &operator=(MakingLock &&) = default;
  ~MakingLock();

private:
  friend class CacheFolder;
  std::string path;
  Descriptor file;
};

class CacheFolder {
public:
  /// One entry as `tenon cache` shows it.
  struct Row {
    std::string name; ///< name of its folder
    EntryOrigin origin;
    uint64_t bytes = 0;
    int64_t used = 0; ///< last use, in seconds since the epoch
  };

  /// The folder from the environment: TENON_CACHE_DIR, or `tenon` under
  /// XDG_CACHE_HOME or ~/.cache. Its path is empty if none is set.
  static CacheFolder ofUser();

  const std::string &getPath() const { return path; }

  /// Creates the folder if it is missing, and checks it. Returns why it cannot
  /// be used, or an empty string.
  std::string open();

  /// Finds the entry of the fingerprint `text`. If there is an entry that
  /// cannot be used, `why` is set to the reason.
  HeldEntry find(const std::string &text, std::string &why) const;

  /// Waits until no other process makes the entry of `text`. Calls `onWait`
  /// before it waits.
  MakingLock lock(const std::string &text,
                  const std::function<void()> &onWait) const;

  /// Creates a working folder and in it the folder `made`, which will become an
  /// entry. No other process removes it while `lock` is open. Returns the
  /// reason of a failure, or an empty string.
  std::string makeWorkFolder(TemporaryDirectory &work, Descriptor &lock,
                             std::string &made) const;

  /// Makes the folder `made` the entry of `text`, replaces whatever has that
  /// name, and holds the entry. Returns the reason of a failure, or an empty
  /// string.
  std::string publish(const std::string &made, const std::string &text,
                      HeldEntry &held) const;

  /// All entries, the most recently used first.
  std::vector<Row> list() const;

  /// Removes the least recently used entries until the others have at most
  /// `limit` bytes, and removes leftovers of killed processes. Entries in use
  /// stay. Returns the number of removed entries.
  int64_t prune(uint64_t limit) const;

private:
  std::string entryPath(const std::string &text) const;
  bool removeEntry(const std::string &entry) const;
  void removeLeftovers() const;

  std::string path;
};

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_CACHE_CACHEFOLDER_H
