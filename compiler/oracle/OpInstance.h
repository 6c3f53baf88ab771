// One op with the values of its operands, and functions that evaluate it.
// Private to the oracle.
#ifndef TENON_COMPILER_ORACLE_OPINSTANCE_H
#define TENON_COMPILER_ORACLE_OPINSTANCE_H

#include "compiler/oracle/Oracle.h"
#include "dialects/tenon/TenonDialect.h"

namespace tenon {

using HostTensors = llvm::SmallVector<HostTensor, 1>;
using Operands = llvm::ArrayRef<const HostTensor *>;
using Indices = llvm::ArrayRef<int64_t>;

/// An op to be evaluated, with its operands' values.
struct OpInstance {
  mlir::Operation *op;
  Operands in;
  const OracleOptions &options;

  /// An error that names the op and its place.
  llvm::Error error(const llvm::Twine &text) const;
  /// An error that exceeds a bound of OracleOptions; its code is
  /// not_enough_memory.
  llvm::Error limit(const llvm::Twine &text) const;
  /// A tensor of zeros without errors. Fails if an extent is negative or the
  /// tensor too large.
  llvm::Expected<HostTensor> allocate(mlir::Type element, Indices shape) const;
  /// A copy of `x`, with room for errors if bounds are computed.
  HostTensor copyOf(HostTensor x) const;
  /// The element type of a result.
  mlir::Type resultElement(unsigned result = 0) const;
  /// A static list with each dynamic entry replaced by the next of `values`.
  llvm::SmallVector<int64_t> mixed(Indices list, Operands values) const;
};

llvm::Expected<HostTensors> evaluateElementwise(const OpInstance &at);
llvm::Expected<HostTensors> evaluateContraction(const OpInstance &at);
llvm::Expected<HostTensors> evaluateReduction(const OpInstance &at);
llvm::Expected<HostTensors> evaluateMovement(const OpInstance &at);
llvm::Expected<HostTensors> evaluateIndexing(const OpInstance &at);
llvm::Expected<HostTensors> evaluateComposite(const OpInstance &at);
llvm::Expected<HostTensors> evaluateAttention(const OpInstance &at);
llvm::Expected<HostTensors> evaluateQuantization(const OpInstance &at);
/// Evaluates arith ops on scalars, and ops of the tensor dialect.
llvm::Expected<HostTensors> evaluateScalar(const OpInstance &at);

/// Combines two elements; integers exactly, wrapped to `element`.
double combine(ReduceKind kind, double a, double b);
int64_t combine(ReduceKind kind, mlir::Type element, int64_t a, int64_t b);
/// The identity of `kind`: combining with it changes nothing.
double floatIdentity(ReduceKind kind);
int64_t intIdentity(ReduceKind kind, mlir::Type element);
/// The greater and the lesser; NaN if either is NaN; -0 is below +0.
double maximumOf(double a, double b);
double minimumOf(double a, double b);
/// a < b, signed or unsigned as the type demands.
bool lessInt(mlir::Type element, int64_t a, int64_t b);

/// Steps a multi-index through `shape` in row-major order; returns false after
/// the last index. The first index is all zeros, valid if no extent is zero.
bool advance(llvm::MutableArrayRef<int64_t> index, Indices shape);
/// The distance in elements between neighbours along each dimension.
llvm::SmallVector<int64_t> rowMajorStrides(Indices shape);
int64_t linearIndex(Indices index, Indices strides);
/// The extents as text like `[2, 3]`.
std::string shapeText(Indices shape);

/// Copies element j of `from` to element i of `to`, with its error if `to` has
/// errors.
inline void copyElement(HostTensor &to, int64_t i, const HostTensor &from,
                        int64_t j) {
  if (!to.isFloat()) {
    to.ints[i] = from.ints[j];
    return;
  }
  to.floats[i] = from.floats[j];
  if (!to.errors.empty())
    to.errors[i] = from.errorAt(j);
}

/// Calls `body(index, i)` for each multi-index of `shape`; i counts the calls.
template <typename F> void forEachIndex(Indices shape, F body) {
  if (checkedCount(shape) <= 0)
    return;
  llvm::SmallVector<int64_t> index(shape.size(), 0);
  int64_t i = 0;
  do
    body(Indices(index), i++);
  while (advance(index, shape));
}

} // namespace tenon

#endif // TENON_COMPILER_ORACLE_OPINSTANCE_H
