// tenon.state and the ops that read and write it. A state is a tensor that a
// context keeps from run to run.
#ifndef TENON_DIALECTS_TENON_STATE_H
#define TENON_DIALECTS_TENON_STATE_H

#include "dialects/tenon/TenonDialect.h"

namespace tenon {

/// The side-effect resource of state ops: it holds states and nothing else.
struct StateResource : mlir::SideEffects::Resource::Base<StateResource> {
  llvm::StringRef getName() final { return "state"; }
};

} // namespace tenon

#define GET_OP_CLASSES
#include "dialects/tenon/State.h.inc"

namespace tenon {

/// The size of dimension `dim` of the state named `state`: a number, or the
/// value of its context extent at the start of the function around `user`.
mlir::OpFoldResult stateExtent(mlir::OpBuilder &builder, mlir::Operation *user,
                               mlir::FlatSymbolRefAttr state, int64_t dim);

} // namespace tenon

#endif // TENON_DIALECTS_TENON_STATE_H
