// Einstein's summation, for every format that has it.
#ifndef TENON_COMPILER_IMPORT_EINSUM_H
#define TENON_COMPILER_IMPORT_EINSUM_H

#include "compiler/import/NodeChecks.h"

namespace tenon {

/// All operands of the node combined as `equation` says, from left to right.
/// Labels may be repeated, extents of one are broadcast, and an ellipsis stands
/// for any dimensions.
llvm::FailureOr<mlir::Value> einsum(NodeChecks &c, llvm::StringRef equation);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_EINSUM_H
