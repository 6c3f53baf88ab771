// Greedy search and sampling: each row chooses its own next token.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_CHOOSETOKENS_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_CHOOSETOKENS_H

#include "compiler/import/huggingface/generation/AppendTokens.h"
#include "compiler/import/huggingface/generation/Sequences.h"

namespace tenon::hf {

/// Chooses by `scores` of the next tokens, f32 [texts, vocabulary], after all
/// processors. Each text is a row of the model.
Proposal chooseTokens(const Step &step, const Sequences &at,
                      mlir::Value scores);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_CHOOSETOKENS_H
