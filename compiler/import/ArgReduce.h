// Positions of extreme elements, for every format with such nodes.
#ifndef TENON_COMPILER_IMPORT_ARGREDUCE_H
#define TENON_COMPILER_IMPORT_ARGREDUCE_H

#include "compiler/import/NodeChecks.h"

namespace tenon {

/// The i64 position along `axis` (negative: from the end) of the greatest or
/// least element of operand 0: the first such position, or the last if `last`.
/// The result lacks `axis`. An extent of 0 along `axis` is an error, at import
/// if it is static and else at run time, unless another extent is 0 too: then
/// the result is empty.
llvm::FailureOr<mlir::Value> argReduce(NodeChecks &c, ReduceKind kind,
                                       int64_t axis, bool last);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_ARGREDUCE_H
