// A checkpoint's tokenizer in this process: the library's handles as C++
// objects, and its errors as diagnostics.
#ifndef TENON_TOOLS_TENON_LOADEDTOKENIZER_H
#define TENON_TOOLS_TENON_LOADEDTOKENIZER_H

#include "tokenizers/tenon_tokenizers.h"
#include "tools/tenon/Talk.h"

#include <memory>
#include <vector>

namespace tenon::cli {

class LoadedTokenizer {
public:
  /// Opens the tokenizer of a folder, or the file tokenizer.json.
  Status open(Talk &talk, const std::string &path);

  /// The ids of `text`, with the special tokens of the template if wanted.
  Status encode(Talk &talk, llvm::StringRef text, bool addSpecial,
                std::vector<uint32_t> &ids) const;

  const tenon_tokenizer *get() const { return tokenizer.get(); }

private:
  struct Close {
    void operator()(tenon_tokenizer *tokenizer) const {
      tenon_tokenizer_close(tokenizer);
    }
  };
  std::string path;
  std::unique_ptr<tenon_tokenizer, Close> tokenizer;
};

/// Turns ids into text, piece by piece. Each piece has whole characters.
class TextDecoder {
public:
  /// Special tokens are left out of the text if `skipSpecial` is true.
  Status create(Talk &talk, const LoadedTokenizer &tokenizer, bool skipSpecial);

  /// The text that the next id completes; valid until the next call.
  llvm::StringRef push(uint32_t id);

  /// The rest of the text.
  llvm::StringRef finish();

private:
  struct Destroy {
    void operator()(tenon_text_decoder *decoder) const {
      tenon_text_decoder_destroy(decoder);
    }
  };
  std::unique_ptr<tenon_text_decoder, Destroy> decoder;
};

/// Reads ids between blanks and commas; brackets around them are allowed. The
/// result is false if a word is no number.
bool parseIds(llvm::StringRef text, std::vector<int64_t> &ids,
              std::string &wrong);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_LOADEDTOKENIZER_H
