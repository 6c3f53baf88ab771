// Reads the record at the end of the file, the directory that it leads to, and
// for each entry of the directory the header before its data.
#include "compiler/import/huggingface/reader/ZipArchive.h"

#include "compiler/files/OpenFile.h"
#include "compiler/files/ReadFailure.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace tenon::hf {
namespace {

constexpr uint32_t localSignature = 0x04034b50;
constexpr uint32_t entrySignature = 0x02014b50;
constexpr uint32_t endSignature = 0x06054b50;
constexpr uint32_t end64Signature = 0x06064b50;
constexpr uint32_t locatorSignature = 0x07064b50;
constexpr size_t localBytes = 30, entryBytes = 46, endBytes = 22;
constexpr size_t end64Bytes = 56, locatorBytes = 20;
constexpr size_t maxCommentBytes = 0xffff;
constexpr uint64_t in64Bits = 0xffffffff; ///< the value is in a longer field

/// The number of `bytes` bytes at text[at]. Requires them to be there.
uint64_t numberAt(std::string_view text, size_t at, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = bytes; i-- > 0;)
    value = value << 8 | uint8_t(text[at + i]);
  return value;
}

[[noreturn]] void failAt(uint64_t offset, std::string text,
                         Status status = Status::InvalidModel) {
  fail("offset " + std::to_string(offset), std::move(text), status);
}

/// The bytes of the directory in the file, and its entries.
struct Directory {
  uint64_t offset, length, entries;
};

/// A record of the directory: what it says of an entry.
struct Record {
  std::string name;
  uint64_t flags, method, packed, length, header;
};

Directory findDirectory(const ByteSource &source) {
  uint64_t tail = std::min<uint64_t>(source.size, endBytes + maxCommentBytes);
  uint64_t base = source.size - tail;
  std::string text = readBytes(source, base, tail);
  std::optional<size_t> found;
  for (size_t at = tail >= endBytes ? tail - endBytes + 1 : 0; at-- > 0;)
    if (numberAt(text, at, 4) == endSignature &&
        numberAt(text, at + 20, 2) == tail - endBytes - at) {
      found = at;
      break;
    }
  if (!found)
    fail("", "expected a zip archive with its directory at the end; the file "
             "may be incomplete");
  uint64_t end = base + *found;
  Directory result{numberAt(text, *found + 16, 4),
                   numberAt(text, *found + 12, 4),
                   numberAt(text, *found + 10, 2)};
  if (end >= locatorBytes) {
    std::string locator = readBytes(source, end - locatorBytes, locatorBytes);
    if (numberAt(locator, 0, 4) == locatorSignature) {
      uint64_t at = numberAt(locator, 8, 8);
      if (at > end - locatorBytes || end - locatorBytes - at < end64Bytes)
        failAt(end - locatorBytes,
               "expected the place of the 64-bit record before it");
      std::string record = readBytes(source, at, end64Bytes);
      if (numberAt(record, 0, 4) != end64Signature)
        failAt(at, "expected the 64-bit record of the archive's end");
      result = {numberAt(record, 48, 8), numberAt(record, 40, 8),
                numberAt(record, 32, 8)};
      end = at;
    }
  }
  if (result.offset > end || result.length > end - result.offset)
    failAt(end, "the directory ends after byte " + std::to_string(end));
  if (result.length > maxDirectoryBytes)
    failAt(end,
           "expected a directory of at most " +
               std::to_string(maxDirectoryBytes) + " bytes, got " +
               std::to_string(result.length),
           Status::Limit);
  return result;
}

/// Takes the longer fields of a record, in their order, for each value that
/// refers to them.
void read64(std::string_view extra, Record &record, uint64_t place) {
  while (extra.size() >= 4) {
    size_t bytes = numberAt(extra, 2, 2);
    if (bytes > extra.size() - 4)
      break;
    std::string_view field = extra.substr(4, bytes);
    if (numberAt(extra, 0, 2) == 1)
      for (uint64_t *value : {&record.length, &record.packed, &record.header})
        if (*value == in64Bits) {
          if (field.size() < 8)
            failAt(place,
                   "expected the 64-bit fields of " + quoted(record.name));
          *value = numberAt(field, 0, 8);
          field.remove_prefix(8);
        }
    extra.remove_prefix(4 + bytes);
  }
}

Record readRecord(std::string_view text, size_t at, uint64_t place,
                  size_t &next) {
  if (text.size() - at < entryBytes || numberAt(text, at, 4) != entrySignature)
    failAt(place, "expected an entry of the archive's directory");
  size_t name = numberAt(text, at + 28, 2), extra = numberAt(text, at + 30, 2);
  size_t comment = numberAt(text, at + 32, 2);
  if (text.size() - at - entryBytes < name + extra + comment)
    failAt(place, "the entry is longer than the archive's directory");
  Record record{std::string(text.substr(at + entryBytes, name)),
                numberAt(text, at + 8, 2),
                numberAt(text, at + 10, 2),
                numberAt(text, at + 20, 4),
                numberAt(text, at + 24, 4),
                numberAt(text, at + 42, 4)};
  read64(text.substr(at + entryBytes + name, extra), record, place);
  next = at + entryBytes + name + extra + comment;
  if (record.flags & 1)
    failAt(place, quoted(record.name) + " is encrypted", Status::Unsupported);
  if (record.method != 0)
    failAt(place, quoted(record.name) + " is compressed; expected stored data",
           Status::Unsupported);
  if (record.packed != record.length)
    failAt(place, quoted(record.name) + " has " +
                      std::to_string(record.packed) + " stored bytes for " +
                      std::to_string(record.length));
  return record;
}

/// The data of a record, all of which lies before `end`.
ZipEntry locate(const ByteSource &source, const Record &record, uint64_t end) {
  std::string place = "entry " + quoted(record.name);
  if (record.header > end || end - record.header < localBytes)
    fail(place, "its header lies after the archive's data");
  std::string header = readBytes(source, record.header, localBytes);
  size_t name = numberAt(header, 26, 2), extra = numberAt(header, 28, 2);
  if (numberAt(header, 0, 4) != localSignature ||
      numberAt(header, 8, 2) != record.method || name != record.name.size())
    fail(place, "its header is not that of the archive's directory");
  uint64_t data = record.header + localBytes + name + extra;
  if (data > end || record.length > end - data)
    fail(place, "its data ends after the archive's data");
  if (readBytes(source, record.header + localBytes, name) != record.name)
    fail(place, "its header has another name");
  return {data, record.length};
}
} // namespace

std::string readBytes(const ByteSource &source, uint64_t offset, size_t bytes) {
  std::string text(bytes, '\0');
  if (!source.read(offset, text.data(), bytes))
    fail("", "the file cannot be read: " + systemError(), Status::Io);
  return text;
}

std::map<std::string, ZipEntry, std::less<>>
readZipArchive(const ByteSource &source) {
  Directory directory = findDirectory(source);
  std::string text = readBytes(source, directory.offset, directory.length);
  std::map<std::string, ZipEntry, std::less<>> entries;
  struct Range {
    uint64_t begin, end;
  };
  std::vector<Range> ranges;
  for (size_t at = 0, next = 0; at < text.size(); at = next) {
    Record record = readRecord(text, at, directory.offset + at, next);
    ZipEntry entry = locate(source, record, directory.offset);
    ranges.push_back({record.header, entry.offset + entry.length});
    if (!entries.emplace(record.name, entry).second)
      fail("entry " + quoted(record.name), "the archive has it twice");
  }
  if (entries.size() != directory.entries)
    failAt(directory.offset, "expected " + std::to_string(directory.entries) +
                                 " entries, got " +
                                 std::to_string(entries.size()));
  std::sort(ranges.begin(), ranges.end(),
            [](const Range &a, const Range &b) { return a.begin < b.begin; });
  for (size_t i = 1; i < ranges.size(); ++i)
    if (ranges[i].begin < ranges[i - 1].end)
      failAt(ranges[i].begin, "entries of the archive overlap");
  return entries;
}

} // namespace tenon::hf
