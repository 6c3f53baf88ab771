// The variables of a checkpoint: an index, which is a table of LevelDB, and
// shards of raw bytes. The index is read at once; a tensor's bytes are checked
// when it is asked for, and stay in their file.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_READER_TENSORBUNDLE_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_READER_TENSORBUNDLE_H

#include "compiler/files/FileRoot.h"
#include "compiler/import/tensorflow/reader/TfModel.h"

namespace tenon::tf {

class TensorBundle {
public:
  /// `prefix` is `variables/variables`, in `root`. Shards that are used are
  /// appended to `files`. Throws ReadFailure and FileError.
  TensorBundle(std::shared_ptr<FileRoot> root, std::string prefix,
               std::vector<ModelFile> &files);

  bool contains(const std::string &key) const { return entries.count(key); }

  /// The type and shape of a tensor that is there.
  DataType typeOf(const std::string &key) const { return entries.at(key).type; }

  /// The elements of a tensor that is there; 0 where its shape is damaged.
  int64_t numElements(const std::string &key) const;

  /// The text of a scalar string that is there. Throws ReadFailure and
  /// FileError.
  std::string text(const std::string &key);

  /// Where a tensor's bytes lie, its checksum verified. Throws ReadFailure and
  /// FileError.
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
  /// The shard of an entry that lies within it.
  uint32_t shardOf(const Entry &entry, const std::string &place);

  std::shared_ptr<FileRoot> root;
  std::string prefix;
  std::vector<ModelFile> &files;
  int64_t shards = 0;
  std::map<std::string, Entry> entries;
  std::map<int64_t, uint32_t> opened; ///< shard to its place in files
};

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_READER_TENSORBUNDLE_H
