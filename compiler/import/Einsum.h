// Einstein's summation, for every format with such nodes.
#ifndef TENON_COMPILER_IMPORT_EINSUM_H
#define TENON_COMPILER_IMPORT_EINSUM_H

#include "compiler/import/NodeChecks.h"

namespace tenon {

/// Combines all operands of the node as `equation` says, from left to right. An
/// operand may repeat a label. Extents of one are broadcast, and an ellipsis
/// stands for any number of dimensions.
llvm::FailureOr<mlir::Value> einsum(NodeChecks &c, llvm::StringRef equation);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_EINSUM_H
