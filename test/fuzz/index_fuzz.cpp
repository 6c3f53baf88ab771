// libFuzzer on the index of a checkpoint's files. The first byte says which
// kind of index the others are; its files are there, and lie in one folder.
#include "compiler/import/huggingface/reader/Checkpoint.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

static std::filesystem::path folder;

static void write(const char *name, std::string_view text) {
  std::ofstream(folder / name, std::ios::binary) << text;
}

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  std::string name =
      (std::filesystem::temp_directory_path() / "index-fuzz-XXXXXX").string();
  if (!mkdtemp(name.data()))
    abort();
  folder = name;
  std::atexit([] { std::filesystem::remove_all(folder); });
  write("config.json", R"({"model_type": "gpt2", "vocab_size": 8,
    "n_positions": 8, "n_embd": 8, "n_layer": 1, "n_head": 1})");
  std::string header =
      R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  std::string length(8, '\0');
  length[0] = char(header.size());
  write("one", length + header + "1234");
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  const char *name = data[0] % 2 ? "model.safetensors.index.json"
                                 : "pytorch_model.bin.index.json";
  write(name, {reinterpret_cast<const char *>(data) + 1, size - 1});
  auto checkpoint =
      tenon::readCheckpoint(folder, [](const tenon::Diagnostic &found) {
        if (found.status == tenon::Status::Internal)
          abort();
      });
  // Only the files of the index may be open.
  if (checkpoint && checkpoint->files.size() != 3)
    abort();
  std::filesystem::remove(folder / name);
  return 0;
}
