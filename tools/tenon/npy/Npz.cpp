// Reads the directory at the end of a ZIP file. An entry's own header is read
// only to find its data. The header of a packed array is unpacked first,
// because a few bytes may claim to unpack to gigabytes.
#include "tools/tenon/npy/Npz.h"

#include <set>
#include <zlib.h>

namespace tenon::cli {

static constexpr uint32_t endSignature = 0x06054b50;
static constexpr uint32_t entrySignature = 0x02014b50;
static constexpr uint32_t localSignature = 0x04034b50;
static constexpr uint32_t end64Signature = 0x06064b50;
static constexpr size_t endBytes = 22;
static constexpr size_t entryBytes = 46;
static constexpr size_t localBytes = 30;
/// Deflate cannot pack better than about 1032:1; a higher ratio is invalid.
static constexpr uint64_t maxDeflateRatio = 1100;

static uint64_t number(std::string_view file, size_t at, int bytes) {
  uint64_t value = 0;
  for (int i = bytes; i-- > 0;)
    value = value << 8 | uint8_t(file[at + i]);
  return value;
}

static FormatError refuse(size_t at, std::string why) {
  return {"offset " + std::to_string(at), std::move(why)};
}

namespace {
struct Entry {
  std::string name;
  int method = 0;
  int flags = 0;
  uint32_t crc = 0;
  uint64_t packed = 0;
  uint64_t size = 0;
  uint64_t local = 0;
};
} // namespace

/// Reads the ZIP64 extra field of an entry, which holds sizes that do not fit
/// 32 bits.
static bool widen(std::string_view extra, Entry &entry) {
  while (extra.size() >= 4) {
    size_t id = number(extra, 0, 2), length = number(extra, 2, 2);
    if (length > extra.size() - 4)
      return false;
    std::string_view body = extra.substr(4, length);
    extra.remove_prefix(4 + length);
    if (id != 1)
      continue;
    for (uint64_t *field : {&entry.size, &entry.packed, &entry.local})
      if (*field == 0xffffffff) {
        if (body.size() < 8)
          return false;
        *field = number(body, 0, 8);
        body.remove_prefix(8);
      }
  }
  return true;
}

static FormatError findDirectory(std::string_view file, uint64_t &at,
                                 uint64_t &count) {
  if (file.size() < endBytes || number(file, 0, 2) != 0x4b50)
    return refuse(0, "not a .npz file");
  // The record is at the end of the file, before a comment of at most 65535
  // bytes.
  size_t low = file.size() - std::min<size_t>(file.size(), endBytes + 65535);
  for (size_t i = file.size() - endBytes + 1; i-- > low;) {
    if (number(file, i, 4) != endSignature ||
        number(file, i + 20, 2) != file.size() - i - endBytes)
      continue;
    count = number(file, i + 10, 2);
    at = number(file, i + 16, 4);
    if ((at == 0xffffffff || count == 0xffff) && i >= 20) {
      uint64_t end64 = number(file, i - 12, 8);
      if (file.size() < 56 || end64 > file.size() - 56 ||
          number(file, end64, 4) != end64Signature)
        return refuse(i, "no ZIP64 record");
      count = number(file, end64 + 32, 8);
      at = number(file, end64 + 48, 8);
    }
    return {};
  }
  return refuse(file.size(), "no ZIP directory: the file is cut");
}

static FormatError readEntry(std::string_view file, uint64_t &at,
                             Entry &entry) {
  if (at > file.size() || file.size() - at < entryBytes ||
      number(file, at, 4) != entrySignature)
    return refuse(at, "expected a ZIP directory entry");
  entry.flags = number(file, at + 8, 2);
  entry.method = number(file, at + 10, 2);
  entry.crc = number(file, at + 16, 4);
  entry.packed = number(file, at + 20, 4);
  entry.size = number(file, at + 24, 4);
  size_t nameLength = number(file, at + 28, 2);
  size_t extraLength = number(file, at + 30, 2);
  size_t commentLength = number(file, at + 32, 2);
  entry.local = number(file, at + 42, 4);
  if (nameLength + extraLength + commentLength > file.size() - at - entryBytes)
    return refuse(at, "a ZIP directory entry beyond the end of the file");
  entry.name = file.substr(at + entryBytes, nameLength);
  if (!widen(file.substr(at + entryBytes + nameLength, extraLength), entry))
    return refuse(at, "a broken ZIP64 field");
  at += entryBytes + nameLength + extraLength + commentLength;
  return {};
}

/// Finds the packed bytes of an entry and checks its sizes.
static FormatError findPacked(std::string_view file, const Entry &entry,
                              std::string_view &packed) {
  if (entry.flags & 1)
    return {"entry '" + entry.name + "'", "encrypted", true};
  if (entry.method != 0 && entry.method != 8)
    return {"entry '" + entry.name + "'",
            "compression method " + std::to_string(entry.method), true};
  uint64_t at = entry.local;
  if (at > file.size() || file.size() - at < localBytes ||
      number(file, at, 4) != localSignature)
    return refuse(at, "expected a ZIP entry");
  uint64_t skip =
      localBytes + number(file, at + 26, 2) + number(file, at + 28, 2);
  if (skip > file.size() - at || entry.packed > file.size() - at - skip)
    return refuse(at, "a ZIP entry beyond the end of the file");
  packed = file.substr(at + skip, entry.packed);
  if (entry.method == 0 && entry.size != entry.packed)
    return refuse(at, "a stored ZIP entry of two sizes");
  if (entry.method != 0 &&
      (entry.size / maxDeflateRatio > entry.packed + 1 ||
       entry.size > UINT32_MAX || entry.packed > UINT32_MAX))
    return refuse(at, "a ZIP entry of " + std::to_string(entry.size) +
                          " bytes from " + std::to_string(entry.packed));
  return {};
}

/// Unpacks the first `size` bytes of an entry; with `whole` these must be all.
static FormatError unpack(std::string_view packed, const Entry &entry,
                          uint64_t size, bool whole, std::string &data) {
  if (entry.method == 0) {
    data = packed.substr(0, size);
    return {};
  }
  data.resize(size);
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return refuse(entry.local, "out of memory");
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(packed.data()));
  stream.avail_in = packed.size();
  stream.next_out = reinterpret_cast<Bytef *>(data.data());
  stream.avail_out = data.size();
  int result = inflate(&stream, whole ? Z_FINISH : Z_SYNC_FLUSH);
  bool good = stream.total_out == size;
  if (whole)
    good &= result == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  return good ? FormatError() : refuse(entry.local, "broken compressed data");
}

/// Unpacks an entry, the header of its array first.
static FormatError readArray(std::string_view file, const Entry &entry,
                             const ArrayGate &gate, Tensor &tensor,
                             bool &goOn) {
  auto within = [&](FormatError error) {
    error.place = "entry '" + entry.name + "', " + error.place;
    return error;
  };
  std::string_view packed;
  if (FormatError error = findPacked(file, entry, packed))
    return error;
  std::string data;
  uint64_t front = std::min<uint64_t>(entry.size, maxNpyFront), bytes = 0;
  if (FormatError error =
          unpack(packed, entry, front, front == entry.size, data))
    return error;
  if (FormatError error = readNpyHeader(data, tensor, bytes))
    return within(std::move(error));
  if (bytes != entry.size)
    return within({"offset 0", "expected " + std::to_string(bytes) +
                                   " bytes for " +
                                   typeText(tensor.dtype, tensor.dims) +
                                   ", got " + std::to_string(entry.size)});
  // Twice the size: for the unpacked file and for the tensor made from it.
  goOn = !gate || gate(tensor, 2 * bytes);
  if (!goOn)
    return {};
  if (FormatError error = unpack(packed, entry, bytes, /*whole=*/true, data))
    return error;
  uint32_t crc =
      crc32_z(0, reinterpret_cast<const Bytef *>(data.data()), data.size());
  if (crc != entry.crc)
    return refuse(entry.local, "the checksum of entry '" + entry.name +
                                   "' does not match its data");
  if (FormatError error = readNpy(data, tensor))
    return within(std::move(error));
  return {};
}

FormatError readNpz(std::string_view file, std::vector<Tensor> &tensors,
                    const ArrayGate &gate) {
  uint64_t at = 0, count = 0;
  if (FormatError error = findDirectory(file, at, count))
    return error;
  std::set<std::string> names;
  for (uint64_t i = 0; i < count; ++i) {
    Entry entry;
    if (FormatError error = readEntry(file, at, entry))
      return error;
    std::string name = entry.name;
    if (name.ends_with(".npy"))
      name.resize(name.size() - 4);
    if (!names.insert(name).second)
      return {"entry '" + entry.name + "'", "stands twice"};
    Tensor tensor;
    tensor.name = name;
    bool goOn = true;
    if (FormatError error = readArray(file, entry, gate, tensor, goOn))
      return error;
    if (!goOn)
      return {};
    tensors.push_back(std::move(tensor));
  }
  return {};
}

static void put(std::string &file, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i)
    file += static_cast<char>(value >> (8 * i));
}

std::string writeNpz(const std::vector<Tensor> &tensors) {
  std::string file, directory;
  for (const Tensor &tensor : tensors) {
    std::string data = writeNpy(tensor);
    std::string name = tensor.name + ".npy";
    uint64_t local = file.size();
    if (local + data.size() + directory.size() > UINT32_MAX - (1 << 20) ||
        name.size() > UINT16_MAX || tensors.size() > UINT16_MAX - 1)
      return {};
    uint32_t crc =
        crc32_z(0, reinterpret_cast<const Bytef *>(data.data()), data.size());
    // Version 2.0, UTF-8 names, stored. The date is 1980-01-01, so that equal
    // arrays give equal files.
    std::string shared;
    put(shared, 20, 2);
    put(shared, 1 << 11, 2);
    put(shared, 0, 2);
    put(shared, 0, 2);
    put(shared, 0x21, 2);
    put(shared, crc, 4);
    put(shared, data.size(), 4);
    put(shared, data.size(), 4);
    put(shared, name.size(), 2);
    put(shared, 0, 2);
    put(file, localSignature, 4);
    file += shared + name + data;
    put(directory, entrySignature, 4);
    put(directory, 20, 2);
    directory += shared;
    put(directory, 0, 2);
    put(directory, 0, 2);
    put(directory, 0, 2);
    put(directory, 0, 4);
    put(directory, local, 4);
    directory += name;
  }
  uint64_t start = file.size();
  file += directory;
  put(file, endSignature, 4);
  put(file, 0, 2);
  put(file, 0, 2);
  put(file, tensors.size(), 2);
  put(file, tensors.size(), 2);
  put(file, directory.size(), 4);
  put(file, start, 4);
  put(file, 0, 2);
  return file;
}

} // namespace tenon::cli
