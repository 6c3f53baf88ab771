// Processors of the first and the last token, and of tokens that are never
// chosen.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_ENDINGS_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_ENDINGS_H

#include "compiler/import/huggingface/generation/Scores.h"

namespace tenon::hf {

/// min_length and min_new_tokens: no end token before these lengths.
void forbidEarlyEnd(Scores &scores);
/// forced_bos_token_id: the only token after one id.
void forceFirstToken(Scores &scores);
/// forced_eos_token_id: the only tokens at the last place.
void forceEnd(Scores &scores);
/// exponential_decay_start and exponential_decay_factor: raises the scores of
/// end tokens more and more.
void raiseEnd(Scores &scores);
/// suppress_tokens: these tokens are never chosen.
void suppressTokens(Scores &scores);
/// begin_suppress_tokens: nor are these as the first new token.
void suppressFirstTokens(Scores &scores);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_ENDINGS_H
