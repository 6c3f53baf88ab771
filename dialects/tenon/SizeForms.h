// Sizes as polynomials over atoms: extents of inputs, numbers read from
// tensors, quotients. Equal polynomials are equal sizes, whatever ops compute
// them.
#ifndef TENON_DIALECTS_TENON_SIZEFORMS_H
#define TENON_DIALECTS_TENON_SIZEFORMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <string>
#include <vector>

namespace tenon {

/// Maps a sorted product of atoms to its coefficient modulo 2^64. The empty
/// product is one.
using SizeForm = std::map<std::vector<unsigned>, int64_t>;

SizeForm operator+(SizeForm a, const SizeForm &b);
SizeForm operator-(SizeForm a, const SizeForm &b);
SizeForm operator*(const SizeForm &a, const SizeForm &b);

/// The value that a loop passes on as `value`, one of its arguments or results;
/// null for others. Both have the same extents, because tenon-check-sizes
/// ensures that a carried value keeps its shape.
mlir::Value carriedFrom(mlir::Value value);

/// The forms stay valid while ops are added and operands are replaced by values
/// of the same size, until an op is erased. Arithmetic may be as long as the
/// model, so each size is computed once, with a work list.
class SizeForms {
public:
  /// Extents of the function's arguments with equal names are one atom. Without
  /// a function, no names are known.
  explicit SizeForms(mlir::func::FuncOp func) : func(func) {}

  static SizeForm number(int64_t value);
  static std::optional<int64_t> constant(const SizeForm &form);

  SizeForm of(mlir::OpFoldResult size);
  /// The form of an extent.
  SizeForm of(mlir::Value tensor, int64_t dim);
  bool isNonNegative(const SizeForm &form) const;
  /// The description of a size that is an input's extent; empty for others.
  std::string describe(const SizeForm &form) const;

private:
  struct Atom {
    bool nonNegative;
    std::string text;
  };
  using Key = std::vector<uintptr_t>;
  /// An extent, or an index value if the dimension is -1.
  using Question = std::pair<mlir::Value, int64_t>;

  void answerMissing();
  /// The form if it is known; otherwise records the question in `missing`.
  SizeForm ask(mlir::OpFoldResult size);
  SizeForm ask(mlir::Value tensor, int64_t dim);

  SizeForm compute(mlir::Value index);
  SizeForm computeExtent(mlir::Value tensor, int64_t dim);
  SizeForm extentOfArgument(mlir::BlockArgument argument, int64_t dim);
  SizeForm extentOfBranch(mlir::OpResult result, int64_t dim);
  SizeForm reified(mlir::OpResult result, int64_t dim);
  SizeForm atom(const Key &key, bool nonNegative, std::string text = "");
  SizeForm opaqueExtent(mlir::Value tensor, int64_t dim);
  uintptr_t numberOf(const SizeForm &form);

  mlir::func::FuncOp func;
  std::vector<Atom> atoms;
  std::map<Key, unsigned> atomNumbers;
  std::map<SizeForm, uintptr_t> formNumbers;
  llvm::DenseMap<Question, SizeForm> forms;
  llvm::SmallVector<Question> missing; ///< questions that a form waits for
  mlir::Block scratch; ///< arithmetic of `shapes`, outside the function
  llvm::DenseMap<mlir::Operation *, mlir::ReifiedRankedShapedTypeDims> shapes;
};

} // namespace tenon

#endif // TENON_DIALECTS_TENON_SIZEFORMS_H
