// The places of extremes, for every format that has them.
#ifndef TENON_COMPILER_IMPORT_ARGREDUCE_H
#define TENON_COMPILER_IMPORT_ARGREDUCE_H

#include "compiler/import/NodeChecks.h"

namespace tenon {

/// Where along `axis` (from the end where negative) operand 0 is greatest or
/// least, the first such place or the last; i64, without the axis. No elements
/// along it are an error, of the run where only that knows, unless another
/// extent is 0 too: then there is no place to be found.
llvm::FailureOr<mlir::Value> argReduce(NodeChecks &c, ReduceKind kind,
                                       int64_t axis, bool last);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_ARGREDUCE_H
