// Opens files without waiting for pipes, and without leaving the folder: a link
// may lead only to the folder itself, or to the store of the hub's cache, whose
// folders `snapshots/REVISION` have links to `../../blobs`.
#include "tokenizers/Files.h"

#include "tokenizers/Failure.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace tenon::tokenizers {

static constexpr off_t maxFileBytes = off_t(128) << 20;
static constexpr std::array knownNames = {"tokenizer.json",
                                          "vocab.json",
                                          "merges.txt",
                                          "spiece.model",
                                          "tokenizer_config.json",
                                          "special_tokens_map.json",
                                          "added_tokens.json"};

[[noreturn]] static void failIo(const std::string &path, const char *what) {
  throw Failure{TENON_TOKENIZER_IO,
                path + ": " + what + ": " + std::strerror(errno)};
}

/// `path` without links, or nothing.
static std::string resolved(const std::string &path) {
  std::unique_ptr<char, void (*)(void *)> found(realpath(path.c_str(), nullptr),
                                                std::free);
  return found ? found.get() : "";
}

static std::string folderOf(const std::string &path) {
  return path.substr(0, std::max<size_t>(path.rfind('/'), 1));
}

static std::string readFile(const std::string &path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0)
    failIo(path, "cannot open the file");
  std::unique_ptr<int, void (*)(int *)> closer(&file,
                                               [](int *f) { close(*f); });
  struct stat about;
  if (fstat(file, &about) != 0)
    failIo(path, "cannot read the file");
  if (!S_ISREG(about.st_mode))
    throw Failure{TENON_TOKENIZER_INVALID, path + ": expected a regular file"};
  if (about.st_size > maxFileBytes)
    throw Failure{TENON_TOKENIZER_LIMIT,
                  path + ": expected at most " + std::to_string(maxFileBytes) +
                      " bytes, got " + std::to_string(about.st_size)};
  std::string content(about.st_size, '\0');
  for (size_t done = 0; done < content.size();) {
    ssize_t got = ::read(file, content.data() + done, content.size() - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      failIo(path, "cannot read the file");
    if (got == 0)
      throw Failure{TENON_TOKENIZER_IO,
                    path + ": the file became shorter while it was read"};
    done += got;
  }
  return content;
}

/// Requires the file to be in the folder, or in the hub's store.
static void checkPlace(const std::string &folder, const std::string &file) {
  std::string real = resolved(file), home = resolved(folder);
  if (real.empty() || folderOf(real) == home)
    return;
  std::string snapshots = folderOf(home);
  if (snapshots.ends_with("/snapshots") &&
      folderOf(real) == folderOf(snapshots) + "/blobs")
    return;
  throw Failure{TENON_TOKENIZER_INVALID,
                file + ": expected a file of the folder, got a link to " +
                    quoted(real)};
}

Files Files::read(const std::string &path) {
  Files files;
  files.path = path;
  struct stat about;
  if (stat(path.c_str(), &about) != 0)
    failIo(path, "cannot open the tokenizer");
  if (!S_ISDIR(about.st_mode)) {
    files.isFile = true;
    const char *name =
        path.ends_with(".model") ? "spiece.model" : "tokenizer.json";
    files.contents.emplace(name, readFile(path));
    return files;
  }
  for (const char *name : knownNames) {
    std::string file = files.nameOf(name);
    if (lstat(file.c_str(), &about) != 0) {
      if (errno != ENOENT)
        failIo(file, "cannot open the file");
      continue;
    }
    checkPlace(path, file);
    files.contents.emplace(name, readFile(file));
  }
  return files;
}

void Files::add(const std::string &name, std::string content) {
  if (std::find(knownNames.begin(), knownNames.end(), name) == knownNames.end())
    throw Failure{TENON_TOKENIZER_BAD_INPUT,
                  "expected the name of a tokenizer's file, got " +
                      quoted(name)};
  if (!contents.emplace(name, std::move(content)).second)
    throw Failure{TENON_TOKENIZER_BAD_INPUT,
                  "expected each file once, got " + quoted(name) + " twice"};
}

std::string Files::nameOf(const std::string &name) const {
  if (path.empty())
    return name;
  if (isFile)
    return path;
  return path + (path.ends_with('/') ? "" : "/") + name;
}

} // namespace tenon::tokenizers
