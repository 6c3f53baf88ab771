// A node of any format as its handler uses it: checks of operands, setting of
// results, and errors that name the node. The NodeContext of each frontend adds
// the parts specific to its format. Code that several formats share uses only
// this class.
#ifndef TENON_COMPILER_IMPORT_NODECHECKS_H
#define TENON_COMPILER_IMPORT_NODECHECKS_H

#include "compiler/import/TypeNames.h"
#include "compiler/import/graph/GraphBuilder.h"
#include "compiler/import/sizes/ShapeValues.h"

namespace tenon {

/// The sizes as text, such as `[2,?]`; `?` is a dynamic one.
std::string textOf(llvm::ArrayRef<Size> sizes);

class NodeChecks {
public:
  NodeChecks(GraphBuilder &g, ShapeValues &shapes) : g(g), shapes(shapes) {}
  virtual ~NodeChecks();

  GraphBuilder &g;
  ShapeValues &shapes;

  // Operands.
  virtual size_t numInputs() const = 0;
  /// Null if the operand is absent.
  virtual mlir::Value input(size_t i) const = 0;
  bool hasInput(size_t i) const { return bool(input(i)); }

  // Errors. Each function reports and returns failure.
  /// The model is invalid, as in `c.error("expected inner extents to agree, got
  /// 64 and 32")`.
  virtual llvm::LogicalResult error(const llvm::Twine &text) = 0;
  /// The node may be valid but is not supported. The import goes on and reports
  /// all such nodes in one message.
  virtual llvm::LogicalResult unsupported(const llvm::Twine &what) = 0;
  /// The text that names the node in run-time errors, such as `node "x"
  /// (Gather)`.
  virtual std::string site() const = 0;
  /// Emits a check that a size known only at run time is within [low, high].
  /// `what` states the checked size and the reason. The caller must refuse
  /// invalid static sizes itself.
  void check(Size found, Size low, Size high, const llvm::Twine &what) {
    g.checkSize(found, low, high, site() + ": " + what.str());
  }

  // Checks that report their own errors.
  /// `axis` as a number within [0, rank); a negative one counts from the end.
  llvm::FailureOr<int64_t> axis(int64_t axis, int64_t rank);
  /// The axes as distinct ascending numbers within [0, rank).
  llvm::FailureOr<llvm::SmallVector<int64_t>> axes(llvm::ArrayRef<int64_t> axes,
                                                   int64_t rank);
  /// The elements of operand `i` in row-major order, as sizes. An error
  /// unless it is an integer tensor of at most `maxRank` dimensions;
  /// unsupported if the number of its elements is unknown or too great.
  llvm::FailureOr<Sizes> sizesInput(size_t i, int64_t maxRank = 1);
  /// Operand `i`, an integer tensor of one element, as a size.
  llvm::FailureOr<Size> sizeInput(size_t i);
  /// The elements of integer operand `i`, which must be constant. Otherwise the
  /// node is unsupported, and the message names `what`.
  llvm::FailureOr<llvm::SmallVector<int64_t>>
  constantInput(size_t i, llvm::StringRef what);
  /// Operand `i`, which must be a single constant integer; refuses like
  /// `constantInput`.
  llvm::FailureOr<int64_t> constantScalar(size_t i, llvm::StringRef what);
  /// `sizes` as extents of a result. A negative static size is an error; a size
  /// that is negative at run time becomes zero.
  llvm::FailureOr<Sizes> extents(Sizes sizes);
  /// The elements of operand `i` as extents of a result.
  llvm::FailureOr<Sizes> extentsInput(size_t i);
  /// Operand `i` with the extents `wanted`; messages call it `what` ("a bias").
  /// A different rank or a different static extent is an error. Extents not
  /// known to be equal are checked at run time. Nothing is broadcast.
  llvm::FailureOr<mlir::Value> withSizes(size_t i, llvm::ArrayRef<Size> wanted,
                                         const llvm::Twine &what);
  /// Operand `i`, whose extents must all be one; refuses like `withSizes`.
  llvm::FailureOr<mlir::Value> oneElement(size_t i);
  /// Checks that `value` is a bool tensor of one element; messages call it
  /// `what`. A dynamic extent is checked at run time.
  llvm::LogicalResult expectOneBool(mlir::Value value, const llvm::Twine &what);
  /// Operand `i`, which must have one element, as a tensor of rank 0.
  llvm::FailureOr<mlir::Value> scalarInput(size_t i);
  /// Operand `i`, which must broadcast to `wanted`: each extent is one or equal
  /// to the extent of `wanted` at its place, aligned at the right. The result
  /// has those extents. Refuses like `withSizes`; messages call the operand
  /// `what`.
  llvm::FailureOr<mlir::Value> fitted(size_t i, llvm::ArrayRef<Size> wanted,
                                      const llvm::Twine &what);
  /// Broadcasts `values` to common sizes; an error if there are none.
  llvm::LogicalResult broadcast(llvm::MutableArrayRef<mlir::Value> values);
  /// The two operands of a binary node, broadcast to one shape.
  virtual llvm::LogicalResult
  binaryOperands(llvm::SmallVector<mlir::Value, 2> &operands);
  /// The following functions check the element type or rank of operand i.
  llvm::LogicalResult expectFloat(size_t i);
  llvm::LogicalResult expectInteger(size_t i); ///< bool is no integer here
  llvm::LogicalResult expectNumber(size_t i);  ///< float or integer
  llvm::LogicalResult expectBool(size_t i);
  llvm::LogicalResult expectRank(size_t i, int64_t rank);
  llvm::LogicalResult expectMinRank(size_t i, int64_t rank);
  /// Checks that the operands `which` (all if empty) have one element type.
  /// Absent operands are skipped.
  llvm::LogicalResult expectSameElements(llvm::ArrayRef<size_t> which = {});

protected:
  /// The operand's name for messages, as in ` ('x')`; empty if operands have
  /// only numbers.
  virtual std::string inputLabel(size_t) const { return {}; }

private:
  llvm::LogicalResult expect(size_t i, bool holds, llvm::StringRef wanted);
};

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_NODECHECKS_H
