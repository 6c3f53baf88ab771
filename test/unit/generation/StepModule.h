// A module with the entries `start`, which keeps the options of generation in
// states, and `process`, `process_with_source` and `warp`, which change given
// scores.
#ifndef TENON_TEST_UNIT_GENERATION_STEPMODULE_H
#define TENON_TEST_UNIT_GENERATION_STEPMODULE_H

#include "compiler/import/huggingface/generation/Options.h"

#include "mlir/IR/MLIRContext.h"

namespace tenon::test {

/// The module at phase `imported`. The inputs of `start` are those of all
/// options, with `defaults`. Those of `process` and `warp` are `scores` and the
/// members of hf::Sequences; `process_with_source` has the input `source` too,
/// as a model with an encoder has it. The output of `process` is the scores
/// after the processors, that of `warp` after the warpers and renormalized.
mlir::OwningOpRef<mlir::ModuleOp>
makeStepModule(mlir::MLIRContext &context, const hf::GenerationConfig &defaults,
               int64_t vocabulary,
               hf::Compatibility compatibility = hf::Compatibility::Pt);

} // namespace tenon::test

#endif // TENON_TEST_UNIT_GENERATION_STEPMODULE_H
