// The variables of a checkpoint: an index, which is a LevelDB table, and shards
// of raw bytes. The whole index is read when the bundle is opened. The bytes of
// a tensor are checked when it is requested, and stay in their file.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_READER_TENSORBUNDLE_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_READER_TENSORBUNDLE_H

#include "compiler/files/FileRoot.h"
#include "compiler/import/tensorflow/reader/TfModel.h"

namespace tenon::tf {

class TensorBundle {
public:
  /// `prefix` is the path in `root` without suffix, such as
  /// `variables/variables`. Appends the shards that are used to `files`. Throws
  /// ReadFailure and FileError.
  TensorBundle(std::shared_ptr<FileRoot> root, std::string prefix,
               std::vector<ModelFile> &files);

  bool contains(const std::string &key) const { return entries.count(key); }

  /// The element type of the tensor `key`, which must exist.
  DataType typeOf(const std::string &key) const { return entries.at(key).type; }

  /// The number of elements of the tensor `key`, which must exist; 0 if its
  /// shape is invalid.
  int64_t numElements(const std::string &key) const;

  /// The text of the scalar string `key`, which must exist. Throws ReadFailure
  /// and FileError.
  std::string text(const std::string &key);

  /// The tensor `key` with its range in a file, after verifying its checksum.
  /// Throws ReadFailure and FileError.
  Tensor tensor(const std::string &key);

private:
  struct Entry {
    DataType type = DataType::Invalid;
    std::vector<int64_t> dims;
    int64_t shard = 0, offset = 0, size = 0;
    uint32_t crc = 0;
    bool isSliced = false;
  };

  void readIndex();
  uint32_t openShard(int64_t shard);
  /// The index in `files` of the shard of `entry`, which must lie within it.
  uint32_t shardOf(const Entry &entry, const std::string &place);

  std::shared_ptr<FileRoot> root;
  std::string prefix;
  std::vector<ModelFile> &files;
  int64_t shards = 0;
  std::map<std::string, Entry> entries;
  std::map<int64_t, uint32_t> opened; ///< shard number to its index in files
};

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_READER_TENSORBUNDLE_H
