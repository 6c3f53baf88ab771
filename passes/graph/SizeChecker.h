// Emits checks of one op's sizes. A property that the size forms prove has no
// check. Messages name the op and describe the sizes.
#ifndef TENON_PASSES_GRAPH_SIZECHECKER_H
#define TENON_PASSES_GRAPH_SIZECHECKER_H

#include "dialects/tenon/SizeForms.h"

#include "mlir/IR/Builders.h"

namespace tenon {

class SizeChecker {
public:
  /// A size with its polynomial form and its description for messages.
  struct Size {
    /// Null: extent `dim` of `tensor`, built when needed.
    mlir::OpFoldResult value;
    mlir::Value tensor;
    int64_t dim;
    SizeForm form;
    std::string words;
  };

  SizeChecker(SizeForms &forms, mlir::Operation *op)
      : forms(forms), op(op), builder(op), loc(op->getLoc()) {}

  /// Extent `dim` of operand `number`.
  Size operand(unsigned number, int64_t dim) {
    return extent(op->getOperand(number), dim,
                  "operand " + std::to_string(number + 1));
  }
  Size result(int64_t dim);
  Size extent(mlir::Value tensor, int64_t dim, const std::string &whose);
  Size given(mlir::OpFoldResult value, std::string words);
  Size number(int64_t value);

  void equal(const Size &found, const Size &expected);
  void notNegative(const Size &found);
  void atMost(const Size &found, const Size &limit);

  /// Checks an extent that is broadcast: it must be one or equal the result's.
  void oneOrEqual(const Size &found, const Size &expected);

  /// Checks that both lists of sizes have equal products.
  void sameCount(llvm::ArrayRef<Size> from, llvm::ArrayRef<Size> to);

  /// Checks a strided box: each element from `offset` on must be below `limit`,
  /// unless the box is empty.
  void box(int64_t dim, const Size &offset, const Size &size,
           const Size &stride, const Size &limit);

  /// Checks that `size` is at most `limit`, unless there are no slices.
  void fits(const Size &size, const Size &limit, mlir::Value slices);

  mlir::Value valueOf(const Size &size);
  mlir::Value index(int64_t value);

private:
  static std::string wordsFor(const Size &size);
  mlir::Value plus(mlir::Value a, mlir::Value b);
  mlir::Value choose(mlir::Value condition, mlir::Value yes, mlir::Value no);
  mlir::Value product(llvm::ArrayRef<Size> sizes);

  /// True if `size` is the size of a broadcast as importers write it: if
  /// `found` is one, another size, otherwise `found`.
  bool isUnlessOne(const Size &size, const Size &found);

  void check(mlir::Value found, mlir::Value low, mlir::Value high,
             const std::string &rule);

  SizeForms &forms;
  mlir::Operation *op;
  mlir::OpBuilder builder;
  mlir::Location loc;
};

} // namespace tenon

#endif // TENON_PASSES_GRAPH_SIZECHECKER_H
