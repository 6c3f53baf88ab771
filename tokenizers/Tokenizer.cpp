// The way of a text to ids and back.
#include "tokenizers/Tokenizer.h"

#include "tokenizers/Utf8.h"

namespace tenon::tokenizers {

std::unique_ptr<Tokenizer> Tokenizer::make(const Files &files) {
  if (files.find("tokenizer.json"))
    return std::make_unique<Tokenizer>(readTokenizerJson(files));
  if (files.find("vocab.json") && files.find("merges.txt"))
    return std::make_unique<Tokenizer>(readVocabularyAndMerges(files));
  if (files.find("spiece.model"))
    return std::make_unique<Tokenizer>(readSentencePiece(files));
  std::string path = files.getPath();
  throw Failure{TENON_TOKENIZER_INVALID,
                (path.empty() ? "" : path + ": ") +
                    "expected tokenizer.json, or vocab.json and merges.txt, or "
                    "spiece.model, got none of them"};
}

std::vector<uint32_t> Tokenizer::encode(std::string_view text,
                                        bool addSpecial) const {
  if (text.size() > maxTextBytes)
    throw Failure{TENON_TOKENIZER_LIMIT,
                  "expected a text of at most " + std::to_string(maxTextBytes) +
                      " bytes, got " + std::to_string(text.size())};
  Pieces pieces;
  pieces.text = wellFormed(text);
  if (!pieces.text.empty())
    pieces.list.push_back({0, pieces.text.size(), TENON_TOKENIZER_NO_ID,
                           /*isFirst=*/true});
  parts.added.divideOriginal(pieces);
  if (!parts.normalizer.isEmpty())
    pieces.rewriteText(
        [&](std::string_view text, Piece &piece, std::string &result) {
          bool keepsStart = true;
          result += parts.normalizer.apply(std::string(text), keepsStart);
          piece.isFirst = piece.isFirst && keepsStart;
        });
  parts.added.divideNormalized(pieces);
  parts.preTokenizer.apply(pieces);
  std::vector<uint32_t> ids;
  for (const Piece &piece : pieces.list) {
    if (piece.isText())
      parts.model->encode(pieces.textOf(piece), ids);
    else
      ids.push_back(piece.token);
  }
  return parts.around.apply(std::move(ids), addSpecial);
}

std::string Tokenizer::decode(std::span<const uint32_t> ids,
                              bool skipSpecial) const {
  std::string text;
  Decoding decoding(parts.decoder, /*promptly=*/false);
  for (uint32_t id : ids) {
    std::string_view token = tokenOf(id);
    if (token.data() && !(skipSpecial && isSpecial(id)))
      decoding.push(token, text);
  }
  decoding.finish(text);
  return text;
}

std::string_view Tokenizer::tokenOf(uint32_t id) const {
  std::string_view token = parts.added.tokenOf(id);
  return token.data() ? token : parts.model->getVocabulary().tokenOf(id);
}

uint32_t Tokenizer::find(std::string_view token) const {
  uint32_t id = parts.added.find(token);
  return id != TENON_TOKENIZER_NO_ID ? id
                                     : parts.model->getVocabulary().find(token);
}

size_t Tokenizer::size() const {
  return parts.model->getVocabulary().size() + parts.added.countBeyond();
}

} // namespace tenon::tokenizers
