// Atomic writes: a new file gets a temporary name, is written and closed, and
// is then renamed. An interrupt removes it.
#include "tools/tenon/OutputFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tenon::cli {

static std::string folderOf(const std::string &path) {
  llvm::StringRef parent = llvm::sys::path::parent_path(path);
  return parent.empty() ? "." : parent.str();
}

bool isStream(const std::string &output) {
  struct stat info;
  return output == "-" || (stat(output.c_str(), &info) == 0 &&
                           !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode));
}

Status checkOutput(Talk &talk, const std::string &output,
                   const std::string &input) {
  if (output.empty())
    return talk.usage("the output has an empty name");
  if (isStream(output))
    return Status::Success;
  struct stat info, inputInfo;
  if (stat(output.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode))
      return talk.fail(Status::Io, output, "the output is a directory");
    if (stat(input.c_str(), &inputInfo) == 0 &&
        info.st_dev == inputInfo.st_dev && info.st_ino == inputInfo.st_ino)
      return talk.usage("the output '" + output + "' is the input");
  }
  std::string folder = folderOf(output);
  if (stat(folder.c_str(), &info) != 0)
    return talk.fail(Status::Io, output,
                     "cannot write into the directory '" + folder +
                         "': " + strerror(errno));
  if (!S_ISDIR(info.st_mode))
    return talk.fail(Status::Io, output, "'" + folder + "' is no directory");
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    return talk.fail(Status::Io, output,
                     "cannot write into the directory '" + folder +
                         "': " + strerror(errno));
  return Status::Success;
}

/// The resolved folder, then the file name; works for a file that does not
/// exist yet.
static std::string identityOf(const std::string &path) {
  llvm::SmallString<256> folder;
  if (llvm::sys::fs::real_path(folderOf(path), folder))
    folder = folderOf(path);
  llvm::sys::path::append(folder, llvm::sys::path::filename(path));
  return folder.str().str();
}

/// True if both names mean one file, also through links.
static bool isSameFile(const std::string &a, const std::string &b) {
  struct stat first, second;
  if (stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0)
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
  return identityOf(a) == identityOf(b);
}

Status checkDistinct(Talk &talk, llvm::ArrayRef<NamedOutput> outputs,
                     const std::string &input) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto &[what, path] = outputs[i];
    // Several outputs may go to a terminal or /dev/null.
    bool isDevice = path != "-" && isStream(path);
    if (!isStream(path) && isSameFile(path, input))
      return talk.usage(what + " '" + path + "' is the input");
    for (size_t j = 0; j < i && !isDevice; ++j)
      if (isSameFile(path, outputs[j].path))
        return talk.usage(what + " '" + path + "' is " + outputs[j].what +
                              " too",
                          "give each a file of its own");
  }
  return Status::Success;
}

static bool writeAll(int fd, llvm::StringRef content) {
  while (!content.empty()) {
    ssize_t n = write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return false;
    content = content.drop_front(n);
  }
  return true;
}

/// Removes temporary files of killed processes in `folder`.
static void removeStale(const std::string &folder) {
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder, error), end;
       it != end && !error; it.increment(error)) {
    llvm::StringRef name = llvm::sys::path::filename(it->path());
    pid_t writer = 0;
    if (name.consume_front(".tenon-") && name.consume_back(".tmp") &&
        !name.getAsInteger(10, writer) && writer > 0 && kill(writer, 0) != 0 &&
        errno == ESRCH)
      unlink(it->path().c_str());
  }
}

Status writeOutput(Talk &talk, const std::string &path,
                   llvm::StringRef content) {
  if (path == "-") {
    llvm::outs() << content;
    return finishResult(talk, Status::Success);
  }
  auto failed = [&] {
    return talk.fail(Status::Io, path,
                     std::string("cannot write: ") + strerror(errno));
  };
  if (isStream(path)) {
    int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0)
      return failed();
    bool written = writeAll(fd, content);
    Status status = written ? Status::Success : failed();
    close(fd);
    return status;
  }
  // The temporary name is in the same folder, because a rename cannot cross
  // file systems.
  std::string temporary =
      llvm::formatv("{0}/.tenon-{1}.tmp", folderOf(path), getpid());
  removeStale(folderOf(path));
  llvm::sys::RemoveFileOnSignal(temporary);
  unlink(temporary.c_str());
  int fd =
      open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  bool done = fd >= 0 && writeAll(fd, content) && fsync(fd) == 0;
  int reason = errno;
  if (fd >= 0 && close(fd) != 0 && done) {
    done = false;
    reason = errno;
  }
  if (done && rename(temporary.c_str(), path.c_str()) != 0) {
    done = false;
    reason = errno;
  }
  if (!done)
    unlink(temporary.c_str());
  llvm::sys::DontRemoveFileOnSignal(temporary);
  errno = reason;
  return done ? Status::Success : failed();
}

Status copyToStream(Talk &talk, const std::string &from,
                    const std::string &to) {
  auto buffer = llvm::MemoryBuffer::getFile(from, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return talk.fail(Status::Io, from,
                     "cannot read: " + buffer.getError().message());
  return writeOutput(talk, to, (*buffer)->getBuffer());
}

Status readWhole(Talk &talk, const std::string &path, std::string &content) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0)
    return talk.fail(Status::Io, path,
                     std::string("cannot open: ") + strerror(errno));
  if (!S_ISREG(info.st_mode))
    return talk.fail(Status::Io, path, "not a regular file");
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return talk.fail(Status::Io, path,
                     "cannot read: " + buffer.getError().message());
  content = (*buffer)->getBuffer().str();
  return Status::Success;
}

} // namespace tenon::cli
