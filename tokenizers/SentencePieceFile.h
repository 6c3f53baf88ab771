// The content of a spiece.model, the file of the sentencepiece library: a
// protobuf message of the type ModelProto.
#ifndef TENON_TOKENIZERS_SENTENCEPIECEFILE_H
#define TENON_TOKENIZERS_SENTENCEPIECEFILE_H

#include "tokenizers/CharsMap.h"
#include "tokenizers/Failure.h"

#include <optional>
#include <string_view>
#include <vector>

namespace tenon::tokenizers {

struct SentencePieceFile {
  static constexpr size_t maxPieces = size_t(1) << 20;

  enum class Type : uint8_t {
    Normal = 1,
    Unknown = 2,
    Control = 3,
    UserDefined = 4,
    Unused = 5,
    Byte = 6
  };
  struct Piece {
    std::string_view text;
    float score = 0;
    Type type = Type::Normal;
  };

  std::vector<Piece> pieces; ///< by id
  bool byteFallback = false;
  bool suffixSpace = false; ///< the added space comes last
  std::optional<CharsMap> map;
  bool addSpace = true;          ///< before or after each text
  bool removeExtraSpaces = true; ///< at the ends, and after another one
  bool markSpaces = true;        ///< a space becomes U+2581

  /// Reads a file, which must outlive the result. `name` is for messages.
  /// Throws Failure.
  static SentencePieceFile read(std::string_view bytes,
                                const std::string &name);
};

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_SENTENCEPIECEFILE_H
