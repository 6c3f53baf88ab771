// Functions shared by inference and verification of all families. Private to
// the dialect.
#ifndef TENON_DIALECTS_TENON_INFERSHARED_H
#define TENON_DIALECTS_TENON_INFERSHARED_H

#include "dialects/tenon/ShapeRules.h"
#include "dialects/tenon/TenonDialect.h"
#include "mlir/IR/Builders.h"

namespace tenon {

inline Extents shapeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

inline mlir::Type elementOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getElementType();
}

/// Infers one result type: the joined shapes of the operands, with the given
/// element type.
llvm::LogicalResult
inferElementwise(std::optional<mlir::Location> location,
                 mlir::ValueRange operands, mlir::Type element,
                 llvm::SmallVectorImpl<mlir::Type> &results);

/// Reifies every result's shape as the shape of the first operand.
llvm::LogicalResult reifyLikeOperand(mlir::OpBuilder &builder,
                                     mlir::Operation *op,
                                     mlir::ReifiedRankedShapedTypeDims &shapes);

/// Reifies a result shape from its static sizes. Each kDynamic entry takes the
/// next value of `dynamic`.
void reifyMixed(mlir::OpBuilder &builder, Extents staticSizes,
                mlir::ValueRange dynamic,
                mlir::ReifiedRankedShapedTypeDims &shapes);

/// Infers one result type: the rule's shape with the given element type. Emits
/// the rule's error if it has no shape.
llvm::LogicalResult inferFrom(const ShapeOrError &rule, mlir::Type element,
                              std::optional<mlir::Location> location,
                              llvm::SmallVectorImpl<mlir::Type> &results);

/// Emits the rule's error on the op, or an error with `label` if the shape of
/// `type` differs from the rule's.
llvm::LogicalResult verifyShape(mlir::Operation *op, const ShapeOrError &rule,
                                mlir::Type type, llvm::StringRef label);

/// Builds index arithmetic on sizes; static operands are folded.
struct SizeBuilder {
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::OpFoldResult constant(int64_t value);
  mlir::OpFoldResult add(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult sub(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult mul(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult floorDiv(mlir::OpFoldResult a, int64_t b);
  mlir::OpFoldResult max(mlir::OpFoldResult a, int64_t b);
  mlir::Value value(mlir::OpFoldResult a);
};

} // namespace tenon

#endif // TENON_DIALECTS_TENON_INFERSHARED_H
