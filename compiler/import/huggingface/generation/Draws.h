// The random numbers of sampling.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_DRAWS_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_DRAWS_H

#include "compiler/import/graph/GraphBuilder.h"

namespace tenon::hf {

/// Noise with the Gumbel distribution for the tokens `columns`, i64 [rows, n].
/// The place of the greatest sum of scores and noise is distributed by the
/// softmax of the scores; the places of the k greatest are k draws without
/// replacement (Kool, van Hoof, Welling: Stochastic Beams and Where to Find
/// Them, 2019). The noise of a token is a function of the token, of `seed`, an
/// i64 of rank 0, of the row's number and of `step`.
mlir::Value gumbelNoise(GraphBuilder &g, mlir::Value seed, Size step,
                        mlir::Value columns);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_DRAWS_H
