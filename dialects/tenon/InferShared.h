// What the families' inference and verification share; private to the dialect.
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

/// One result: operand shapes joined, with the given element type.
llvm::LogicalResult
inferElementwise(std::optional<mlir::Location> location,
                 mlir::ValueRange operands, mlir::Type element,
                 llvm::SmallVectorImpl<mlir::Type> &results);

/// Every result has the shape of the first operand.
llvm::LogicalResult reifyLikeOperand(mlir::OpBuilder &builder,
                                     mlir::Operation *op,
                                     mlir::ReifiedRankedShapedTypeDims &shapes);

/// A static result shape, reified; kDynamic entries are taken from `dynamic` in
/// order.
void reifyMixed(mlir::OpBuilder &builder, Extents staticSizes,
                mlir::ValueRange dynamic,
                mlir::ReifiedRankedShapedTypeDims &shapes);

/// One result: the rule's shape with the given element type, or its error.
llvm::LogicalResult inferFrom(const ShapeOrError &rule, mlir::Type element,
                              std::optional<mlir::Location> location,
                              llvm::SmallVectorImpl<mlir::Type> &results);

/// Emits the rule's error on the op, or an error when `type` does not match its
/// shape.
llvm::LogicalResult verifyShape(mlir::Operation *op, const ShapeOrError &rule,
                                mlir::Type type, llvm::StringRef label);

/// Index arithmetic on sizes, folded where static.
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
