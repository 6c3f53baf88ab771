// One node as its handler sees it: operands as values, attributes with the
// defaults of the op's definition, results to set, errors that name the node.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_TFNODECONTEXT_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_TFNODECONTEXT_H

#include "compiler/import/tensorflow/TfGraphImporter.h"

namespace tenon::tf {

class NodeContext {
public:
  NodeContext(GraphImporter &importer, const Node &node,
              llvm::ArrayRef<Result> operands)
      : importer(importer), g(importer.g), shapes(importer.shapes), node(node),
        operands(operands) {}

  GraphImporter &importer;
  GraphBuilder &g;
  ShapeValues &shapes;
  const Node &node;

  // Operands. All are usable; handlers that take anything but tensors look at
  // `operand`.
  size_t numInputs() const { return operands.size(); }
  const Result &operand(size_t i) const { return operands[i]; }
  llvm::ArrayRef<Result> all() const { return operands; }
  mlir::Value input(size_t i) const { return operands[i].value; }

  // Results.
  void set(size_t i, mlir::Value value) { set(i, Result::tensor(value)); }
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
  llvm::FailureOr<int64_t> axis(int64_t axis, int64_t rank);
  llvm::FailureOr<llvm::SmallVector<int64_t>> axes(llvm::ArrayRef<int64_t> axes,
                                                   int64_t rank);
  /// The elements of a small integer operand as sizes.
  llvm::FailureOr<Sizes> sizesInput(size_t i);
  /// The same where only constants will do; otherwise unsupported, saying
  /// `what`.
  llvm::FailureOr<llvm::SmallVector<int64_t>>
  constantInput(size_t i, llvm::StringRef what);
  llvm::FailureOr<int64_t> constantScalar(size_t i, llvm::StringRef what);
  llvm::LogicalResult broadcast(llvm::MutableArrayRef<mlir::Value> values);
  llvm::LogicalResult expectFloat(size_t i);
  llvm::LogicalResult expectInteger(size_t i);
  llvm::LogicalResult expectNumber(size_t i);
  llvm::LogicalResult expectBool(size_t i);
  llvm::LogicalResult expectRank(size_t i, int64_t rank);
  llvm::LogicalResult expectMinRank(size_t i, int64_t rank);
  /// Operands [first, last) are of one element type.
  llvm::LogicalResult expectSame(size_t first, size_t last);

  llvm::LogicalResult error(const llvm::Twine &text);
  llvm::LogicalResult unsupported(const llvm::Twine &what);
  std::string site() const { return importer.placeIn(node); }

private:
  llvm::ArrayRef<Result> operands;

  template <typename T> const T *read(llvm::StringRef name, const char *kind);
  llvm::LogicalResult expect(size_t i, bool holds, llvm::StringRef wanted);
};

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_TFNODECONTEXT_H
