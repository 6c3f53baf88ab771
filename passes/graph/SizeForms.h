// Sizes as polynomials over atoms: extents of inputs, numbers read from
// tensors, quotients. Equal polynomials are equal sizes, whatever ops compute
// them.
#ifndef TENON_PASSES_GRAPH_SIZEFORMS_H
#define TENON_PASSES_GRAPH_SIZEFORMS_H

#include "dialects/tenon/TenonDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
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

class SizeForms {
public:
  /// Extents of the function's arguments with equal names are one atom.
  explicit SizeForms(mlir::func::FuncOp func) : func(func) {}

  static SizeForm number(int64_t value);
  static std::optional<int64_t> constant(const SizeForm &form);

  SizeForm of(mlir::OpFoldResult size);
  /// The form of an extent. May insert unused index arithmetic after the ops
  /// whose extents it needs.
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

  SizeForm compute(mlir::Value index);
  SizeForm computeExtent(mlir::Value tensor, int64_t dim);
  SizeForm extentOfArgument(mlir::BlockArgument argument, int64_t dim);
  SizeForm extentOfResult(mlir::OpResult result, int64_t dim);
  SizeForm extentOfBranch(mlir::OpResult result, int64_t dim);
  SizeForm reified(mlir::OpResult result, int64_t dim);
  SizeForm atom(const Key &key, bool nonNegative, std::string text = "");
  SizeForm opaqueExtent(mlir::Value tensor, int64_t dim);
  uintptr_t numberOf(const SizeForm &form);

  mlir::func::FuncOp func;
  std::vector<Atom> atoms;
  std::map<Key, unsigned> atomNumbers;
  std::map<SizeForm, uintptr_t> formNumbers;
  llvm::DenseMap<mlir::Value, SizeForm> indexForms;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, SizeForm> extentForms;
  llvm::DenseMap<mlir::Operation *, mlir::ReifiedRankedShapedTypeDims> shapes;
};

} // namespace tenon

#endif // TENON_PASSES_GRAPH_SIZEFORMS_H
