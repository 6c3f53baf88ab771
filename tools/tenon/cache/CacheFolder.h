// The cache of compiled models: a folder with a folder for each artifact,
// called after the hash of its fingerprint. Any number of processes use it at
// once. An entry appears whole by one rename and vanishes whole by another;
// locks are the kernel's, so a killed process leaves none.
#ifndef TENON_TOOLS_TENON_CACHE_CACHEFOLDER_H
#define TENON_TOOLS_TENON_CACHE_CACHEFOLDER_H

#include "tools/tenon/Interrupts.h"
#include "tools/tenon/cache/CacheEntry.h"

#include <functional>
#include <vector>

namespace tenon::cli {

/// An entry that is not removed while this lives.
struct HeldEntry {
  std::string artifact; ///< path of the shared object; empty: none
  Descriptor folder;
};

/// The right to make an entry. Others wait for it; where a file system has no
/// locks nobody does.
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
  /// What of the cache `tenon cache` shows.
  struct Row {
    std::string name; ///< of its folder
    EntryOrigin origin;
    uint64_t bytes = 0;
    int64_t used = 0; ///< seconds since the epoch
  };

  /// The folder the environment names: TENON_CACHE_DIR, or `tenon` under
  /// XDG_CACHE_HOME or ~/.cache. Its path is empty where there is none.
  static CacheFolder ofUser();

  const std::string &getPath() const { return path; }

  /// Makes the folder where it is missing and judges it. Empty, or why it
  /// cannot be used.
  std::string open();

  /// The entry of the fingerprint `text`. Where there is one that cannot be
  /// used, `why` tells the reason.
  HeldEntry find(const std::string &text, std::string &why) const;

  /// Waits until no other process makes the entry of `text`; `onWait` is
  /// called before it does.
  MakingLock lock(const std::string &text,
                  const std::function<void()> &onWait) const;

  /// Makes a folder to work in, which nobody else removes while `lock` is open,
  /// and in it one to become an entry, `made`. Empty, or why not.
  std::string makeWorkFolder(TemporaryDirectory &work, Descriptor &lock,
                             std::string &made) const;

  /// Makes the folder `made` the entry of `text`, in place of whatever has its
  /// name, and holds it. Empty, or why not.
  std::string publish(const std::string &made, const std::string &text,
                      HeldEntry &held) const;

  /// All entries, the last used first.
  std::vector<Row> list() const;

  /// Removes the entries longest unused until the others have at most `limit`
  /// bytes, and what killed processes have left. Entries in use stay. Returns
  /// the number removed.
  int64_t prune(uint64_t limit) const;

private:
  std::string entryPath(const std::string &text) const;
  bool removeEntry(const std::string &entry) const;
  void removeLeftovers() const;

  std::string path;
};

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_CACHE_CACHEFOLDER_H
