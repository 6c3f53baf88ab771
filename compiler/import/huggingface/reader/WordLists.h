// The lists of words in the options of generation. A word is a row of tokens.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_READER_WORDLISTS_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_READER_WORDLISTS_H

#include "compiler/import/huggingface/reader/ConfigReader.h"
#include "compiler/import/huggingface/reader/GenerationConfig.h"

namespace tenon::hf {

/// `bad_words_ids`: a list of lists of tokens.
std::vector<std::vector<int64_t>> badWords(const ConfigReader &config);

/// `sequence_bias`: a list of pairs [tokens, bias], or an object from the text
/// of a tuple, such as "(5, 7)", to a bias.
std::vector<BiasedWord> sequenceBias(const ConfigReader &config);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_READER_WORDLISTS_H
