// The checks of an untrusted table are linear in its size. Children of a node
// lie in one block of 256 units, so all blocks must be whole and every distance
// must lead to a block.
#include "tokenizers/CharsMap.h"

#include "tokenizers/Utf8.h"

#include <algorithm>
#include <cstring>

namespace tenon::tokenizers {

static constexpr size_t blockUnits = 256;
static constexpr uint32_t leafBit = uint32_t(1) << 31;

static bool isLeaf(uint32_t unit) { return unit & leafBit; }
static bool hasLeaf(uint32_t unit) { return unit >> 8 & 1; }
static uint32_t labelOf(uint32_t unit) { return unit & (leafBit | 0xff); }
static size_t childrenOf(size_t node, uint32_t unit) {
  return node ^ size_t(unit >> 10) << ((unit & 0x200) >> 6);
}

template <typename Found>
void CharsMap::search(std::string_view text, Found found) const {
  size_t node = childrenOf(0, units[0]);
  for (size_t i = 0; i < text.size(); ++i) {
    uint8_t byte = text[i];
    node ^= byte;
    uint32_t unit = units[node];
    // A text never has NUL: its unit tells of the replacement.
    if (byte == 0 || labelOf(unit) != byte)
      return;
    node = childrenOf(node, unit);
    if (hasLeaf(unit)) {
      size_t begin = units[node] & ~leafBit;
      if (!found(i + 1, std::string_view(replacements.c_str() + begin)))
        return;
    }
  }
}

std::optional<std::string_view>
CharsMap::findShortest(std::string_view text) const {
  std::optional<std::string_view> result;
  search(text, [&](size_t, std::string_view replacement) {
    result = replacement;
    return false;
  });
  return result;
}

std::optional<CharsMap::Match>
CharsMap::findLongest(std::string_view text) const {
  std::optional<Match> result;
  search(text, [&](size_t length, std::string_view replacement) {
    result = {length, replacement};
    return true;
  });
  return result;
}

/// What is wrong with one of the trie's units, or null.
static const char *problemOf(const std::vector<uint32_t> &units,
                             const std::string &replacements) {
  for (size_t node = 0; node < units.size(); ++node) {
    uint32_t unit = units[node];
    if (isLeaf(unit))
      continue;
    size_t children = childrenOf(node, unit);
    if (children >= units.size())
      return "expected distances within the trie";
    if (!hasLeaf(unit))
      continue;
    size_t place = units[children] & ~leafBit;
    if (!isLeaf(units[children]) || place >= replacements.size() ||
        (static_cast<uint8_t>(replacements[place]) & 0xc0) == 0x80)
      return "expected places of whole characters of the replacements";
  }
  return nullptr;
}

namespace {
/// Measures the longest text of a trie. What follows on a node depends only on
/// where its children are, so places of children are what the search visits.
class Depth {
public:
  explicit Depth(const std::vector<uint32_t> &units)
      : units(units), firsts(units.size() + 1), nodes(units.size()),
        heights(units.size(), unvisited) {
    auto each = [&](auto use) {
      for (size_t node = 0; node < units.size(); ++node)
        if (uint32_t label = labelOf(units[node]); label > 0 && label < 0x100)
          use(node, node ^ label);
    };
    each([&](size_t, size_t place) { ++firsts[place + 1]; });
    for (size_t i = 0; i < units.size(); ++i)
      firsts[i + 1] += firsts[i];
    std::vector<uint32_t> next(firsts.begin(), firsts.end() - 1);
    each([&](size_t node, size_t place) { nodes[next[place]++] = node; });
  }

  /// The bytes of the longest text; nothing if a walk may go on for ever or for
  /// more than `most` bytes.
  std::optional<size_t> measure(size_t most) {
    struct Visit {
      size_t place;
      uint32_t next;
    };
    std::vector<Visit> path;
    auto enter = [&](size_t place) {
      heights[place] = open;
      path.push_back({place, firsts[place]});
    };
    size_t root = childrenOf(0, units[0]);
    enter(root);
    while (!path.empty()) {
      Visit &visit = path.back();
      if (visit.next == firsts[visit.place + 1]) {
        heights[visit.place] = heightOf(visit.place);
        path.pop_back();
        continue;
      }
      size_t node = nodes[visit.next++];
      size_t place = childrenOf(node, units[node]);
      if (heights[place] == open || path.size() > most)
        return std::nullopt;
      if (heights[place] == unvisited)
        enter(place);
    }
    if (heights[root] > most)
      return std::nullopt;
    return heights[root];
  }

private:
  /// One more than the greatest height that follows on a child.
  uint32_t heightOf(size_t place) const {
    uint32_t height = 0;
    for (uint32_t i = firsts[place]; i < firsts[place + 1]; ++i)
      height =
          std::max(height, heights[childrenOf(nodes[i], units[nodes[i]])] + 1);
    return height;
  }

  static constexpr uint32_t unvisited = UINT32_MAX, open = UINT32_MAX - 1;

  const std::vector<uint32_t> &units;
  std::vector<uint32_t> firsts; ///< of each place of children in `nodes`
  std::vector<uint32_t> nodes;
  std::vector<uint32_t> heights;
};
} // namespace

std::optional<CharsMap> CharsMap::read(std::string_view bytes,
                                       const std::string &place,
                                       Findings &findings) {
  auto refuse = [&](const std::string &text) {
    findings.invalid(place, text);
    return std::nullopt;
  };
  auto wordAt = [&](size_t at) {
    uint32_t word = 0;
    for (size_t i = 4; i-- > 0;)
      word = word << 8 | static_cast<uint8_t>(bytes[at + i]);
    return word;
  };
  if (bytes.size() < 4)
    return refuse("expected at least 4 bytes, got " +
                  std::to_string(bytes.size()));
  size_t trieBytes = wordAt(0);
  if (trieBytes == 0 || trieBytes % (4 * blockUnits) != 0 ||
      trieBytes > bytes.size() - 4)
    return refuse("expected a trie of whole blocks of 1024 bytes within " +
                  std::to_string(bytes.size() - 4) + " bytes, got " +
                  std::to_string(trieBytes) + " bytes");
  CharsMap map;
  map.units.reserve(trieBytes / 4);
  for (size_t at = 4; at < 4 + trieBytes; at += 4)
    map.units.push_back(wordAt(at));
  map.replacements = bytes.substr(4 + trieBytes);
  if (!isUtf8(map.replacements))
    return refuse("expected replacements in UTF-8");
  if (const char *problem = problemOf(map.units, map.replacements))
    return refuse(problem);
  if (!Depth(map.units).measure(maxKeyBytes))
    return refuse("expected a trie without circles whose texts have at most " +
                  std::to_string(maxKeyBytes) + " bytes");
  return map;
}

} // namespace tenon::tokenizers
