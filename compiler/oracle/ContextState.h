// The states and the extents of the context that an evaluation runs in.
#ifndef TENON_COMPILER_ORACLE_CONTEXTSTATE_H
#define TENON_COMPILER_ORACLE_CONTEXTSTATE_H

#include "compiler/oracle/Oracle.h"
#include "dialects/tenon/State.h"

namespace tenon {

/// The size that the context has for an extent: the one that `options` choose,
/// otherwise the default. An error outside the range.
llvm::Expected<int64_t> contextExtent(mlir::Operation *op,
                                      mlir::FlatSymbolRefAttr extent,
                                      const OracleOptions &options);

/// The value that a state has at first, unless it is a weight.
llvm::Expected<HostTensor> firstValue(StateOp state,
                                      const OracleOptions &options);

/// Stores `value`, which must have the state's shape.
llvm::Error writeState(StateWriteOp op, const HostTensor &value,
                       const OracleOptions &options, OracleState &states);

} // namespace tenon

#endif // TENON_COMPILER_ORACLE_CONTEXTSTATE_H
