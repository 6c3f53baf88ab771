// Bounds a size that only the run finds, by intervals through the index
// arithmetic and the branches behind it. The bound is computed before the run.
#ifndef TENON_PASSES_BUFFER_SIZEBOUNDS_H
#define TENON_PASSES_BUFFER_SIZEBOUNDS_H

#include "passes/buffer/SizeCloner.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace tenon {

class SizeBounds {
public:
  /// Values are made at the builder's place, where `mapping` has the arguments.
  SizeBounds(mlir::OpBuilder &builder, mlir::IRMapping &mapping)
      : builder(builder), exact(builder, mapping) {}

  /// Whether the size itself is known before the run.
  bool isKnown(mlir::Value size) { return exact.canClone(size); }

  /// The size where it is known, else a value that it never exceeds; null where
  /// nothing bounds it.
  mlir::Value most(mlir::Value size);

  /// The op whose result has no bound, after `most` gave null.
  mlir::Location obstacleTo(mlir::Value size) const;

private:
  enum End : unsigned { Least, Most };
  /// One end of a size's interval.
  using Question = std::pair<mlir::Value, unsigned>;
  struct Answer {
    mlir::Value value;                      ///< null where there is none
    std::optional<mlir::Location> obstacle; ///< then: why
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

  /// The answer, if there is one by now; else it is looked for first.
  Answer ask(mlir::Value size, unsigned end);
  /// Whether both are there.
  Answer both(const Answer &a, const Answer &b, Combine combine) const;
  /// The greater or the smaller of two.
  mlir::Value pick(End end, mlir::Value a, mlir::Value b);
  mlir::Value number(int64_t value);
  template <typename Op> mlir::Value make(mlir::Value a, mlir::Value b) {
    return builder.createOrFold<Op>(a.getLoc(), a, b);
  }

  mlir::OpBuilder &builder;
  SizeCloner exact;
  llvm::DenseMap<Question, Answer> answers;
  /// The extents that `memref.dim` of a branch's result chooses from.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::OpFoldResult, 2>>
      extents;
  llvm::SmallVector<Question> missing; ///< what an inference waits for
};

} // namespace tenon

#endif // TENON_PASSES_BUFFER_SIZEBOUNDS_H
