// The processors of scores: they change the scores of the next token by what
// was given and chosen so far. Scores are f32 [rows, vocabulary]; a removed
// score is -inf.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_PROCESSORS_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_PROCESSORS_H

#include "compiler/import/huggingface/generation/Options.h"
#include "compiler/import/huggingface/generation/Sequences.h"

namespace tenon::hf {

/// `scores` after all processors, in the order of PyTorch's generation. They
/// are logits in greedy search and sampling, and log-probabilities in beam
/// search. An option that is off costs a comparison.
mlir::Value processed(GraphBuilder &g, Options &options, const Sequences &at,
                      mlir::Value scores);

/// The log-probabilities of `scores` if `renormalize_logits` is on, else
/// `scores`. It comes after `processed` and, in sampling, `warped`.
mlir::Value renormalized(GraphBuilder &g, Options &options, mlir::Value scores);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_PROCESSORS_H
