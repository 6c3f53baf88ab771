// The list of an entry is a text: a line with the format, a line with the hash
// of the rest, one line for each file, and the fingerprint. It is written last,
// so an entry without a list is unfinished.
#include "tools/tenon/cache/CacheEntry.h"

#include "compiler/Fingerprint.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tenon::cli {

const char *const artifactName = "model.so";
static const char *const listName = "entry";
static const char *const firstLine = "tenon cache entry 1\n";
static constexpr size_t listLimit = 16 << 20;

Descriptor &Descriptor::operator=(Descriptor &&other) noexcept {
  if (this != &other) {
    if (fd >= 0)
      close(fd);
    fd = other.release();
  }
  return *this;
}

Descriptor::~Descriptor() {
  if (fd >= 0)
    close(fd);
}

int Descriptor::release() {
  int released = fd;
  fd = -1;
  return released;
}

std::string whyNotOurs(const Descriptor &file) {
  struct stat info;
  if (fstat(file.get(), &info) != 0)
    return strerror(errno);
  if (info.st_uid != geteuid())
    return "it belongs to another user";
  if (info.st_mode & (S_IWGRP | S_IWOTH))
    return "other users may change it";
  return "";
}

/// The sorted names of the files in a folder.
static std::vector<std::string> namesIn(const std::string &path) {
  std::vector<std::string> names;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(path, error), end;
       it != end && !error; it.increment(error))
    names.push_back(llvm::sys::path::filename(it->path()).str());
  llvm::sort(names);
  return names;
}

/// Reads the list open as `fd` into `content`. False if it cannot be read or is
/// larger than a list can be.
static bool readList(int fd, std::string &content) {
  char buffer[4096];
  for (;;) {
    ssize_t n = read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n == 0;
    content.append(buffer, size_t(n));
    if (content.size() > listLimit)
      return false;
  }
}

/// The line of a file in the list.
static std::string lineOf(const FileState &file) {
  return "file " + file.hash + " " + std::to_string(file.bytes) + " " +
         llvm::sys::path::filename(file.path).str() + "\n";
}

static std::string listOf(const std::string &files, const std::string &text) {
  std::string rest = files + "of\n" + text;
  return firstLine + hashText(rest) + "\n" + rest;
}

std::string sealEntry(const std::string &path, const std::string &text) {
  std::string files;
  for (const std::string &name : namesIn(path)) {
    std::optional<FileState> file = hashFile(path + "/" + name);
    if (!file)
      return "cannot read '" + name + "' again";
    files += lineOf(*file);
  }
  std::string list = listOf(files, text);
  std::string listPath = path + "/" + listName;
  Descriptor out(open(listPath.c_str(),
                      O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                      0600));
  llvm::StringRef rest = list;
  while (out.isOpen() && !rest.empty()) {
    ssize_t n = write(out.get(), rest.data(), rest.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return strerror(errno);
    rest = rest.drop_front(size_t(n));
  }
  // Sync the files first: after a machine crash the list must not exist without
  // them.
  if (!out.isOpen() || fsync(out.get()) != 0 || close(out.release()) != 0)
    return strerror(errno);
  return "";
}

/// Opens and checks the file `name` of the entry before it is read.
static std::string openFile(const Descriptor &folder, const std::string &name,
                            Descriptor &file) {
  file = Descriptor(openat(folder.get(), name.c_str(),
                           O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info;
  if (!file.isOpen())
    return "'" + name +
           "': " + (errno == ELOOP ? "it is a link" : strerror(errno));
  if (fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return "'" + name + "': it is no file";
  std::string why = whyNotOurs(file);
  return why.empty() ? "" : "'" + name + "': " + why;
}

std::string checkEntry(const std::string &path, const Descriptor &folder,
                       const std::string &text) {
  if (std::string why = whyNotOurs(folder); !why.empty())
    return why;
  Descriptor list;
  std::string content;
  if (std::string why = openFile(folder, listName, list); !why.empty())
    return why;
  if (!readList(list.get(), content))
    return "its list cannot be read";
  std::string files;
  bool hasArtifact = false;
  for (const std::string &name : namesIn(path)) {
    if (name == listName)
      continue;
    Descriptor opened;
    if (std::string why = openFile(folder, name, opened); !why.empty())
      return why;
    std::optional<FileState> file = hashFile(path + "/" + name);
    if (!file)
      return "'" + name + "' cannot be read";
    files += lineOf(*file);
    hasArtifact |= name == artifactName;
  }
  if (!hasArtifact || content != listOf(files, text))
    return "its files are not those that were made";
  return "";
}

std::optional<EntryOrigin> originOf(const std::string &path) {
  std::string listPath = path + "/" + listName, content;
  Descriptor list(
      open(listPath.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!list.isOpen() || !readList(list.get(), content))
    return std::nullopt;
  EntryOrigin origin;
  llvm::SmallVector<llvm::StringRef, 32> lines;
  llvm::StringRef(content).split(lines, '\n');
  auto valueOf = [&](llvm::StringRef name) {
    for (llvm::StringRef line : lines)
      if (line.consume_front(name) && line.consume_front(" \"")) {
        std::string value;
        for (line.consume_back("\""); !line.empty();) {
          unsigned code = 0;
          if (line[0] == '\\' && !line.substr(1, 2).getAsInteger(16, code)) {
            value += char(code);
            line = line.drop_front(std::min<size_t>(3, line.size()));
          } else {
            value += line[0];
            line = line.drop_front();
          }
        }
        return value;
      }
    return std::string("?");
  };
  origin.model = valueOf("model");
  origin.target = valueOf("target");
  return origin;
}

void touchEntry(const std::string &path) {
  // A failure is harmless: an entry that we cannot write, we cannot remove
  // either.
  (void)!utimensat(AT_FDCWD, (path + "/" + listName).c_str(), nullptr,
                   AT_SYMLINK_NOFOLLOW);
}

int64_t lastUse(const std::string &path) {
  struct stat info;
  return lstat((path + "/" + listName).c_str(), &info) == 0 ? info.st_mtime : 0;
}

uint64_t bytesOf(const std::string &path) {
  uint64_t bytes = 0;
  struct stat info;
  for (const std::string &name : namesIn(path))
    if (lstat((path + "/" + name).c_str(), &info) == 0)
      bytes += uint64_t(info.st_size);
  return bytes;
}

} // namespace tenon::cli
