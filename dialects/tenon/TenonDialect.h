// The tenon dialect: its ops, attributes, enums and interfaces, and functions
// on tensor extents that all families share.
#ifndef TENON_DIALECTS_TENON_TENONDIALECT_H
#define TENON_DIALECTS_TENON_TENONDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "dialects/tenon/NamedDims.h"
#include "dialects/tenon/TenonDialect.h.inc"
#include "dialects/tenon/TenonEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/tenon/TenonAttrs.h.inc"
#include "dialects/tenon/TenonInterfaces.h.inc"

namespace tenon {

/// Marks ops whose result element depends only on the operands' elements at the
/// same index.
template <typename ConcreteType>
class Elementwise : public mlir::OpTrait::TraitBase<ConcreteType, Elementwise> {
};

/// The extents of `value`: attributes for static extents, `tensor.dim` values
/// for dynamic ones.
llvm::SmallVector<mlir::OpFoldResult>
mixedSizes(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);

/// One extent of `value`.
mlir::OpFoldResult mixedSize(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value value, int64_t dim);

/// True if only elementwise ops of its region read the value, up to the yield.
bool isReadElementwise(mlir::Value value);

} // namespace tenon

#define GET_OP_CLASSES
#include "dialects/tenon/TenonOps.h.inc"

#endif // TENON_DIALECTS_TENON_TENONDIALECT_H
