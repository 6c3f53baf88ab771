// Variables as the operands of nodes that change them.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_OPS_TFUPDATES_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_OPS_TFUPDATES_H

#include "compiler/import/tensorflow/graph/TfNodeContext.h"

namespace tenon::tf {

/// The variable that operand `i` names, or null after a refusal.
const Node *variableOf(NodeContext &c, size_t i = 0);

/// Gives the variable a new value. Ops on references pass operand 0 on.
llvm::LogicalResult writeVariable(NodeContext &c, const Node *variable,
                                  mlir::Value value);

/// Operand `i` as i64 rows of `table`, a vector; others stop the run.
llvm::FailureOr<mlir::Value> rowsOf(NodeContext &c, size_t i,
                                    mlir::Value table);

/// `table` with rows `at` set to `rows` or combined with them.
mlir::Value scatterRows(GraphBuilder &g, ScatterKind kind, mlir::Value table,
                        mlir::Value at, mlir::Value rows);

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_OPS_TFUPDATES_H
