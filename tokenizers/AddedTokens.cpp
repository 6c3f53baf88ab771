// The search for added tokens, and the ids that they get. Both follow Hugging
// Face's library: the leftmost of the longest tokens is found, and the ids of a
// file must be the ones that its library would give.
#include "tokenizers/AddedTokens.h"

#include "tokenizers/Unicode.h"
#include "tokenizers/Utf8.h"

#include <algorithm>

namespace tenon::tokenizers {

void AddedTokens::beginFile(const Vocabulary &vocabulary) {
  nextId = static_cast<uint32_t>(vocabulary.size());
  if (!tokens.empty())
    nextId = std::max(nextId, tokens.rbegin()->first + 1);
}

void AddedTokens::add(AddedToken token, std::optional<int64_t> stated,
                      const std::string &place, const Vocabulary &vocabulary,
                      const Normalizer &normalizer, Findings &findings) {
  if (token.content.empty() || token.content.size() > maxContentBytes) {
    findings.invalid(
        place, "expected a token of 1 to " + std::to_string(maxContentBytes) +
                   " bytes, got " + std::to_string(token.content.size()));
    return;
  }
  if (contains(token.content)) {
    findings.invalid(place, "expected each token once, got " +
                                quoted(token.content) + " twice");
    return;
  }
  uint32_t id = vocabulary.find(token.content);
  if (id == TENON_TOKENIZER_NO_ID) {
    id = nextId++;
    ++beyond;
  }
  if (stated && *stated != int64_t(id)) {
    findings.invalid(place, "expected the id " + std::to_string(id) + " for " +
                                quoted(token.content) + ", got " +
                                std::to_string(*stated));
    return;
  }
  std::string_view taken = vocabulary.tokenOf(id);
  if (taken.data() && taken != token.content) {
    findings.invalid(place, "expected an id of its own for " +
                                quoted(token.content) + ", got " +
                                std::to_string(id) + ", the id of " +
                                quoted(taken));
    return;
  }
  std::string shown =
      token.normalized ? normalizer.apply(token.content) : token.content;
  if (shown.empty()) {
    findings.invalid(place, "expected a token that is not empty after "
                            "normalization, got " +
                                quoted(token.content));
    return;
  }
  if (token.special)
    specials.insert(token.content);
  ids.emplace(token.content, id);
  tokens.emplace(id, Entry{std::move(token), std::move(shown)});
}

void AddedTokens::finish(Findings &findings) {
  prepare(original, false, findings);
  prepare(normalized, true, findings);
}

void AddedTokens::prepare(Finder &finder, bool isNormalized,
                          Findings &findings) {
  finder = {};
  for (const auto &[id, entry] : tokens) {
    if (entry.token.normalized != isNormalized)
      continue;
    finder.contents.push_back({entry.shown, id});
    finder.begins[static_cast<uint8_t>(entry.shown[0])] = true;
  }
  std::sort(finder.contents.begin(), finder.contents.end(),
            [](const auto &a, const auto &b) { return a.text < b.text; });
  for (size_t i = 1; i < finder.contents.size(); ++i)
    if (finder.contents[i].text == finder.contents[i - 1].text)
      findings.invalid("added_tokens",
                       "expected tokens that normalization keeps apart, got " +
                           quoted(finder.contents[i].text) + " twice");
}

const AddedTokens::Finder::Content *
AddedTokens::Finder::longestAt(std::string_view text, size_t at) const {
  if (!begins[static_cast<uint8_t>(text[at])])
    return nullptr;
  const Content *best = nullptr;
  auto begin = contents.begin(), end = contents.end();
  // From begin to end are the contents that begin as the text does.
  for (size_t depth = 0; begin != end; ++depth) {
    if (begin->text.size() == depth)
      best = &*begin++;
    if (begin == end || at + depth == text.size())
      break;
    uint8_t byte = text[at + depth];
    begin = std::partition_point(begin, end, [&](const Content &content) {
      return static_cast<uint8_t>(content.text[depth]) < byte;
    });
    end = std::partition_point(begin, end, [&](const Content &content) {
      return static_cast<uint8_t>(content.text[depth]) == byte;
    });
  }
  return best;
}

/// True if no character of a word stands before text[begin] or at text[end].
static bool standsAlone(std::string_view text, size_t begin, size_t end) {
  if (begin > 0 && isWord(codePointAt(text, previousCharacter(text, begin))))
    return false;
  return end == text.size() || !isWord(codePointAt(text, end));
}

void AddedTokens::divide(Pieces &pieces, const Finder &finder) const {
  if (finder.contents.empty())
    return;
  pieces.divideText([&](const Piece &piece) {
    std::string_view text = pieces.textOf(piece);
    size_t taken = 0; // all before it is in pieces
    for (size_t at = 0; at < text.size();) {
      const Finder::Content *found = finder.longestAt(text, at);
      if (!found) {
        ++at;
        continue;
      }
      size_t begin = at, end = at + found->text.size();
      at = end;
      const AddedToken &token = tokens.find(found->id)->second.token;
      if (token.singleWord && !standsAlone(text, begin, end))
        continue;
      while (token.leftStrip && begin > taken) {
        size_t before = previousCharacter(text, begin);
        if (!isSpace(codePointAt(text, before)))
          break;
        begin = before;
      }
      while (token.rightStrip && end < text.size() &&
             isSpace(codePointAt(text, end)))
        end += lengthFromFirst(text[end]);
      pieces.addPart(piece, piece.begin + taken, piece.begin + begin);
      pieces.list.push_back(
          {piece.begin + begin, piece.begin + end, found->id});
      taken = end;
    }
    pieces.addPart(piece, piece.begin + taken, piece.end);
  });
}

} // namespace tenon::tokenizers
