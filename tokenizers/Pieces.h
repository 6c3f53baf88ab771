// A text on its way to ids: pieces of one string, in order. A piece is a token
// that was found already, or text that is still to be divided.
#ifndef TENON_TOKENIZERS_PIECES_H
#define TENON_TOKENIZERS_PIECES_H

#include "tokenizers/tenon_tokenizers.h"

#include <string>
#include <string_view>
#include <vector>

namespace tenon::tokenizers {

/// The bytes from `begin` to `end` of the string.
struct Piece {
  size_t begin, end;
  uint32_t token = TENON_TOKENIZER_NO_ID; ///< NO_ID: text
  bool isFirst = false;                   ///< begins where the user's text does

  bool isText() const { return token == TENON_TOKENIZER_NO_ID; }
};

struct Pieces {
  std::string text;
  std::vector<Piece> list;

  std::string_view textOf(const Piece &piece) const {
    return std::string_view(text).substr(piece.begin, piece.end - piece.begin);
  }

  /// Adds the piece from `begin` to `end` of the piece `whole`, if it is not
  /// empty.
  void addPart(const Piece &whole, size_t begin, size_t end) {
    if (begin < end)
      list.push_back({begin, end, TENON_TOKENIZER_NO_ID,
                      whole.isFirst && begin == whole.begin});
  }

  /// Replaces each piece of text by the pieces that `divide(piece)` adds.
  template <typename Divide> void divideText(Divide divide) {
    std::vector<Piece> before;
    before.swap(list);
    list.reserve(before.size());
    for (const Piece &piece : before) {
      if (piece.isText())
        divide(piece);
      else
        list.push_back(piece);
    }
  }

  /// Gives each piece of text what `rewrite(text, piece, result)` appends to
  /// the new string; it may change the piece's `isFirst`. Pieces that become
  /// empty are removed.
  template <typename Rewrite> void rewriteText(Rewrite rewrite) {
    std::string result;
    result.reserve(text.size() + text.size() / 4);
    for (Piece &piece : list) {
      if (!piece.isText())
        continue;
      std::string_view old = textOf(piece);
      size_t begin = result.size();
      rewrite(old, piece, result);
      piece.begin = begin;
      piece.end = result.size();
    }
    text = std::move(result);
    std::erase_if(list, [](const Piece &piece) {
      return piece.isText() && piece.begin == piece.end;
    });
  }
};

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_PIECES_H
