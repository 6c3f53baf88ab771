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

#endif // TENON_DIALECTS_TENON_STATE_H
