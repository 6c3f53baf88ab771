// Small checkpoints written by hand, and what importing them gives.
#ifndef TENON_TEST_HUGGINGFACE_IMPORTFOLDER_H
#define TENON_TEST_HUGGINGFACE_IMPORTFOLDER_H

#include "test/huggingface/CheckpointFolder.h"

#include "compiler/formats/ModelLoader.h"
#include "compiler/import/ModelImporter.h"

#include "mlir/IR/Verifier.h"

namespace tenon::test {

class ImportFolder : public CheckpointFolder {
protected:
  ImportFolder() { loadImportDialects(context); }

  /// Adds a tensor of zeros to the file of weights.
  void add(const std::string &name, std::vector<int64_t> shape) {
    size_t begin = dataBytes, count = 1;
    std::string extents;
    for (int64_t extent : shape) {
      count *= size_t(extent);
      extents += (extents.empty() ? "" : ",") + std::to_string(extent);
    }
    dataBytes += 4 * count;
    header += (header.empty() ? "{\"" : ",\"") + name +
              "\":{\"dtype\":\"F32\",\"shape\":[" + extents +
              "],\"data_offsets\":[" + std::to_string(begin) + "," +
              std::to_string(dataBytes) + "]}";
  }

  /// Writes the weights that were added, and config.json.
  void writeModel(const std::string &config) {
    header += "}";
    write("config.json", config);
    write("model.safetensors", weights());
  }
  std::string weights() const { return safetensors(header, dataBytes); }

  /// Imports the folder; null after an error. A module that is imported
  /// verifies. `said` gets what is reported.
  mlir::OwningOpRef<mlir::ModuleOp> import(CompileOptions options = {}) {
    options.input = root.string();
    said.clear();
    LoadedModel loaded = loadModel(context, options, [&](const Diagnostic &d) {
      said += formatDiagnostic(d);
    });
    status = loaded.status;
    if (loaded.module)
      EXPECT_TRUE(succeeded(mlir::verify(*loaded.module)));
    EXPECT_EQ(bool(loaded.module), status == Status::Success);
    return std::move(loaded.module);
  }

  std::string header, said;
  Status status = Status::Success;
  size_t dataBytes = 0;
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
};

} // namespace tenon::test

#endif // TENON_TEST_HUGGINGFACE_IMPORTFOLDER_H
