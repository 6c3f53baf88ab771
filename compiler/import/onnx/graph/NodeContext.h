// One node as its handler uses it: operands as values, attributes with
// defaults, results to set, and errors that name the node. Attributes are
// checked when they are read. A wrong kind is an error of the node, and so is
// an attribute that the handler never reads.
#ifndef TENON_COMPILER_IMPORT_ONNX_GRAPH_NODECONTEXT_H
#define TENON_COMPILER_IMPORT_ONNX_GRAPH_NODECONTEXT_H

#include "compiler/import/NodeChecks.h"
#include "compiler/import/onnx/graph/OpRegistry.h"
#include "compiler/import/onnx/reader/OnnxModel.h"
#include "llvm/ADT/StringSet.h"

namespace tenon::onnx {

class GraphImporter;

/// The element type of tensors of `type`; null if it is not supported (strings,
/// complex numbers).
mlir::Type elementTypeOf(mlir::MLIRContext *context, ElementType type);

class NodeContext : public NodeChecks {
public:
  /// The types that a model declares for its values, by name.
  using Declared = llvm::StringMap<const Type *>;

  NodeContext(GraphImporter &importer, const Node &node, int64_t opset,
              llvm::ArrayRef<mlir::Value> inputs, const Declared &declared);

  const Node &node;
  const int64_t opset; ///< version of the node's domain

  // Operands.
  size_t numInputs() const override { return operands.size(); }
  mlir::Value input(size_t i) const override {
    return i < operands.size() ? operands[i] : mlir::Value();
  }
  /// All operands; null for an absent one.
  llvm::ArrayRef<mlir::Value> inputs() const { return operands; }
  llvm::StringRef inputName(size_t i) const;

  // Results.
  size_t numOutputs() const { return results.size(); }
  /// True if the node names result `i`.
  bool wants(size_t i) const;
  /// The tensor type that the model declares for result `i`, or null.
  const Type *declared(size_t i) const;
  /// The rank of the declared type; null if unknown.
  std::optional<int64_t> declaredRank(size_t i) const;
  void set(size_t i, mlir::Value value);
  llvm::ArrayRef<mlir::Value> outputs() const { return results; }

  // Attributes. Getters without a default value require the attribute.
  bool hasAttr(llvm::StringRef name);
  int64_t intAttr(llvm::StringRef name);
  int64_t intAttr(llvm::StringRef name, int64_t otherwise);
  /// The element type whose number the attribute has; null after an error.
  mlir::Type elementAttr(llvm::StringRef name);
  /// As above, but `otherwise` if the attribute is absent.
  mlir::Type elementAttr(llvm::StringRef name, mlir::Type otherwise);
  double floatAttr(llvm::StringRef name);
  double floatAttr(llvm::StringRef name, double otherwise);
  std::string stringAttr(llvm::StringRef name, llvm::StringRef otherwise);
  /// Empty if the attribute is absent.
  llvm::SmallVector<int64_t> intsAttr(llvm::StringRef name);
  llvm::SmallVector<double> floatsAttr(llvm::StringRef name);
  std::vector<std::string> stringsAttr(llvm::StringRef name);
  /// The next three return null if the attribute is absent.
  const Tensor *tensorAttr(llvm::StringRef name);
  const SparseTensor *sparseAttr(llvm::StringRef name);
  const Graph *graphAttr(llvm::StringRef name);
  /// A tensor attribute as a constant; null, after an error, for strings.
  mlir::Value constant(const Tensor &tensor);
  mlir::Value constant(const SparseTensor &tensor);
  /// Names attributes that the handler ignores on purpose.
  void ignoreAttrs(llvm::ArrayRef<llvm::StringRef> names);

  // Checks that report their own errors.
  /// One size per dimension: values[k] for dimension axes[k] (a negative axis
  /// counts from the end), `otherwise` for all others. Axes may be known only
  /// at run time.
  llvm::FailureOr<Sizes> perDim(const Sizes &axes, const Sizes &values,
                                int64_t rank, int64_t otherwise);
  /// The two operands of a binary node, broadcast to one shape. Before opset 7
  /// the attributes `broadcast` and `axis` place the second operand's
  /// dimensions.
  llvm::LogicalResult
  binaryOperands(llvm::SmallVector<mlir::Value, 2> &operands) override;

  // Errors. Only the first error of a node is reported, because later ones may
  // follow from it.
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
