// Greedy search and sampling: each row chooses its own next token.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_CHOOSETOKENS_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_CHOOSETOKENS_H

#include "compiler/import/huggingface/generation/Call.h"
#include "compiler/import/huggingface/generation/Sequences.h"

namespace tenon::hf {

/// Takes the step by `scores` of the next tokens, f32 [rows, vocabulary], after
/// all processors. Writes the next half of all states that a step changes.
void chooseTokens(const Step &step, const Sequences &at, mlir::Value scores);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_CHOOSETOKENS_H
