// TMPDIR is on a disk more often than shared memory is large enough for a long
// sound.
#include "tools/tenon/transcribe/TemporaryFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>
#include <vector>

namespace tenon::cli {

int makeTemporaryFile() {
  llvm::SmallString<128> path;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, path);
  llvm::sys::path::append(path, "tenon-sound-XXXXXX");
  int file = mkostemp(const_cast<char *>(path.c_str()), O_CLOEXEC);
  if (file >= 0)
    unlink(path.c_str());
  return file;
}

int writeToFile(int file, const void *data, size_t bytes) {
  const char *at = static_cast<const char *>(data);
  while (bytes > 0) {
    ssize_t put = write(file, at, bytes);
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return errno;
    at += put;
    bytes -= put;
  }
  return 0;
}

int copyToFile(int from, int file) {
  std::vector<char> buffer(1 << 20);
  while (true) {
    ssize_t got = read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return got < 0 ? errno : lseek(file, 0, SEEK_SET) < 0 ? errno : 0;
    if (int error = writeToFile(file, buffer.data(), got))
      return error;
  }
}

} // namespace tenon::cli
