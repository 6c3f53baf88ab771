// Opens files that a model names. Checks the name as text, resolves it, then
// opens it without following links.
#include "compiler/files/FileRoot.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tenon {

void checkRelativeName(const std::string &name) {
  auto refuse = [](const std::string &why) {
    throw FileError{Status::InvalidModel,
                    why + ": a model reads only from its own folder"};
  };
  if (name.empty())
    refuse("expected a file name, got an empty one");
  if (name.size() > 4096)
    refuse("expected a file name of at most 4096 bytes");
  if (name.find('\0') != std::string::npos)
    refuse("expected a file name without NUL");
  if (name.find('\\') != std::string::npos)
    refuse("expected a relative path with '/', got '\\' in '" + name + "'");
  if (name.find("://") != std::string::npos || name.rfind("file:", 0) == 0)
    refuse("expected a relative path, got the URL '" + name + "'");
  if (name[0] == '/')
    refuse("'" + name + "' is absolute and leaves the model directory");
  if (name.size() > 1 && name[1] == ':')
    refuse("'" + name +
           "' begins with a drive letter and leaves the model directory");
  // ONNX Runtime marks data in its own memory this way, as if it were a file.
  if (name.find("_ORT_MEM_ADDR_") != std::string::npos)
    refuse("'" + name + "' marks an address in memory, not a file");
  for (size_t from = 0; from <= name.size();) {
    size_t to = std::min(name.find('/', from), name.size());
    if (name.compare(from, to - from, "..") == 0)
      refuse("'" + name + "' leaves the model directory");
    from = to + 1;
  }
}

/// The path with all links resolved. Empty, with errno set, if there is none.
static std::string realPath(const std::string &path) {
  char *resolved = ::realpath(path.c_str(), nullptr);
  if (!resolved)
    return {};
  std::string result = resolved;
  std::free(resolved);
  return result;
}

static std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

FileRoot::FileRoot(const std::string &namedFolder,
                   const std::string &allowedFolder)
    : named(namedFolder), allowed(realPath(allowedFolder)) {
  if (!allowed.empty())
    descriptor =
        ::open(allowed.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0)
    throw FileError{Status::Io, "cannot open the folder '" + allowedFolder +
                                    "': " + systemError()};
}

FileRoot::~FileRoot() { ::close(descriptor); }

std::shared_ptr<FileRoot> FileRoot::ofModel(const std::string &path) {
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && status.st_nlink == 0)
    return nullptr;
  std::string resolved = realPath(path);
  return std::make_shared<FileRoot>(
      folderOf(path), folderOf(resolved.empty() ? path : resolved));
}

std::string FileRoot::join(const std::string &relative) const {
  if (named == ".")
    return relative;
  return named + (named.back() == '/' ? "" : "/") + relative;
}

std::string FileRoot::resolve(const std::string &relative) const {
  checkRelativeName(relative);
  std::string resolved = realPath(named + "/" + relative);
  if (resolved.empty() && errno == ENOENT)
    resolved = realPath(allowed + "/" + relative);
  if (resolved.empty())
    throw FileError{Status::Io,
                    "cannot open '" + relative + "': " + systemError()};
  std::string prefix = allowed == "/" ? allowed : allowed + "/";
  if (resolved.compare(0, prefix.size(), prefix) != 0)
    throw FileError{
        Status::InvalidModel,
        "'" + relative +
            "' is a link that leaves the model directory: a model reads only "
            "from its own folder"};
  return resolved.substr(prefix.size());
}

int FileRoot::openBeneath(const std::string &beneath, int flags) const {
  flags |= O_CLOEXEC | O_NOFOLLOW;
  open_how how = {};
  how.flags = static_cast<uint64_t>(flags);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  for (int attempt = 0; attempt < 100; ++attempt) {
    long fd =
        syscall(SYS_openat2, descriptor, beneath.c_str(), &how, sizeof(how));
    // EAGAIN: the kernel could not exclude a concurrent rename.
    if (fd >= 0 || (errno != EAGAIN && errno != EINTR)) {
      if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
        return static_cast<int>(fd);
      break;
    }
  }

  // Without openat2 (old kernels, sandboxes), open one component at a time and
  // follow no link.
  int folder = dup(descriptor);
  for (size_t from = 0; folder >= 0;) {
    size_t to = beneath.find('/', from);
    std::string part = beneath.substr(from, to - from);
    bool last = to == std::string::npos;
    int next =
        openat(folder, part.c_str(),
               last ? flags : O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    int error = errno;
    ::close(folder);
    errno = error;
    if (last)
      return next;
    folder = next;
    from = to + 1;
  }
  return -1;
}

int FileRoot::reopen(const std::string &beneath) const {
  return openBeneath(beneath, O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

std::shared_ptr<OpenFile> FileRoot::open(const std::string &relative) const {
  std::string beneath = resolve(relative);
  auto cannot = [&]() -> FileError {
    if (errno == ELOOP || errno == EXDEV)
      return {Status::InvalidModel,
              "'" + relative + "' leaves the model directory"};
    return {Status::Io, "cannot open '" + relative + "': " + systemError()};
  };
  // Open the path without reading first, because opening a device or a pipe for
  // reading has effects.
  int handle = openBeneath(beneath, O_PATH);
  if (handle < 0)
    throw cannot();
  struct stat status;
  bool regular = fstat(handle, &status) == 0 && S_ISREG(status.st_mode);
  ::close(handle);
  if (!regular)
    throw FileError{Status::InvalidModel,
                    "expected '" + relative + "' to be a regular file"};
  int fd = reopen(beneath);
  if (fd < 0)
    throw cannot();
  return std::make_shared<OpenFile>(fd);
}

} // namespace tenon
