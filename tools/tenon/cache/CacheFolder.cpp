// The naming rules of the cache folder. A name of 64 hex digits is an entry.
// With `.lock` added it is the lock for making that entry. `tenon-` and six
// letters is a temporary working folder. Other names are never touched, so a
// folder given by mistake stays intact.
#include "tools/tenon/cache/CacheFolder.h"

#include "compiler/Fingerprint.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tenon::cli {

static const char *const workPrefix = "tenon-";

CacheFolder CacheFolder::ofUser() {
  CacheFolder folder;
  auto value = [](const char *name) {
    const char *text = getenv(name);
    return std::string(text ? text : "");
  };
  std::string base = value("XDG_CACHE_HOME");
  if (base.empty() && !value("HOME").empty())
    base = value("HOME") + "/.cache";
  if (getenv("TENON_CACHE_DIR"))
    folder.path = value("TENON_CACHE_DIR");
  else if (!base.empty())
    folder.path = base + "/tenon";
  if (!folder.path.empty()) {
    llvm::SmallString<256> absolute(folder.path);
    if (!llvm::sys::fs::make_absolute(absolute))
      folder.path = absolute.str().str();
  }
  return folder;
}

std::string CacheFolder::open() {
  auto say = [&](const std::string &why) { return "'" + path + "': " + why; };
  llvm::StringRef parent = llvm::sys::path::parent_path(path);
  if (std::error_code error = llvm::sys::fs::create_directories(parent))
    return say(error.message());
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    return say(strerror(errno));
  Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.isOpen())
    return say(strerror(errno));
  std::string why = whyNotOurs(folder);
  return why.empty() ? "" : say(why);
}

std::string CacheFolder::entryPath(const std::string &text) const {
  return path + "/" + hashText(text);
}

/// True if `path` still names the file open as `file`.
static bool isStillAt(const std::string &path, const Descriptor &file) {
  struct stat there, here;
  return lstat(path.c_str(), &there) == 0 && fstat(file.get(), &here) == 0 &&
         there.st_dev == here.st_dev && there.st_ino == here.st_ino;
}

static bool wait(const Descriptor &file, int operation) {
  while (flock(file.get(), operation) != 0)
    if (errno != EINTR)
      return errno != EWOULDBLOCK;
  return true;
}

/// Locks the folder at `path`. The result is not open if the folder is gone or
/// cannot be locked.
static Descriptor lockFolder(const std::string &path, int operation) {
  Descriptor folder(
      open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.isOpen() || !wait(folder, operation) || !isStillAt(path, folder))
    return Descriptor();
  return folder;
}

HeldEntry CacheFolder::find(const std::string &text, std::string &why) const {
  HeldEntry held;
  std::string entry = entryPath(text);
  struct stat info;
  if (lstat(entry.c_str(), &info) != 0) {
    if (errno != ENOENT)
      why = strerror(errno);
    return held;
  }
  if (!S_ISDIR(info.st_mode)) {
    why = S_ISLNK(info.st_mode) ? "it is a link" : "it is no folder";
    return held;
  }
  held.folder = lockFolder(entry, LOCK_SH);
  if (!held.folder.isOpen()) {
    // The entry was removed meanwhile, or we may not read it.
    if (access(entry.c_str(), R_OK | X_OK) != 0 && errno != ENOENT)
      why = strerror(errno);
    return held;
  }
  why = checkEntry(entry, held.folder, text);
  if (!why.empty())
    return HeldEntry();
  touchEntry(entry);
  held.artifact = entry + "/" + artifactName;
  return held;
}

MakingLock::~MakingLock() {
  // Removed while it is locked: a waiting process then notices and tries again.
  if (file.isOpen())
    unlink(path.c_str());
}

MakingLock CacheFolder::lock(const std::string &text,
                             const std::function<void()> &onWait) const {
  MakingLock lock;
  lock.path = entryPath(text) + ".lock";
  for (bool told = false;;) {
    Descriptor file(
        ::open(lock.path.c_str(),
               O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
    struct stat info;
    if (!file.isOpen() || fstat(file.get(), &info) != 0 ||
        !S_ISREG(info.st_mode) || !whyNotOurs(file).empty())
      return lock;
    if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK)
        return lock;
      if (!told)
        onWait();
      told = true;
      wait(file, LOCK_EX);
    }
    if (isStillAt(lock.path, file)) {
      lock.file = std::move(file);
      return lock;
    }
  }
}

/// Removes a folder with its contents, or a file of that name. Links are not
/// followed.
static void removeAll(const std::string &path) {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

std::string CacheFolder::makeWorkFolder(TemporaryDirectory &work,
                                        Descriptor &lock,
                                        std::string &made) const {
  if (std::string why = work.create(path); !why.empty())
    return why;
  lock = lockFolder(work.getPath(), LOCK_EX);
  // Fails if another process has cleaned up the folder before it was locked.
  made = work.getPath() + "/entry";
  return mkdir(made.c_str(), 0700) == 0 ? "" : strerror(errno);
}

std::string CacheFolder::publish(const std::string &made,
                                 const std::string &text,
                                 HeldEntry &held) const {
  if (std::string why = sealEntry(made, text); !why.empty())
    return why;
  std::string entry = entryPath(text);
  held.folder = lockFolder(made, LOCK_SH);
  if (rename(made.c_str(), entry.c_str()) != 0) {
    // The name may be taken by something that is no entry: exchange it for
    // ours.
    int reason = errno;
    if (renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, entry.c_str(),
                  RENAME_EXCHANGE) != 0)
      return strerror(errno == ENOENT ? reason : errno);
    removeAll(made);
  }
  held.artifact = entry + "/" + artifactName;
  return "";
}

/// Calls `visit` with the name and path of everything in the folder.
static void forEachName(
    const std::string &path,
    llvm::function_ref<void(llvm::StringRef, const std::string &)> visit) {
  std::error_code error;
  std::vector<std::string> paths;
  for (llvm::sys::fs::directory_iterator it(path, error, false), end;
       it != end && !error; it.increment(error))
    paths.push_back(it->path());
  for (const std::string &each : paths)
    visit(llvm::sys::path::filename(each), each);
}

static bool isWorkName(llvm::StringRef name) {
  return name.consume_front(workPrefix) && name.size() == 6;
}

static bool isEntryName(llvm::StringRef name) {
  return name.size() == 64 && llvm::all_of(name, llvm::isHexDigit);
}

std::vector<CacheFolder::Row> CacheFolder::list() const {
  std::vector<Row> rows;
  forEachName(path, [&](llvm::StringRef name, const std::string &at) {
    if (!isEntryName(name))
      return;
    Row row{name.str(), originOf(at).value_or(EntryOrigin{"?", "?"}),
            bytesOf(at), lastUse(at)};
    rows.push_back(std::move(row));
  });
  llvm::sort(rows, [](const Row &a, const Row &b) {
    return std::tie(b.used, a.name) < std::tie(a.used, b.name);
  });
  return rows;
}

bool CacheFolder::removeEntry(const std::string &entry) const {
  struct stat info;
  if (lstat(entry.c_str(), &info) != 0)
    return false;
  if (!S_ISDIR(info.st_mode))
    return unlink(entry.c_str()) == 0;
  Descriptor folder = lockFolder(entry, LOCK_EX | LOCK_NB);
  if (!folder.isOpen())
    return false;
  // Rename it first, so that nobody finds a partly removed entry.
  std::string grave = path + "/" + workPrefix + "XXXXXX";
  if (!mkdtemp(grave.data()) || rename(entry.c_str(), grave.c_str()) != 0)
    return false;
  removeAll(grave);
  return true;
}

void CacheFolder::removeLeftovers() const {
  forEachName(path, [&](llvm::StringRef name, const std::string &at) {
    struct stat info;
    if (lstat(at.c_str(), &info) != 0)
      return;
    if (isWorkName(name)) {
      Descriptor held;
      if (S_ISDIR(info.st_mode))
        held = lockFolder(at, LOCK_EX | LOCK_NB);
      if (held.isOpen() || !S_ISDIR(info.st_mode))
        removeAll(at);
    } else if (name.consume_back(".lock") && isEntryName(name)) {
      Descriptor file(
          ::open(at.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
      if (file.isOpen() && flock(file.get(), LOCK_EX | LOCK_NB) == 0 &&
          isStillAt(at, file))
        unlink(at.c_str());
    }
  });
}

int64_t CacheFolder::prune(uint64_t limit) const {
  removeLeftovers();
  uint64_t bytes = 0;
  std::vector<Row> rows = list();
  for (const Row &row : rows)
    bytes += row.bytes;
  int64_t removed = 0;
  for (const Row &row : llvm::reverse(rows)) {
    if (bytes <= limit)
      break;
    if (!removeEntry(path + "/" + row.name))
      continue;
    bytes -= row.bytes;
    ++removed;
  }
  return removed;
}

} // namespace tenon::cli
