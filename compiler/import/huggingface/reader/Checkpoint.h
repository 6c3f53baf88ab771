// A checkpoint folder as read: its configuration, and the place of each tensor.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_READER_CHECKPOINT_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_READER_CHECKPOINT_H

#include "compiler/files/OpenFile.h"
#include "compiler/import/huggingface/reader/Config.h"
#include "compiler/import/huggingface/reader/GenerationConfig.h"
#include "compiler/import/huggingface/reader/Safetensors.h"
#include "compiler/report/Diagnostic.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tenon::hf {

struct CheckpointFile {
  std::string path; ///< as in messages
  std::shared_ptr<OpenFile> file;
};

struct CheckpointTensor {
  StoredTensor stored;
  size_t file = 0; ///< index into Checkpoint::files
};

struct Checkpoint {
  std::string path; ///< the folder, as the user named it
  Config config;
  GenerationConfig generation;
  std::vector<CheckpointFile> files; ///< config.json first
  std::map<std::string, CheckpointTensor, std::less<>> tensors;

  const CheckpointTensor *find(std::string_view name) const;
  /// The bytes of a tensor. Nullopt if they can no longer be read.
  std::optional<std::vector<std::byte>> bytes(const CheckpointTensor &) const;
};

} // namespace tenon::hf

namespace tenon {

/// True for a folder with a config.json that is no SavedModel.
bool isCheckpointFolder(const std::string &path);

/// Reads the folder `path`. Null after at least one error was reported. Weights
/// are not read.
std::unique_ptr<hf::Checkpoint> readCheckpoint(const std::string &path,
                                               const DiagnosticHandler &report);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_READER_CHECKPOINT_H
