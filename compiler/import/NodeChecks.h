// A node of any format as its handler sees it: operands to be checked, results
// to be set, errors that name the node. Each frontend's NodeContext adds the
// parts that only its nodes have; ops with one meaning in several formats are
// written for this class.
#ifndef TENON_COMPILER_IMPORT_NODECHECKS_H
#define TENON_COMPILER_IMPORT_NODECHECKS_H

#include "compiler/import/TypeNames.h"
#include "compiler/import/graph/GraphBuilder.h"
#include "compiler/import/sizes/ShapeValues.h"

namespace tenon {

/// `[2,?]`.
std::string spell(llvm::ArrayRef<Size> sizes);

class NodeChecks {
public:
  NodeChecks(GraphBuilder &g, ShapeValues &shapes) : g(g), shapes(shapes) {}
  virtual ~NodeChecks();

  GraphBuilder &g;
  ShapeValues &shapes;

  // Operands.
  virtual size_t numInputs() const = 0;
  /// Null when absent.
  virtual mlir::Value input(size_t i) const = 0;
  bool hasInput(size_t i) const { return bool(input(i)); }

  // Errors: each reports and fails.
  /// The model is wrong: `c.error("expected inner extents to agree, got 64 and
  /// 32")`.
  virtual llvm::LogicalResult error(const llvm::Twine &text) = 0;
  /// The model may be right but we do not do that; import goes on, and all
  /// such nodes are reported together.
  virtual llvm::LogicalResult unsupported(const llvm::Twine &what) = 0;
  /// `node "x" (Gather)`: the text of faults in the run.
  virtual std::string site() const = 0;
  /// A size known only in the run must be within [low, high]: `what` says of
  /// what and why. Known sizes are for the caller to refuse.
  void check(Size found, Size low, Size high, const llvm::Twine &what) {
    g.checkSize(found, low, high, site() + ": " + what.str());
  }

  // Checks that report by themselves.
  /// `axis` counted from the end where negative, and within [0, rank).
  llvm::FailureOr<int64_t> axis(int64_t axis, int64_t rank);
  /// Normalized, distinct and ascending.
  llvm::FailureOr<llvm::SmallVector<int64_t>> axes(llvm::ArrayRef<int64_t> axes,
                                                   int64_t rank);
  /// The elements of a small integer operand, row by row, as sizes; an error
  /// when it is not one.
  llvm::FailureOr<Sizes> sizesInput(size_t i, int64_t maxRank = 1);
  /// Operand `i`, an integer tensor of one element, as a size.
  llvm::FailureOr<Size> sizeInput(size_t i);
  /// The same where only constants will do; otherwise unsupported, saying
  /// `what`.
  llvm::FailureOr<llvm::SmallVector<int64_t>>
  constantInput(size_t i, llvm::StringRef what);
  /// The same where there must be one number.
  llvm::FailureOr<int64_t> constantScalar(size_t i, llvm::StringRef what);
  /// The sizes as extents of a result: an error for static ones that are
  /// negative; others are taken as zero when they are negative in the run.
  llvm::FailureOr<Sizes> extents(Sizes sizes);
  /// The elements of operand `i` as extents of a result.
  llvm::FailureOr<Sizes> extentsInput(size_t i);
  /// Operand `i` with the extents `wanted`, called `what` ("a bias"): an error
  /// where its rank or a known extent is another, a check in the run of each
  /// extent that is not known to be equal. Nothing is repeated.
  llvm::FailureOr<mlir::Value> withSizes(size_t i, llvm::ArrayRef<Size> wanted,
                                         const llvm::Twine &what);
  /// Operand `i`, all extents of which are one; refuses like `withSizes`.
  llvm::FailureOr<mlir::Value> oneElement(size_t i);
  /// The same as a tensor of rank 0.
  llvm::FailureOr<mlir::Value> scalarInput(size_t i);
  /// Operand `i`, called `what`, such that broadcasting it with a tensor of
  /// sizes `wanted` gives those sizes: each of its extents is one or that of
  /// `wanted`, aligned at the right. Refuses like `withSizes`.
  llvm::FailureOr<mlir::Value> fitted(size_t i, llvm::ArrayRef<Size> wanted,
                                      const llvm::Twine &what);
  /// Brings values to common sizes; an error when they disagree.
  llvm::LogicalResult broadcast(llvm::MutableArrayRef<mlir::Value> values);
  /// The operands of a binary node in one shape.
  virtual llvm::LogicalResult
  binaryOperands(llvm::SmallVector<mlir::Value, 2> &operands);
  /// Operand i is of a float type / an integer type / a bool / rank `rank`.
  llvm::LogicalResult expectFloat(size_t i);
  llvm::LogicalResult expectInteger(size_t i); ///< bool is none
  llvm::LogicalResult expectNumber(size_t i);  ///< float or integer
  llvm::LogicalResult expectBool(size_t i);
  llvm::LogicalResult expectRank(size_t i, int64_t rank);
  llvm::LogicalResult expectMinRank(size_t i, int64_t rank);
  /// The given operands (all, when empty) that are present have one element
  /// type.
  llvm::LogicalResult expectSameElements(llvm::ArrayRef<size_t> which = {});

protected:
  /// ` ('x')`, where operands have names that tell more than their number.
  virtual std::string inputLabel(size_t) const { return {}; }

private:
  llvm::LogicalResult expect(size_t i, bool holds, llvm::StringRef wanted);
};

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_NODECHECKS_H
