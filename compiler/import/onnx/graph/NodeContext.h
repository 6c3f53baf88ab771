// One node as its handler sees it: operands as values, attributes with
// defaults, results to set, and errors that name the node. Attributes are
// checked as they are read: a wrong kind is an error of the node, and so is an
// attribute that the handler never asked for.
#ifndef TENON_COMPILER_IMPORT_ONNX_GRAPH_NODECONTEXT_H
#define TENON_COMPILER_IMPORT_ONNX_GRAPH_NODECONTEXT_H

#include "compiler/import/NodeChecks.h"
#include "compiler/import/onnx/graph/OpRegistry.h"
#include "compiler/import/onnx/reader/OnnxModel.h"
#include "llvm/ADT/StringSet.h"

namespace tenon::onnx {

class GraphImporter;

/// The element type of tensors of `type`; null for those we have none for
/// (strings, complex numbers).
mlir::Type elementTypeOf(mlir::MLIRContext *context, ElementType type);

class NodeContext : public NodeChecks {
public:
  /// The types that a model declares of its values, by name.
  using Declared = llvm::StringMap<const Type *>;

  NodeContext(GraphImporter &importer, const Node &node, int64_t opset,
              llvm::ArrayRef<mlir::Value> inputs, const Declared &declared);

  const Node &node;
  const int64_t opset; ///< the version of the node's domain

  // Operands.
  size_t numInputs() const override { return operands.size(); }
  mlir::Value input(size_t i) const override {
    return i < operands.size() ? operands[i] : mlir::Value();
  }
  /// All of them, absent ones as null.
  llvm::ArrayRef<mlir::Value> inputs() const { return operands; }
  llvm::StringRef inputName(size_t i) const;

  // Results.
  size_t numOutputs() const { return results.size(); }
  /// Whether the result is named by the node.
  bool wants(size_t i) const;
  /// The tensor type that the model declares of a result, or null.
  const Type *declared(size_t i) const;
  /// The rank of that type, where it says.
  std::optional<int64_t> declaredRank(size_t i) const;
  void set(size_t i, mlir::Value value);
  llvm::ArrayRef<mlir::Value> outputs() const { return results; }

  // Attributes. Those without a default value are required.
  bool hasAttr(llvm::StringRef name);
  int64_t intAttr(llvm::StringRef name);
  int64_t intAttr(llvm::StringRef name, int64_t otherwise);
  /// The element type whose number the attribute holds; null after an error.
  mlir::Type elementAttr(llvm::StringRef name);
  /// The same, `otherwise` when absent.
  mlir::Type elementAttr(llvm::StringRef name, mlir::Type otherwise);
  double floatAttr(llvm::StringRef name);
  double floatAttr(llvm::StringRef name, double otherwise);
  std::string stringAttr(llvm::StringRef name, llvm::StringRef otherwise);
  /// Empty when absent.
  llvm::SmallVector<int64_t> intsAttr(llvm::StringRef name);
  llvm::SmallVector<double> floatsAttr(llvm::StringRef name);
  std::vector<std::string> stringsAttr(llvm::StringRef name);
  /// Null when absent.
  const Tensor *tensorAttr(llvm::StringRef name);
  const SparseTensor *sparseAttr(llvm::StringRef name);
  const Graph *graphAttr(llvm::StringRef name);
  /// A tensor attribute as a constant; null, after an error, for strings.
  mlir::Value constant(const Tensor &tensor);
  mlir::Value constant(const SparseTensor &tensor);
  /// Attributes that are read over on purpose.
  void ignoreAttrs(llvm::ArrayRef<llvm::StringRef> names);

  // Checks that report by themselves.
  /// One entry per dimension: values[k] where axes[k] is the dimension (counted
  /// from the end where negative), `otherwise` elsewhere. Axes may be known
  /// only in the run.
  llvm::FailureOr<Sizes> perDim(const Sizes &axes, const Sizes &values,
                                int64_t rank, int64_t otherwise);
  /// Before opset 7, `broadcast` and `axis` say where the second operand's
  /// dimensions lie.
  llvm::LogicalResult
  binaryOperands(llvm::SmallVector<mlir::Value, 2> &operands) override;

  // Errors: the first of a node explains the others.
  llvm::LogicalResult error(const llvm::Twine &text) override;
  llvm::LogicalResult unsupported(const llvm::Twine &what) override;
  bool failed() const { return hasFailed; }
  std::string site() const override { return placeOf(node); }

  GraphImporter &importer;

protected:
  std::string inputLabel(size_t i) const override;

private:
  friend class GraphImporter;

  const Declared &infos;
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<mlir::Value> results;
  llvm::StringSet<> asked;
  bool hasFailed = false;
  bool isUnsupported = false;

  template <typename T>
  const T *read(llvm::StringRef name, AttributeKind kind, bool required);
};

} // namespace tenon::onnx

#endif // TENON_COMPILER_IMPORT_ONNX_GRAPH_NODECONTEXT_H
