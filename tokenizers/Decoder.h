// From tokens to text: steps that change single tokens, a rule that joins them,
// and steps that change the text. All of them take one token after another, so
// that text can be shown while a model makes it.
#ifndef TENON_TOKENIZERS_DECODER_H
#define TENON_TOKENIZERS_DECODER_H

#include "tokenizers/Pattern.h"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tenon::tokenizers {

/// Writes `content` for each match in a token.
struct ReplaceInToken {
  Pattern pattern;
  std::string content;
};
/// Tokens like `<0x41>` are bytes; those that are no UTF-8 become U+FFFD.
/// `byCharacter`: only they; otherwise all of a run that is not UTF-8.
struct BytesFromTokens {
  bool byCharacter = false;
};
/// Writes a space for each mark, except in the first token (`keepFirst`: there
/// too).
struct SpacesFromMarks {
  std::string mark;
  bool keepFirst;
};
/// Writes a space for each mark U+2581, except for marks at the beginning of a
/// text, as the sentencepiece library does: none is left out, or one, or one of
/// each token before the first character.
struct SpacesOfPieces {
  enum class LeftOut { None, One, OneOfEach };
  LeftOut leftOut;
};
/// Cuts at most `start` and `stop` times the character `content` off both ends.
struct StripEnds {
  std::string content;
  size_t start, stop;
};

/// What a file says about decoding; never changes after reading.
struct Decoder {
  enum class Join {
    Directly,   ///< one token after another
    WithSpaces, ///< a space between tokens
    AsBytes     ///< characters of ByteLevel.h become bytes
  };
  using TokenStep = std::variant<ReplaceInToken, BytesFromTokens,
                                 SpacesFromMarks, SpacesOfPieces, StripEnds>;

  std::vector<TokenStep> tokenSteps;
  Join join = Join::WithSpaces;
  std::vector<StripEnds> textSteps;
};

/// One text on its way through a decoder. Requires the decoder to outlive it.
class Decoding {
public:
  /// `promptly`: a character of bytes comes out as soon as it is complete, even
  /// if bytes right after it turn out not to be UTF-8. Otherwise a run of such
  /// tokens is judged as a whole, as Hugging Face's library does.
  Decoding(const Decoder &decoder, bool promptly);

  /// Appends to `result` what becomes complete with `token`.
  void push(std::string_view token, std::string &result);
  /// Appends the rest to `result`. The next push begins another text.
  void finish(std::string &result);

private:
  /// What a step remembers.
  struct StepState {
    std::string bytes;    ///< of tokens that are bytes
    bool isFirst = true;  ///< no token has come yet
    size_t startLeft = 0; ///< characters that may still be cut off
    std::string held;     ///< characters that are cut off if nothing follows
  };

  void reset();
  void pushToken(size_t step, std::string_view token, std::string &result);
  std::string spacesOf(std::string_view piece, SpacesOfPieces how,
                       StepState &state) const;
  void pushByte(size_t step, char byte, std::string &result);
  void endBytes(size_t step, std::string &result);
  void joinToken(std::string_view token, std::string &result);
  void pushText(size_t step, std::string_view text, std::string &result);

  const Decoder &decoder;
  bool promptly;
  std::vector<StepState> tokenStates, textStates;
  bool hasTokens = false;
  std::string openBytes; ///< the beginning of a character
};

/// `token` without what `strip` cuts off.
std::string_view stripEnds(std::string_view token, const StripEnds &strip);

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_DECODER_H
