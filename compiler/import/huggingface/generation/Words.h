// Processors of words: tokens in a row whose last token gets a bias when the
// others are the last ids.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_WORDS_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_WORDS_H

#include "compiler/import/huggingface/generation/Scores.h"

namespace tenon::hf {

/// sequence_bias: adds the biases of all words that match.
void addSequenceBias(Scores &scores);
/// bad_words_ids: removes the last tokens of words that match.
void banWords(Scores &scores);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_WORDS_H
