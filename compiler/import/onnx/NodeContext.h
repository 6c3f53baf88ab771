// One node as its handler sees it: operands as values, attributes with
// defaults, results to set, and errors that name the node. Attributes are
// checked as they are read: a wrong kind is an error of the node, and so is an
// attribute that the handler never asked for.
#ifndef TENON_COMPILER_IMPORT_ONNX_NODECONTEXT_H
#define TENON_COMPILER_IMPORT_ONNX_NODECONTEXT_H

#include "compiler/import/GraphBuilder.h"
#include "compiler/import/ShapeValues.h"
#include "compiler/import/onnx/OnnxModel.h"
#include "compiler/import/onnx/OpRegistry.h"
#include "llvm/ADT/StringSet.h"

namespace tenon::onnx {

class GraphImporter;

/// The element type of tensors of `type`; null for those we have none for
/// (strings, complex numbers).
mlir::Type elementTypeOf(mlir::MLIRContext *context, ElementType type);

/// `f32[2,?]`, as our messages spell a type.
std::string spell(mlir::Type type);
std::string spell(mlir::Value value);

class NodeContext {
public:
  NodeContext(GraphImporter &importer, const Node &node, int64_t opset,
              llvm::ArrayRef<mlir::Value> inputs);

  GraphBuilder &g;
  ShapeValues &shapes;
  const Node &node;
  const int64_t opset; ///< the version of the node's domain

  // Operands.
  size_t numInputs() const { return operands.size(); }
  /// Null when absent.
  mlir::Value input(size_t i) const {
    return i < operands.size() ? operands[i] : mlir::Value();
  }
  bool hasInput(size_t i) const { return bool(input(i)); }
  /// All of them, absent ones as null.
  llvm::ArrayRef<mlir::Value> inputs() const { return operands; }
  llvm::StringRef inputName(size_t i) const;

  // Results.
  size_t numOutputs() const { return results.size(); }
  /// Whether the result is named by the node.
  bool wants(size_t i) const;
  void set(size_t i, mlir::Value value);
  llvm::ArrayRef<mlir::Value> outputs() const { return results; }

  // Attributes. Those without a default value are required.
  bool hasAttr(llvm::StringRef name);
  int64_t intAttr(llvm::StringRef name);
  int64_t intAttr(llvm::StringRef name, int64_t otherwise);
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
  /// `axis` counted from the end where negative, and within [0, rank).
  llvm::FailureOr<int64_t> axis(int64_t axis, int64_t rank);
  /// Normalized, distinct and ascending.
  llvm::FailureOr<llvm::SmallVector<int64_t>> axes(llvm::ArrayRef<int64_t> axes,
                                                   int64_t rank);
  /// The elements of a small integer operand as sizes; an error when it is not
  /// one.
  llvm::FailureOr<Sizes> sizesInput(size_t i);
  /// The sizes as extents of a result: an error for static ones that are
  /// negative; others are taken as zero when they are negative in the run.
  llvm::FailureOr<Sizes> extents(Sizes sizes);
  /// One entry per dimension: values[k] where axes[k] is the dimension (counted
  /// from the end where negative), `otherwise` elsewhere. Axes may be known
  /// only in the run.
  llvm::FailureOr<Sizes> perDim(const Sizes &axes, const Sizes &values,
                                int64_t rank, int64_t otherwise);
  /// The same where only constants will do; otherwise unsupported, saying
  /// `what`.
  llvm::FailureOr<llvm::SmallVector<int64_t>>
  constantInput(size_t i, llvm::StringRef what);
  /// Brings values to common sizes; an error when they disagree.
  llvm::LogicalResult broadcast(llvm::MutableArrayRef<mlir::Value> values);
  /// Operand i (if present) is of a float type / an integer type / a bool /
  /// rank `rank`.
  llvm::LogicalResult expectFloat(size_t i);
  llvm::LogicalResult expectInteger(size_t i); ///< bool is none
  llvm::LogicalResult expectNumber(size_t i);  ///< float or integer
  llvm::LogicalResult expectBool(size_t i);
  llvm::LogicalResult expectRank(size_t i, int64_t rank);
  llvm::LogicalResult expectMinRank(size_t i, int64_t rank);
  /// The given operands (all, when empty) that are present have one element
  /// type.
  llvm::LogicalResult expectSameElements(llvm::ArrayRef<size_t> which = {});

  // Errors: each reports and fails.
  /// The model is wrong: `ctx.error("expected inner extents to agree, got 64
  /// and 32")`.
  llvm::LogicalResult error(const llvm::Twine &text);
  /// The model may be right but we do not do that; import goes on, and all
  /// such nodes are reported together.
  llvm::LogicalResult unsupported(const llvm::Twine &what);
  bool failed() const { return hasFailed; }
  /// `node "x" (Gather)`: the text of faults in the run.
  std::string site() const { return placeOf(node); }
  /// A size known only in the run must be within [low, high]: `what` says of
  /// what and why. Known sizes are for the caller to refuse.
  void check(Size found, Size low, Size high, const llvm::Twine &what) {
    g.checkSize(found, low, high, site() + ": " + what.str());
  }

  GraphImporter &importer;

private:
  friend class GraphImporter;

  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<mlir::Value> results;
  llvm::StringSet<> asked;
  bool hasFailed = false;
  bool isUnsupported = false;

  template <typename T>
  const T *read(llvm::StringRef name, AttributeKind kind, bool required);
  llvm::LogicalResult expect(size_t i, bool holds, llvm::StringRef wanted);
};

} // namespace tenon::onnx

#endif // TENON_COMPILER_IMPORT_ONNX_NODECONTEXT_H
