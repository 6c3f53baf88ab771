// LevelDB reads the index and verifies its checksums. The entries are then
// checked against the files of the shards.
#include "compiler/import/tensorflow/reader/TensorBundle.h"

#include "compiler/files/Crc32c.h"
#include "compiler/files/ReadFailure.h"
#include "compiler/import/tensorflow/reader/TfDecoder.h"

#include <leveldb/env.h>
#include <leveldb/iterator.h>
#include <leveldb/options.h>
#include <leveldb/table.h>

#include <algorithm>
#include <cstring>

namespace tenon::tf {

constexpr uint64_t maxIndexBytes = uint64_t(256) << 20;
constexpr int64_t maxShards = 65536;

namespace {
/// A mapped file in the form that LevelDB reads.
class TableFile : public leveldb::RandomAccessFile {
public:
  explicit TableFile(std::span<const std::byte> bytes) : bytes(bytes) {}

  leveldb::Status Read(uint64_t offset, size_t n, leveldb::Slice *result,
                       char *) const override {
    if (offset > bytes.size() || n > bytes.size() - offset)
      return leveldb::Status::Corruption("a block lies beyond the file's end");
    *result = leveldb::Slice(
        reinterpret_cast<const char *>(bytes.data()) + offset, n);
    return leveldb::Status::OK();
  }

private:
  std::span<const std::byte> bytes;
};

/// Parses a small message without the envelope check: the table's checksums
/// cover its bytes, and protobuf limits its depth.
template <typename Message>
Message parse(leveldb::Slice bytes, const std::string &place) {
  Message message;
  if (!message.ParseFromArray(bytes.data(), int(bytes.size())))
    fail(place, "the index is damaged: an entry is not of its format");
  return message;
}
} // namespace

TensorBundle::TensorBundle(std::shared_ptr<FileRoot> root, std::string prefix,
                           std::vector<ModelFile> &files)
    : root(std::move(root)), prefix(std::move(prefix)), files(files) {
  readIndex();
}

void TensorBundle::readIndex() {
  std::string name = prefix + ".index";
  std::shared_ptr<OpenFile> file = root->open(name);
  if (file->size() > maxIndexBytes)
    fail(name, "expected an index of at most 256 MiB", Status::Limit);
  std::span<const std::byte> bytes = file->map();
  // LevelDB assumes that a block has the size in its handle; paranoid_checks
  // verifies checksums, too.
  TableFile access(bytes);
  leveldb::Options options;
  options.paranoid_checks = true;
  leveldb::Table *opened = nullptr;
  leveldb::Status status =
      leveldb::Table::Open(options, &access, bytes.size(), &opened);
  if (!status.ok())
    fail(name, "the index is damaged: " + status.ToString());
  std::unique_ptr<leveldb::Table> table(opened);
  leveldb::ReadOptions reading;
  reading.verify_checksums = true;
  std::unique_ptr<leveldb::Iterator> it(table->NewIterator(reading));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    std::string key = it->key().ToString();
    if (key.empty()) {
      auto header = parse<proto::BundleHeader>(it->value(), name);
      shards = header.num_shards();
      if (header.endianness() != 0)
        fail(name,
             "expected little-endian tensors (0), got " +
                 std::to_string(header.endianness()),
             header.endianness() == 1 ? Status::Unsupported
                                      : Status::InvalidModel);
      if (shards < 1 || shards > maxShards)
        fail(name, "expected 1 to " + std::to_string(maxShards) +
                       " shards, got " + std::to_string(shards));
      continue;
    }
    auto from = parse<proto::BundleEntry>(it->value(), name);
    Entry entry;
    std::string place = "variable " + quoted(key);
    entry.type = decodeType(from.dtype(), place);
    entry.dims = decodeShape(from.shape(), place).dims;
    entry.shard = from.shard_id();
    entry.offset = from.offset();
    entry.size = from.size();
    entry.crc = from.crc32c();
    entry.isSliced = from.slices_size() > 0;
    entries[key] = std::move(entry);
  }
  if (!it->status().ok())
    fail(name, "the index is damaged: " + it->status().ToString());
  if (shards == 0)
    fail(name, "the index has no header");
  it.reset();
  table.reset();
  file->unmap();
  if (!file->unchanged())
    fail(name, "the file changed while it was read", Status::Io);
}

int64_t TensorBundle::numElements(const std::string &key) const {
  int64_t count = 1;
  for (int64_t dim : entries.at(key).dims)
    if (dim < 0 || __builtin_mul_overflow(count, dim, &count))
      return 0;
  return count;
}

uint32_t TensorBundle::openShard(int64_t shard) {
  auto [found, isNew] = opened.try_emplace(shard, uint32_t(files.size()));
  if (isNew) {
    char suffix[40];
    std::snprintf(suffix, sizeof suffix, ".data-%05d-of-%05d", int(shard),
                  int(shards));
    std::string name = prefix + suffix;
    std::shared_ptr<OpenFile> file;
    try {
      file = root->open(name);
    } catch (const FileError &) {
      opened.erase(found);
      throw;
    }
    files.push_back({root->join(name), file});
  }
  return opened.at(shard);
}

uint32_t TensorBundle::shardOf(const Entry &entry, const std::string &place) {
  if (entry.shard < 0 || entry.shard >= shards)
    fail(place, "expected a shard below " + std::to_string(shards) + ", got " +
                    std::to_string(entry.shard));
  uint32_t file = openShard(entry.shard);
  uint64_t size = files[file].file->size();
  if (entry.offset < 0 || uint64_t(entry.offset) > size ||
      uint64_t(entry.size) > size - uint64_t(entry.offset))
    fail(place, "its bytes lie beyond the end of " + files[file].path);
  return file;
}

std::string TensorBundle::text(const std::string &key) {
  const Entry &entry = entries.at(key);
  std::string place = "variable " + quoted(key);
  // The layout: the text's length as a varint, its checksum, the text.
  constexpr int64_t maxPrefix = 10 + 4;
  if (entry.type != DataType::String || !entry.dims.empty() || entry.size < 5 ||
      uint64_t(entry.size) > maxIndexBytes)
    fail(place, "expected one string");
  uint32_t file = shardOf(entry, place);
  std::string bytes(size_t(entry.size), 0);
  if (!files[file].file->read(uint64_t(entry.offset),
                              reinterpret_cast<std::byte *>(bytes.data()),
                              bytes.size()))
    fail(place, "cannot read " + files[file].path, Status::Io);
  uint64_t length = 0;
  size_t at = 0;
  for (int shift = 0; at < bytes.size() && shift < 64; shift += 7) {
    uint64_t byte = uint8_t(bytes[at++]);
    length |= (byte & 127) << shift;
    if (byte < 128)
      break;
  }
  if (int64_t(at + 4) > maxPrefix || bytes.size() < at + 4 ||
      length != bytes.size() - at - 4)
    fail(place, "expected a text of its entry's size");
  return bytes.substr(at + 4);
}

Tensor TensorBundle::tensor(const std::string &key) {
  const Entry &entry = entries.at(key);
  std::string place = "variable " + quoted(key);
  if (entry.isSliced)
    fail(place, "variables saved in slices are not supported",
         Status::Unsupported);
  unsigned size = elementSize(entry.type);
  if (size == 0)
    fail(place,
         "variables of " + dataTypeName(entry.type) + " are not supported",
         Status::Unsupported);
  uint64_t bytes = checkedBytes(entry.dims, size, place);
  if (entry.size < 0 || uint64_t(entry.size) != bytes)
    fail(place, "expected " + std::to_string(bytes) + " bytes, got " +
                    std::to_string(entry.size));
  uint32_t file = shardOf(entry, place);
  const OpenFile &data = *files[file].file;
  std::vector<std::byte> piece(std::min<uint64_t>(bytes, 1 << 20));
  uint32_t crc = 0;
  for (uint64_t at = 0; at < bytes; at += piece.size()) {
    uint64_t now = std::min<uint64_t>(piece.size(), bytes - at);
    if (!data.read(uint64_t(entry.offset) + at, piece.data(), now))
      fail(place, "cannot read " + files[file].path, Status::Io);
    crc = crc32c({piece.data(), now}, crc);
  }
  if (maskedCrc32c(crc) != entry.crc)
    fail(place, "its checksum is not that of its bytes: " + files[file].path +
                    " is damaged");
  Tensor result;
  result.type = entry.type;
  result.dims = entry.dims;
  result.payload = FileRange{file, uint64_t(entry.offset), bytes};
  return result;
}

} // namespace tenon::tf
