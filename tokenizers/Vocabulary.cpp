// Tokens lie in one block of memory, sorted by id.
#include "tokenizers/Vocabulary.h"

#include "tokenizers/Json.h"

#include <algorithm>

namespace tenon::tokenizers {

Vocabulary Vocabulary::read(const JsonValue &value, const std::string &place,
                            Findings &findings) {
  Vocabulary result;
  if (!value.isObject()) {
    findings.invalid(place, "expected an object of tokens and their ids, got " +
                                value.describe());
    return result;
  }
  size_t bytes = 0;
  for (const JsonMember &member : value.members())
    bytes += member.key.size();
  // Views refer to this memory, so it must not move.
  result.bytes.reserve(bytes + 1);
  result.entries.reserve(value.members().size());
  for (const JsonMember &member : value.members()) {
    if (!member.value.isInteger() || member.value.integer() < 0 ||
        member.value.integer() >= idLimit) {
      findings.invalid(place + "[" + quoted(member.key) + "]",
                       "expected an id from 0 to 2147483647, got " +
                           member.value.describe());
      continue;
    }
    result.add(static_cast<uint32_t>(member.value.integer()), member.key);
  }
  if (value.members().empty())
    findings.invalid(place, "expected at least one token, got none");
  result.finish(place, findings);
  return result;
}

Vocabulary Vocabulary::ofList(std::span<const std::string_view> tokens,
                              std::string_view placeOfToken,
                              Findings &findings) {
  Vocabulary result;
  size_t bytes = 0;
  for (std::string_view token : tokens)
    bytes += token.size();
  result.bytes.reserve(bytes + 1);
  result.entries.reserve(tokens.size());
  result.index = TextIndex(tokens.size());
  for (uint32_t id = 0; id < tokens.size(); ++id) {
    result.add(id, tokens[id]);
    uint32_t first = result.index.add(id, TokenOf{result});
    if (first != id) {
      std::string place(placeOfToken);
      findings.invalid(place.replace(place.find('#'), 1, std::to_string(id)),
                       "expected each token once, got " + quoted(tokens[id]) +
                           " again, the token " + std::to_string(first));
    }
  }
  return result;
}

void Vocabulary::add(uint32_t id, std::string_view token) {
  const char *begin = bytes.data() + bytes.size();
  bytes.insert(bytes.end(), token.begin(), token.end());
  entries.push_back({id, {begin, token.size()}});
}

void Vocabulary::finish(const std::string &place, Findings &findings) {
  std::sort(entries.begin(), entries.end(),
            [](const Entry &a, const Entry &b) { return a.id < b.id; });
  index = TextIndex(entries.size());
  for (uint32_t i = 0; i < entries.size(); ++i) {
    index.add(i, TokenOf{*this});
    if (i > 0 && entries[i].id == entries[i - 1].id)
      findings.invalid(place, "expected each id once, got " +
                                  std::to_string(entries[i].id) + " for " +
                                  quoted(entries[i - 1].token) + " and " +
                                  quoted(entries[i].token));
  }
}

std::string_view Vocabulary::tokenOf(uint32_t id) const {
  // Without gaps the id is the place.
  if (id < entries.size() && entries[id].id == id)
    return entries[id].token;
  auto found = std::lower_bound(
      entries.begin(), entries.end(), id,
      [](const Entry &entry, uint32_t id) { return entry.id < id; });
  return found != entries.end() && found->id == id ? found->token
                                                   : std::string_view();
}

} // namespace tenon::tokenizers
