// A module with two entries: `start` keeps the options of generation in states,
// and `step` applies processors and warpers to given scores.
#ifndef TENON_TEST_UNIT_GENERATION_STEPMODULE_H
#define TENON_TEST_UNIT_GENERATION_STEPMODULE_H

#include "compiler/import/huggingface/generation/Options.h"

#include "mlir/IR/MLIRContext.h"

namespace tenon::test {

/// The module at phase `imported`. The inputs of `start` are those of all
/// options. Those of `step` are the members of hf::Sequences and `scores`; its
/// outputs are the scores after the processors, after the warpers too, and
/// renormalized. The defaults of the inputs are `defaults`.
mlir::OwningOpRef<mlir::ModuleOp>
makeStepModule(mlir::MLIRContext &context, const hf::GenerationConfig &defaults,
               int64_t vocabulary,
               hf::Compatibility compatibility = hf::Compatibility::Pt);

} // namespace tenon::test

#endif // TENON_TEST_UNIT_GENERATION_STEPMODULE_H
