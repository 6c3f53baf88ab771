// Computes, before the run, upper bounds of sizes that are known only at run
// time, by interval analysis of index arithmetic and branches.
#ifndef TENON_PASSES_BUFFER_SIZEBOUNDS_H
#define TENON_PASSES_BUFFER_SIZEBOUNDS_H

#include "passes/buffer/SizeCloner.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace tenon {

class SizeBounds {
public:
  /// New values are built at the builder's insertion point; `mapping` maps the
  /// function's arguments to values there.
  SizeBounds(mlir::OpBuilder &builder, mlir::IRMapping &mapping)
      : builder(builder), exact(builder, mapping) {}

  /// True if the size itself can be computed before the run.
  bool isKnown(mlir::Value size) { return exact.canClone(size); }

  /// The size if it can be computed before the run, otherwise an upper bound;
  /// null if there is none.
  mlir::Value upperBound(mlir::Value size);

  /// The op whose result is unbounded. Requires that `upperBound` has returned
  /// null.
  mlir::Location obstacleTo(mlir::Value size) const;

private:
  enum End : unsigned { Lower, Upper };
  /// A size and one end of its interval.
  using Question = std::pair<mlir::Value, unsigned>;
  struct Answer {
    mlir::Value value;                      ///< null if there is no bound
    std::optional<mlir::Location> obstacle; ///< then the op without a bound
  };
  using Combine = llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)>;

  void answer(Question question);
  Answer infer(mlir::Value size, End end);
  Answer inferProduct(mlir::Value a, mlir::Value b, End end);
  Answer inferQuotient(mlir::Operation *op, End end);
  Answer inferRemainder(mlir::Operation *op, End end);
  Answer inferChoice(mlir::Value condition, mlir::Value yes, mlir::Value no,
                     End end);
  Answer inferExtent(mlir::memref::DimOp op, End end);

  /// The answer if it is known; otherwise records the question in `missing`.
  Answer ask(mlir::Value size, unsigned end);
  /// Combines two answers; without a bound if either has none.
  Answer both(const Answer &a, const Answer &b, Combine combine) const;
  /// The greater value for End Upper, the smaller one for Lower.
  mlir::Value pick(End end, mlir::Value a, mlir::Value b);
  mlir::Value number(int64_t value);
  template <typename Op> mlir::Value make(mlir::Value a, mlir::Value b) {
    return builder.createOrFold<Op>(a.getLoc(), a, b);
  }

  mlir::OpBuilder &builder;
  SizeCloner exact;
  llvm::DenseMap<Question, Answer> answers;
  /// The extents from which `memref.dim` of a branch's result chooses.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::OpFoldResult, 2>>
      extents;
  llvm::SmallVector<Question> missing; ///< questions that an inference waits
                                       ///< for
};

} // namespace tenon

#endif // TENON_PASSES_BUFFER_SIZEBOUNDS_H
