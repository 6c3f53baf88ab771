// The entries of a zip archive whose data lies in the file as it is: neither
// compressed nor encrypted. The archive is not trusted.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_READER_ZIPARCHIVE_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_READER_ZIPARCHIVE_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace tenon::hf {

/// Bytes that are read by parts, such as those of a file.
struct ByteSource {
  uint64_t size = 0;
  /// Copies `bytes` bytes from `offset`. False if they cannot be read.
  std::function<bool(uint64_t offset, void *into, size_t bytes)> read;
};

struct ZipEntry {
  uint64_t offset = 0, length = 0; ///< bytes from the start of the file
};

/// Directories of archives may have this many bytes.
constexpr uint64_t maxDirectoryBytes = uint64_t(64) << 20;

/// The entries by name, as the directory at the end says, also in the 64-bit
/// form. Their bytes do not overlap. Throws ReadFailure.
std::map<std::string, ZipEntry, std::less<>>
readZipArchive(const ByteSource &source);

/// `bytes` bytes from `offset`. Throws ReadFailure if they cannot be read.
std::string readBytes(const ByteSource &source, uint64_t offset, size_t bytes);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_READER_ZIPARCHIVE_H
