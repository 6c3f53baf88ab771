// One node as its handler sees it: operands as values, attributes with the
// defaults of the op's definition, results to set, errors that name the node.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFNODECONTEXT_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFNODECONTEXT_H

#include "compiler/import/NodeChecks.h"
#include "compiler/import/graph/Fourier.h"
#include "compiler/import/tensorflow/graph/TfGraphImporter.h"

namespace tenon::tf {

class NodeContext : public NodeChecks {
public:
  NodeContext(GraphImporter &importer, const Node &node,
              llvm::ArrayRef<Result> operands)
      : NodeChecks(importer.g, importer.shapes), importer(importer), node(node),
        operands(operands) {}

  GraphImporter &importer;
  const Node &node;

  // Operands. All are usable; handlers that take anything but tensors look at
  // `operand`.
  size_t numInputs() const override { return operands.size(); }
  const Result &operand(size_t i) const { return operands[i]; }
  llvm::ArrayRef<Result> all() const { return operands; }
  mlir::Value input(size_t i) const override {
    return i < operands.size() ? operands[i].value : mlir::Value();
  }

  bool isComplex(size_t i) const {
    return operands[i].kind == Result::Kind::Complex;
  }
  /// The imaginary part of a real operand is null.
  ComplexPair complexInput(size_t i) const {
    return {operands[i].value, operands[i].imaginary};
  }

  // Results.
  void set(size_t i, mlir::Value value) { set(i, Result::tensor(value)); }
  void set(size_t i, const ComplexPair &value) {
    set(i, Result::complex(value.real, value.imaginary));
  }
  void set(size_t i, Result result) {
    if (results.size() <= i)
      results.resize(i + 1);
    results[i] = std::move(result);
  }
  Results results;

  // Attributes; `otherwise` is the default of the op's definition.
  bool hasAttr(llvm::StringRef name) const;
  int64_t intAttr(llvm::StringRef name, int64_t otherwise);
  double floatAttr(llvm::StringRef name, double otherwise);
  bool boolAttr(llvm::StringRef name, bool otherwise);
  std::string stringAttr(llvm::StringRef name, llvm::StringRef otherwise);
  llvm::SmallVector<int64_t> intsAttr(llvm::StringRef name,
                                      llvm::ArrayRef<int64_t> otherwise = {});
  DataType typeAttr(llvm::StringRef name, DataType otherwise);
  /// As an element type; null, after a refusal, where we have none for it.
  mlir::Type elementAttr(llvm::StringRef name, DataType otherwise);
  std::string functionAttr(llvm::StringRef name);

  // Checks that report by themselves.
  /// Operand i is a tensor of real elements.
  llvm::LogicalResult expectTensor(size_t i);
  /// Values of one shape, which nothing repeats: static extents that differ are
  /// an error, others are checked in the run. Then all have the first's sizes.
  llvm::LogicalResult expectOneShape(llvm::MutableArrayRef<mlir::Value> values);

  // Errors.
  llvm::LogicalResult error(const llvm::Twine &text) override;
  llvm::LogicalResult unsupported(const llvm::Twine &what) override;
  std::string site() const override { return importer.placeIn(node); }

private:
  llvm::ArrayRef<Result> operands;

  template <typename T> const T *read(llvm::StringRef name, const char *kind);
};

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFNODECONTEXT_H
