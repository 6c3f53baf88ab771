// tenon.state and the ops that read and write it: what a context keeps from
// run to run.
#ifndef TENON_DIALECTS_TENON_STATE_H
#define TENON_DIALECTS_TENON_STATE_H

#include "dialects/tenon/TenonDialect.h"

namespace tenon {

/// What state ops have effects on: states, and nothing that other ops read.
struct StateResource : mlir::SideEffects::Resource::Base<StateResource> {
  llvm::StringRef getName() final { return "state"; }
};

} // namespace tenon

#define GET_OP_CLASSES
#include "dialects/tenon/State.h.inc"

#endif // TENON_DIALECTS_TENON_STATE_H
