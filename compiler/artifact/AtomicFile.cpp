// Atomic files by Linux system calls. A file that is replaced is exchanged, not
// overwritten, until all renames have succeeded: a failure can then restore it.
// A file with a key has a second name during the renames, so that a reader that
// finds the first new file of a group finds the others too.
#include "compiler/artifact/AtomicFile.h"

#include "compiler/files/BlockedSignals.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tenon {
namespace {
constexpr llvm::StringRef prefix = ".tenon-";
constexpr llvm::StringRef suffix = ".part";

std::string folderOf(const std::string &path) {
  llvm::StringRef parent = llvm::sys::path::parent_path(path);
  return parent.empty() ? "." : parent.str();
}

/// Removes parts that killed processes have left in `folder`: files whose
/// process has ended and that nobody has locked. A part's name may end in a
/// suffix that the linker has added.
void removeStaleParts(const std::string &folder) {
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder, error), end;
       it != end && !error; it.increment(error)) {
    llvm::StringRef name = llvm::sys::path::filename(it->path());
    pid_t pid = 0;
    if (!name.consume_front(prefix) || !name.contains(suffix) ||
        name.split('-').first.getAsInteger(10, pid) || pid <= 0 ||
        kill(pid, 0) == 0 || errno != ESRCH)
      continue;
    int fd = open(it->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
      continue;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
      unlink(it->path().c_str());
    close(fd);
  }
}

/// Locks a folder while several files are renamed in it, so that the files of
/// two compilations do not mix. Renames are quick. If the lock is not free
/// within seconds, another program holds it or the file system has no locks:
/// the renames then go on without it.
class FolderLock {
public:
  explicit FolderLock(const std::string &folder)
      : fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    for (int milliseconds = 0;
         fd >= 0 && milliseconds < 5000 && flock(fd, LOCK_EX | LOCK_NB) != 0 &&
         errno == EWOULDBLOCK;
         ++milliseconds)
      usleep(1000);
  }
  ~FolderLock() {
    if (fd >= 0)
      close(fd);
  }

private:
  int fd;
};

/// Removes every `.NAME.<key>` beside `target`. Once `target` is in place, such
/// files are left from killed processes.
void removeKeyed(const std::string &target) {
  std::string start = "." + llvm::sys::path::filename(target).str() + ".";
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folderOf(target), error), end;
       it != end && !error; it.increment(error)) {
    llvm::StringRef name = llvm::sys::path::filename(it->path());
    if (name.consume_front(start) && name.size() == 16 &&
        llvm::all_of(name, llvm::isHexDigit))
      unlink(it->path().c_str());
  }
}
} // namespace

AtomicFile::AtomicFile(std::string path, bool executable)
    : target(std::move(path)), executable(executable) {
  static std::atomic<unsigned> count{0};
  temporary = folderOf(target) + "/" + prefix.str() + std::to_string(getpid()) +
              "-" + std::to_string(count++) + suffix.str();
}

AtomicFile::~AtomicFile() {
  if (fd >= 0)
    close(fd);
  if (!published || exchanged)
    unlink(temporary.c_str());
  llvm::sys::DontRemoveFileOnSignal(temporary);
}

bool AtomicFile::fail() {
  if (firstError == 0)
    firstError = errno ? errno : EIO;
  return false;
}

bool AtomicFile::create() {
  removeStaleParts(folderOf(target));
  llvm::sys::RemoveFileOnSignal(temporary);
  unlink(temporary.c_str());
  // Not writable for others, whatever the umask says.
  fd = open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
            executable ? 0755 : 0644);
  if (fd < 0)
    return fail();
  flock(fd, LOCK_EX | LOCK_NB);
  return true;
}

bool AtomicFile::write(llvm::StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return fail();
    bytes = bytes.drop_front(n);
  }
  return true;
}

bool AtomicFile::writeAt(uint64_t offset, llvm::StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t n = pwrite(fd, bytes.data(), bytes.size(), off_t(offset));
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return fail();
    bytes = bytes.drop_front(n);
    offset += n;
  }
  return true;
}

bool AtomicFile::reopen() {
  struct stat before;
  if (fd < 0 || fstat(fd, &before) != 0)
    return fail();
  close(fd);
  fd = open(temporary.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0)
    return fail();
  flock(fd, LOCK_EX | LOCK_NB);
  // The permissions that `create` got under the umask apply to the new file
  // too.
  return fchmod(fd, before.st_mode & 07777) == 0 || fail();
}

bool AtomicFile::finish() {
  if (firstError != 0)
    return false;
  bool done = fsync(fd) == 0 || fail();
  if (close(fd) != 0 && done)
    done = fail();
  fd = -1;
  return done;
}

bool AtomicFile::publish() {
  struct stat info;
  if (lstat(target.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
      renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, target.c_str(),
                RENAME_EXCHANGE) == 0)
    exchanged = published = true;
  else if (rename(temporary.c_str(), target.c_str()) == 0)
    published = true;
  return published || fail();
}

void AtomicFile::withdraw() {
  if (exchanged)
    rename(temporary.c_str(), target.c_str());
  else if (published)
    unlink(target.c_str());
  published = exchanged = false;
}

std::string AtomicFile::keyedName() const {
  return folderOf(target) + "/." + llvm::sys::path::filename(target).str() +
         "." + key;
}

AtomicFile &OutputFiles::add(const std::string &path, bool executable) {
  files.push_back(std::make_unique<AtomicFile>(path, executable));
  files.back()->create();
  return *files.back();
}

AtomicFile *OutputFiles::commit() {
  std::optional<FolderLock> lock;
  if (files.size() > 1)
    lock.emplace(folderOf(files[0]->target));
  // If the process is killed between two renames, the files are usable. An
  // interrupt is delayed, so that it leaves no temporary files either.
  BlockedSignals blocked;
  AtomicFile *failed = nullptr;
  // Without hard links in the file system, a kill between two renames may leave
  // files that do not match.
  for (auto &file : files)
    if (!file->key.empty())
      (void)!link(file->temporary.c_str(), file->keyedName().c_str());
  for (auto &file : files)
    if (!failed && !file->publish())
      failed = file.get();
  if (failed)
    for (auto &file : files)
      file->withdraw();
  for (auto &file : files)
    if (!file->key.empty() && failed)
      unlink(file->keyedName().c_str());
    else if (!file->key.empty())
      removeKeyed(file->target);
  return failed;
}

} // namespace tenon
