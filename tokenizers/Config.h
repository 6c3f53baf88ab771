// What the files beside a vocabulary say: tokenizer_config.json, and in older
// checkpoints special_tokens_map.json and added_tokens.json.
#ifndef TENON_TOKENIZERS_CONFIG_H
#define TENON_TOKENIZERS_CONFIG_H

#include "tokenizers/AddedTokens.h"
#include "tokenizers/Files.h"

namespace tenon::tokenizers {

struct Config {
  /// A token and the id that the file says, if it says one.
  struct Token {
    AddedToken token;
    std::optional<int64_t> id;
  };

  std::string className; ///< tokenizer_class; empty: not said
  bool prefixSpace = false;
  bool legacy = true;                    ///< how T5 divides at tokens
  std::optional<int64_t> extraIds;       ///< tokens of T5 for parts left out
  bool addBegin = false, addEnd = false; ///< add_bos_token, add_eos_token
  std::string begin, end;                ///< the texts of these tokens
  std::vector<Token> tokens;             ///< in the order of their addition
};

/// Reads the files that are there. Throws Failure.
Config readConfig(const Files &files);

/// Adds the tokens of `config` that are not there yet. Throws Failure.
void addTokens(const Config &config, const Files &files,
               const Vocabulary &vocabulary, const Normalizer &normalizer,
               AddedTokens &added);

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_CONFIG_H
