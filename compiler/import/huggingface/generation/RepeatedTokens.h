// Processors against repetition: of tokens and of n-grams, in all that was
// given and chosen so far, or in the source only: the prompt or, in a model
// with an encoder, what that has read. Pads of prompts count as tokens.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_REPEATEDTOKENS_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_REPEATEDTOKENS_H

#include "compiler/import/huggingface/generation/Scores.h"

namespace tenon::hf {

/// repetition_penalty: divides the positive scores of tokens that are there by
/// the penalty and multiplies the negative ones.
void penalizeRepetition(Scores &scores);
/// encoder_repetition_penalty: raises the scores of the source's tokens.
void favourSource(Scores &scores);

/// no_repeat_ngram_size: removes tokens that would complete an n-gram that is
/// there.
void banNgrams(Scores &scores);
/// encoder_no_repeat_ngram_size: the same with the n-grams of the source.
void banSourceNgrams(Scores &scores);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_REPEATEDTOKENS_H
