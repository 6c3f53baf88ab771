// One node as its handler uses it: operands as values, attributes with the
// defaults of the op's definition, results to set, and errors that name the
// node.
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

  // Operands. None is Nothing. Handlers that accept other kinds than tensors
  // use `operand`.
  size_t numInputs() const override { return operands.size(); }
  const Result &operand(size_t i) const { return operands[i]; }
  llvm::ArrayRef<Result> all() const { return operands; }
  mlir::Value input(size_t i) const override {
    return i < operands.size() ? operands[i].value : mlir::Value();
  }

  bool isComplex(size_t i) const {
    return operands[i].kind == Result::Kind::Complex;
  }
  /// Operand i as a complex number; the imaginary part of a real one is null.
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
  /// The element type that the attribute names; null, after an unsupported use
  /// is recorded, if it is not supported.
  mlir::Type elementAttr(llvm::StringRef name, DataType otherwise);
  std::string functionAttr(llvm::StringRef name);

  // Checks that report their own errors.
  /// Checks that operand i is a tensor of real elements.
  llvm::LogicalResult expectTensor(size_t i);
  /// Requires the values to have one shape, without broadcasting. Static
  /// extents that differ are an error, others are checked at run time. Then all
  /// values have the sizes of the first.
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
