// Access to variables for the nodes that change them.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_OPS_TFUPDATES_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_OPS_TFUPDATES_H

#include "compiler/import/tensorflow/graph/TfNodeContext.h"

namespace tenon::tf {

/// The variable that operand `i` names; null after an error.
const Node *variableOf(NodeContext &c, size_t i = 0);

/// Gives the variable a new value. For an op on a reference, the reference
/// (operand 0) is also result 0.
llvm::LogicalResult writeVariable(NodeContext &c, const Node *variable,
                                  mlir::Value value);

/// Operand `i` as i64 row numbers of `table`, a vector; a number outside is a
/// run-time error.
llvm::FailureOr<mlir::Value> rowsOf(NodeContext &c, size_t i,
                                    mlir::Value table);

/// `table` with the rows `at` set to `rows` or combined with them.
mlir::Value scatterRows(GraphBuilder &g, ScatterKind kind, mlir::Value table,
                        mlir::Value at, mlir::Value rows);

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_OPS_TFUPDATES_H
