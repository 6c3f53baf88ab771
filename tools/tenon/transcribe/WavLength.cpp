// The chunks of a RIFF file: four letters, a length, and so many bytes.
#include "tools/tenon/transcribe/WavLength.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace tenon::cli {

/// Writers of streams leave a length of 0 or near one of these limits.
static bool isUnknown(uint64_t bytes) {
  return bytes == 0 || bytes >= 0xffffff00 ||
         (bytes >= 0x7fffff00 && bytes <= 0x80000000);
}

/// Real files have some dozens. A file of empty chunks would take long.
static constexpr int mostChunks = 10000;

std::string checkWavLength(int file) {
  struct stat info;
  unsigned char head[12];
  if (fstat(file, &info) != 0 || pread(file, head, 12, 0) != 12 ||
      memcmp(head, "RIFF", 4) != 0 || memcmp(head + 8, "WAVE", 4) != 0)
    return "";
  uint64_t size = info.st_size, at = 12;
  for (int i = 0; i < mostChunks && pread(file, head, 8, at) == 8; ++i) {
    uint64_t bytes = llvm::support::endian::read32le(head + 4);
    at += 8;
    if (memcmp(head, "data", 4) == 0) {
      if (bytes > size - at && !isUnknown(bytes))
        return llvm::formatv("the sound is damaged: its header announces {0} "
                             "bytes of samples, there are {1}",
                             bytes, size - at);
      return "";
    }
    // Chunks begin at even places.
    at += bytes + bytes % 2;
  }
  return "";
}

} // namespace tenon::cli
