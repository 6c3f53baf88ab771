// Opens the files of a checkpoint folder and checks them one by one, so that
// each message names its file.
#include "compiler/import/huggingface/reader/Checkpoint.h"

#include "compiler/files/FileRoot.h"
#include "compiler/files/ReaderBoundary.h"
#include "compiler/import/huggingface/reader/ConfigReader.h"
#include "compiler/import/huggingface/reader/PytorchFile.h"
#include "compiler/import/huggingface/reader/SoundFeatures.h"
#include "compiler/import/huggingface/reader/TokenPieces.h"

#include <set>
#include <sys/stat.h>
#include <tuple>

namespace tenon {
namespace hf {
namespace {

constexpr const char *configName = "config.json";
constexpr const char *generationName = "generation_config.json";
constexpr const char *preprocessorName = "preprocessor_config.json";
constexpr const char *processorName = "processor_config.json";
constexpr const char *otherPickle = "consolidated.00.pth";
constexpr const char *vocabularyName = "vocab.json";
constexpr const char *tokenizerName = "tokenizer.json";
constexpr uint64_t maxVocabularyBytes = uint64_t(64) << 20;
/// As much as the default of an input may have.
constexpr size_t maxPieceBytes = size_t(1) << 20;
constexpr uint64_t maxConfigBytes = uint64_t(16) << 20;
constexpr size_t maxShards = 10'000;
/// The number of files that stay open. More are opened again for each read, so
/// that a process's limit on open files is not exceeded.
constexpr size_t maxHeldOpen = 64;

bool exists(const std::string &path) {
  struct stat found;
  return lstat(path.c_str(), &found) == 0;
}

bool isLink(const std::string &path) {
  struct stat found;
  return lstat(path.c_str(), &found) == 0 && S_ISLNK(found.st_mode);
}

std::string withoutSlashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/'))
    path.pop_back();
  return path;
}

/// A form of weights: the names of its files and their reader.
struct WeightForm {
  const char *name;
  const char *index; ///< if there are several files
  std::vector<StoredTensor> (*read)(const OpenFile &file);
};
/// The first form that a folder has is read.
constexpr WeightForm weightForms[] = {
    {"model.safetensors", "model.safetensors.index.json", readSafetensors},
    {"pytorch_model.bin", "pytorch_model.bin.index.json", readPytorchFile}};

/// Reads one folder. The files of the hub's cache are links out of the folder
/// into a folder of blobs, which the link of config.json leads to.
class FolderReader {
public:
  FolderReader(Checkpoint &checkpoint, const DiagnosticHandler &report)
      : checkpoint(checkpoint), report(report),
        folder(withoutSlashes(checkpoint.path)) {}

  bool read() { return readConfigs() && readWeights() && checkUnchanged(); }

private:
  std::string pathOf(const std::string &name) const {
    return folder + "/" + name;
  }

  /// Opens a file of the folder and keeps it. Throws FileError.
  size_t open(const std::string &name) {
    checkRelativeName(name);
    std::shared_ptr<FileRoot> &root = isLink(pathOf(name)) ? blobs : ownFiles;
    if (!root)
      root = &root == &blobs ? FileRoot::ofModel(pathOf(configName))
                             : std::make_shared<FileRoot>(folder, folder);
    if (!root)
      throw FileError{Status::Io, "the file has been removed"};
    std::shared_ptr<OpenFile> file = root->open(name);
    if (checkpoint.files.size() >= maxHeldOpen)
      file->releaseDescriptor([root = root, beneath = root->resolve(name)] {
        return root->reopen(beneath);
      });
    checkpoint.files.push_back({pathOf(name), std::move(file)});
    return checkpoint.files.size() - 1;
  }

  Json readJson(const std::string &name, uint64_t mostBytes) {
    const OpenFile &file = *checkpoint.files[open(name)].file;
    if (file.size() > mostBytes)
      fail("",
           "expected at most " + std::to_string(mostBytes) + " bytes, got " +
               std::to_string(file.size()),
           Status::Limit);
    std::string text(file.size(), '\0');
    if (!file.read(0, text.data(), text.size()))
      fail("", "the file cannot be read: " + systemError(), Status::Io);
    return parseJson(text);
  }

  /// Reads config.json and generation_config.json. Without the latter, the
  /// former has the defaults of generation.
  bool readConfigs() {
    bool hasGeneration = exists(pathOf(generationName));
    Json config;
    bool done = ReaderBoundary(pathOf(configName), report).run([&] {
      config = readJson(configName, maxConfigBytes);
      checkpoint.config = readConfig(config);
      if (!hasGeneration)
        checkpoint.generation = readGeneration(config, config);
    });
    if (done && hasGeneration)
      done = ReaderBoundary(pathOf(generationName), report).run([&] {
        checkpoint.generation =
            readGeneration(readJson(generationName, maxConfigBytes), config);
      });
    return done && checkFeatures() && readPieces();
  }

  /// Checks both files that may have settings of features. Transformers 4
  /// reads the first one; 5 reads the second one if it has them.
  bool checkFeatures() {
    const auto *speech = std::get_if<WhisperConfig>(&checkpoint.config.model);
    bool done = true;
    if (speech && exists(pathOf(preprocessorName)))
      done = ReaderBoundary(pathOf(preprocessorName), report).run([&] {
        Json json = readJson(preprocessorName, maxConfigBytes);
        checkSoundFeatures(ConfigReader(json), *speech);
      });
    if (done && speech && exists(pathOf(processorName)))
      done = ReaderBoundary(pathOf(processorName), report).run([&] {
        Json json = readJson(processorName, maxConfigBytes);
        ConfigReader processor(json);
        if (processor.has("feature_extractor"))
          checkSoundFeatures(processor.object("feature_extractor"), *speech);
      });
    return done;
  }

  /// Reads the texts of a speech model's tokens, if the folder has them.
  bool readPieces() {
    const char *name =
        exists(pathOf(vocabularyName)) ? vocabularyName : tokenizerName;
    if (!checkpoint.generation.speech || !exists(pathOf(name)))
      return true;
    return ReaderBoundary(pathOf(name), report).run([&] {
      Json json = readJson(name, maxVocabularyBytes);
      const Json *vocabulary = &json;
      if (name == tokenizerName) {
        const Json *model = json.find("model");
        vocabulary = model ? model->find("vocab") : nullptr;
      }
      // A list of tokens is no byte-level vocabulary.
      if (vocabulary && vocabulary->get<JsonObject>())
        checkpoint.generation.speech->pieces =
            makeTokenPieces(*vocabulary, maxPieceBytes);
    });
  }

  /// `config` is config.json.
  GenerationConfig readGeneration(const Json &json, const Json &config) const {
    GenerationConfig result = readGenerationConfig(json, &config);
    if (std::holds_alternative<WhisperConfig>(checkpoint.config.model))
      result.speech = readSpeechTokens(json, config);
    if (checkpoint.config.hasEncoder())
      checkPromptTokens(result, checkpoint.config.vocabulary());
    return result;
  }

  bool readWeights() {
    for (const WeightForm &form : weightForms) {
      if (exists(pathOf(form.name)))
        return readShard(form, form.name, nullptr);
      if (exists(pathOf(form.index)))
        return readShards(form);
    }
    ReadFailure failure{
        Status::InvalidModel, "",
        std::string("the folder has neither ") + weightForms[0].name + " nor " +
            weightForms[0].index + ", nor " + weightForms[1].name};
    if (exists(pathOf(otherPickle))) {
      failure.status = Status::Unsupported;
      failure.text = std::string("its weights are in ") + otherPickle +
                     ", which Transformers does not read";
      failure.help = "save the model again as safetensors";
    }
    return ReaderBoundary(checkpoint.path, report).run([&] { throw failure; });
  }

  using WeightMap = std::map<std::string, std::string>;

  /// Reads a file of weights. With a map, its tensors must be those that the
  /// map places there.
  bool readShard(const WeightForm &form, const std::string &name,
                 const WeightMap *map) {
    return ReaderBoundary(pathOf(name), report).run([&] {
      size_t file = open(name);
      for (StoredTensor &tensor : form.read(*checkpoint.files[file].file)) {
        std::string key = tensor.name;
        if (map) {
          auto placed = map->find(key);
          if (placed == map->end() || placed->second != name)
            fail("tensor " + quoted(key),
                 placed == map->end()
                     ? std::string(form.index) + " does not list it"
                     : std::string(form.index) + " places it in " +
                           quoted(placed->second));
        }
        checkpoint.tensors[key] = {std::move(tensor), file};
      }
    });
  }

  bool readShards(const WeightForm &form) {
    WeightMap map;
    std::set<std::string> shards;
    std::optional<int64_t> totalBytes;
    ReaderBoundary boundary(pathOf(form.index), report);
    bool done = boundary.run([&] {
      Json index = readJson(form.index, maxHeaderBytes);
      readIndex(ConfigReader(index), map, totalBytes);
      for (const auto &[tensor, shard] : map)
        shards.insert(shard);
      if (shards.size() > maxShards)
        fail("",
             "expected at most " + std::to_string(maxShards) + " files, got " +
                 std::to_string(shards.size()),
             Status::Limit);
    });
    for (const std::string &shard : shards)
      if (!done || !readShard(form, shard, &map))
        return false;
    return done && boundary.run([&] { checkShards(map, totalBytes); });
  }

  static void readIndex(const ConfigReader &index, WeightMap &map,
                        std::optional<int64_t> &totalBytes) {
    const Json *placed = index.find("weight_map");
    const auto *members = placed ? placed->get<JsonObject>() : nullptr;
    if (!members || members->empty())
      fail(index.place("weight_map"),
           "expected an object with a file for each tensor");
    for (const auto &[tensor, shard] : *members) {
      const auto *name = shard.get<std::string>();
      if (!name)
        fail(index.place("weight_map"), "expected the name of a file for " +
                                            quoted(tensor) + ", got " +
                                            spell(shard));
      checkRelativeName(*name);
      map[tensor] = *name;
    }
    if (index.has("metadata")) {
      ConfigReader metadata = index.object("metadata");
      if (metadata.has("total_size"))
        totalBytes = metadata.integer("total_size", 0, INT64_MAX);
    }
  }

  void checkShards(const WeightMap &map,
                   const std::optional<int64_t> &totalBytes) const {
    uint64_t bytes = 0, uniqueBytes = 0;
    std::set<std::tuple<size_t, uint64_t, uint64_t>> ranges;
    for (const auto &[name, shard] : map) {
      const CheckpointTensor *tensor = checkpoint.find(name);
      if (!tensor)
        fail("tensor " + quoted(name), "it is not in " + quoted(shard));
      bytes += tensor->stored.length;
      // Tensors of a pickle may share their bytes. Some writers count them
      // once.
      if (ranges
              .insert(
                  {tensor->file, tensor->stored.offset, tensor->stored.length})
              .second)
        uniqueBytes += tensor->stored.length;
    }
    if (totalBytes && uint64_t(*totalBytes) != bytes &&
        uint64_t(*totalBytes) != uniqueBytes)
      fail("\"metadata.total_size\"", "expected the " + std::to_string(bytes) +
                                          " bytes of all tensors, got " +
                                          std::to_string(*totalBytes));
  }

  bool checkUnchanged() const {
    for (const CheckpointFile &file : checkpoint.files)
      if (!ReaderBoundary(file.path, report).run([&] {
            if (!file.file->unchanged())
              fail("", "the file changed while it was read", Status::Io);
          }))
        return false;
    return true;
  }

  Checkpoint &checkpoint;
  const DiagnosticHandler &report;
  std::string folder;
  std::shared_ptr<FileRoot> ownFiles; ///< for files in the folder
  std::shared_ptr<FileRoot> blobs;    ///< for links out of it
};
} // namespace

const CheckpointTensor *Checkpoint::find(std::string_view name) const {
  auto found = tensors.find(name);
  return found == tensors.end() ? nullptr : &found->second;
}

std::optional<std::vector<std::byte>>
Checkpoint::bytes(const CheckpointTensor &tensor) const {
  std::vector<std::byte> bytes(tensor.stored.length);
  if (!files[tensor.file].file->read(tensor.stored.offset, bytes.data(),
                                     bytes.size()))
    return std::nullopt;
  return bytes;
}

} // namespace hf

bool isCheckpointFolder(const std::string &path) {
  return hf::exists(path + "/" + hf::configName) &&
         !hf::exists(path + "/saved_model.pb");
}

std::unique_ptr<hf::Checkpoint>
readCheckpoint(const std::string &path, const DiagnosticHandler &report) {
  auto checkpoint = std::make_unique<hf::Checkpoint>();
  checkpoint->path = path;
  bool done = hf::FolderReader(*checkpoint, report).read();
  return done ? std::move(checkpoint) : nullptr;
}

} // namespace tenon
