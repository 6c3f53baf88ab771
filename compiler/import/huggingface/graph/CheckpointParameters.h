// The tensors of a checkpoint as weights of a module, and what is wrong with
// them.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GRAPH_CHECKPOINTPARAMETERS_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GRAPH_CHECKPOINTPARAMETERS_H

#include "compiler/import/ModelImporter.h"
#include "compiler/import/huggingface/blocks/Part.h"
#include "compiler/import/huggingface/reader/Checkpoint.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <functional>

namespace tenon::hf {

class CheckpointParameters : public Parameters {
public:
  /// Makes a weight or a constant of a tensor of the checkpoint.
  using Maker = std::function<mlir::Value(const CheckpointTensor &tensor,
                                          mlir::RankedTensorType type)>;

  CheckpointParameters(const Checkpoint &checkpoint, GraphBuilder &g,
                       Maker make)
      : checkpoint(checkpoint), g(g), make(std::move(make)) {}

  mlir::Value get(llvm::StringRef name, llvm::ArrayRef<int64_t> shape) override;
  bool has(llvm::StringRef name) const override {
    return checkpoint.find(name.str()) != nullptr;
  }
  void ignore(llvm::StringRef name) override { known.insert(name); }

  /// Prepares for another entry, which has its own values of the same weights.
  void beginEntry() { values.clear(); }

  /// One line for each tensor that is missing or misshapen.
  const std::vector<std::string> &mistakes() const { return wrong; }
  /// Tensors that were asked for and whose element type is not supported, with
  /// the type.
  const std::vector<std::pair<std::string, std::string>> &unsupported() const {
    return unsupportedTypes;
  }
  /// The names of tensors that nobody asked for or ignored.
  std::vector<std::string> unused() const;

private:
  mlir::Type elementOf(const StoredTensor &tensor);
  /// Stands in for a wrong tensor until the error is reported.
  mlir::Value standIn(llvm::ArrayRef<int64_t> shape);

  const Checkpoint &checkpoint;
  GraphBuilder &g;
  Maker make;
  llvm::StringMap<mlir::Value> values; ///< of the entry under construction
  llvm::StringMap<mlir::Operation *> definitions; ///< in the first entry
  llvm::StringSet<> standIns;                     ///< reported
  llvm::StringSet<> known;                        ///< asked for or ignored
  std::vector<std::string> wrong;
  std::vector<std::pair<std::string, std::string>> unsupportedTypes;
};

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GRAPH_CHECKPOINTPARAMETERS_H
