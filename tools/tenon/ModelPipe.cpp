// The copy is in memory and in no folder, so the readers refuse files that the
// model names beside itself. A link gives the copy a file name, from which
// symbol names are made.
#include "tools/tenon/ModelPipe.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace tenon::cli {

/// The size limit of model files, which hold the weights too.
static constexpr uint64_t maxBytes = uint64_t(2) << 30;

/// True for '-' and named pipes. Names of descriptors count too, because the
/// folder of such a name does not hold the model's other files. Devices do not
/// count: some have no end.
static bool isPiped(const std::string &path) {
  llvm::StringRef name = path;
  if (name == "-" || name == "/dev/stdin" || name.starts_with("/dev/fd/") ||
      name.starts_with("/proc/self/fd/"))
    return true;
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISFIFO(info.st_mode);
}

/// Copies all of `from` to `to`. Returns 0 or an errno; EFBIG beyond the limit.
static int copyAll(int from, int to) {
  std::vector<char> buffer(1 << 20);
  uint64_t total = 0;
  while (true) {
    ssize_t got = read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return errno;
    if (got == 0)
      return 0;
    total += got;
    if (total > maxBytes)
      return EFBIG;
    for (ssize_t done = 0; done < got;) {
      ssize_t put = write(to, buffer.data() + done, got - done);
      if (put < 0)
        return errno;
      done += put;
    }
  }
}

Status ModelPipe::settle(Talk &talk, std::string &path) {
  if (!isPiped(path))
    return Status::Success;
  setCurrentStage("reading the model");
  auto failed = [&](int error) {
    if (error == EFBIG)
      return talk.fail(Status::Limit, path,
                       "expected a model of at most 2 GiB through a pipe");
    return talk.fail(Status::Io, path,
                     std::string("cannot read: ") + strerror(error));
  };
  int from = path == "-" ? dup(STDIN_FILENO)
                         : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (from < 0)
    return failed(errno);
  int copy = memfd_create("tenon-model", MFD_CLOEXEC);
  int error = copy < 0 ? errno : copyAll(from, copy);
  close(from);
  if (error != 0)
    return failed(error);
  char magic[4] = {};
  if (pread(copy, magic, sizeof magic, 0) == sizeof magic &&
      memcmp(magic, "\177ELF", sizeof magic) == 0)
    return talk.fail(Status::BadArtifact, path,
                     "an artifact cannot come through a pipe: the system "
                     "loads it from its file",
                     {}, "write it to a file, and give that");

  folders.push_back(std::make_unique<TemporaryDirectory>());
  if (std::string why = folders.back()->create(); !why.empty())
    return talk.fail(Status::Io, "tenon", why);
  llvm::StringRef stem = llvm::sys::path::filename(path);
  bool isNamed = !isdigit(stem.front()) && path != "-";
  std::string link =
      folders.back()->getPath() + "/" + (isNamed ? stem.str() : "stdin");
  std::string target = "/proc/self/fd/" + std::to_string(copy);
  if (symlink(target.c_str(), link.c_str()) != 0)
    return failed(errno);
  talk.showAs(link, path);
  path = link;
  return Status::Success;
}

} // namespace tenon::cli
