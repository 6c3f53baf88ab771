// Identity and size of a file are read from its open descriptor, so its name is
// not looked up again.
#include "compiler/files/OpenFile.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace tenon {

std::string systemError() { return std::generic_category().message(errno); }

OpenFile::OpenFile(int descriptor) : descriptor(descriptor) {
  struct stat status;
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(descriptor);
    throw FileError{Status::InvalidModel, "expected a regular file"};
  }
  bytes = static_cast<uint64_t>(status.st_size);
  device = status.st_dev;
  inode = status.st_ino;
  modifiedSeconds = status.st_mtim.tv_sec;
  modifiedNanoseconds = status.st_mtim.tv_nsec;
}

OpenFile::~OpenFile() {
  unmap();
  if (descriptor >= 0)
    ::close(descriptor);
}

std::shared_ptr<OpenFile> OpenFile::open(const std::string &path) {
  // O_NONBLOCK, because the name may be a pipe without a writer.
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0)
    throw FileError{Status::Io, "cannot open the file: " + systemError()};
  struct stat status;
  if (fstat(fd, &status) == 0 && !S_ISREG(status.st_mode)) {
    ::close(fd);
    throw FileError{Status::Io, S_ISDIR(status.st_mode)
                                    ? "expected a file, got a directory"
                                    : "expected a regular file"};
  }
  return std::make_shared<OpenFile>(fd);
}

std::shared_ptr<OpenFile> OpenFile::tryOpen(const std::string &path,
                                            FileError &error) {
  try {
    return open(path);
  } catch (const FileError &thrown) {
    error = thrown;
    return nullptr;
  }
}

int OpenFile::readable(std::unique_ptr<OpenFile> &again) const {
  if (descriptor >= 0)
    return descriptor;
  int fd = reopen();
  if (fd < 0)
    return -1;
  try {
    again = std::make_unique<OpenFile>(fd);
  } catch (const FileError &) {
    return -1;
  }
  bool same =
      again->device == device && again->inode == inode && again->bytes == bytes;
  return same ? fd : -1;
}

bool OpenFile::read(uint64_t offset, void *into, uint64_t size) const {
  if (offset > bytes || size > bytes - offset)
    return false;
  std::unique_ptr<OpenFile> again;
  int fd = readable(again);
  if (fd < 0)
    return false;
  char *to = static_cast<char *>(into);
  while (size > 0) {
    ssize_t got = pread(fd, to, std::min<uint64_t>(size, 1u << 30), offset);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    to += got;
    offset += got;
    size -= got;
  }
  return true;
}

std::span<const std::byte> OpenFile::map() {
  if (bytes == 0)
    return {};
  if (!mapping) {
    void *at = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (at == MAP_FAILED)
      throw FileError{errno == ENOMEM ? Status::Limit : Status::Io,
                      "cannot map the file: " + systemError()};
    mapping = at;
  }
  return {static_cast<const std::byte *>(mapping), bytes};
}

void OpenFile::unmap() {
  if (mapping)
    munmap(mapping, bytes);
  mapping = nullptr;
}

bool OpenFile::unchanged() const {
  struct stat status;
  std::unique_ptr<OpenFile> again;
  int fd = readable(again);
  return fd >= 0 && fstat(fd, &status) == 0 &&
         static_cast<uint64_t>(status.st_size) == bytes &&
         status.st_mtim.tv_sec == modifiedSeconds &&
         status.st_mtim.tv_nsec == modifiedNanoseconds;
}

void OpenFile::releaseDescriptor(std::function<int()> how) {
  reopen = std::move(how);
  ::close(descriptor);
  descriptor = -1;
}

} // namespace tenon
