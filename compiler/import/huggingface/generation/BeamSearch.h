// Beam search and beam sampling, as the libraries of PyTorch and TensorFlow do
// it since 4.56 and 4.37.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_BEAMSEARCH_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_BEAMSEARCH_H

#include "compiler/import/huggingface/generation/Call.h"
#include "compiler/import/huggingface/generation/Sequences.h"

namespace tenon::hf {

/// The score of a beam that is not there.
inline constexpr double noScore = -1e9;

/// Takes the step by `scores` of the next tokens, f32 [rows, vocabulary], after
/// all processors. Writes the next half of all states that a step changes.
void searchBeams(const Step &step, const Sequences &at, mlir::Value scores,
                 Compatibility compatibility);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_BEAMSEARCH_H
