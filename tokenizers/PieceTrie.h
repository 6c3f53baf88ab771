// Finds the tokens that a text begins with, by a trie of their bytes. It is
// built in time and memory that grow with the tokens' bytes, whatever they are.
#ifndef TENON_TOKENIZERS_PIECETRIE_H
#define TENON_TOKENIZERS_PIECETRIE_H

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tenon::tokenizers {

class PieceTrie {
public:
  /// Tokens of more nodes are not accepted; a node takes 13 bytes.
  static constexpr size_t maxNodes = size_t(1) << 23;

  struct Piece {
    std::string_view text;
    uint32_t number;
  };

  PieceTrie() = default;
  /// If texts are equal, the greatest number counts; an empty text is never
  /// found. Throws Failure if there are too many nodes.
  explicit PieceTrie(std::vector<Piece> pieces);

  /// Calls `found(length, number)` for each piece that `text` begins with at
  /// `at`, shortest first.
  template <typename Found>
  void search(std::string_view text, size_t at, Found found) const {
    if (at == text.size())
      return;
    uint32_t node = roots[static_cast<uint8_t>(text[at])];
    for (size_t end = at + 1; node != none; ++end) {
      if (nodes[node].number != none)
        found(end - at, nodes[node].number);
      if (end == text.size())
        return;
      node = childOf(node, text[end]);
    }
  }

private:
  static constexpr uint32_t none = UINT32_MAX;
  static constexpr std::array<uint32_t, 256> noRoots = [] {
    std::array<uint32_t, 256> result{};
    result.fill(none);
    return result;
  }();

  struct Node {
    uint32_t children = 0; ///< the first of them
    uint32_t count = 0;    ///< children
    uint32_t number = none;
  };

  uint32_t childOf(uint32_t node, uint8_t byte) const {
    uint32_t begin = nodes[node].children;
    uint32_t end = begin + nodes[node].count;
    // Most nodes have few children; a search by halves serves the others.
    while (end - begin > 8) {
      uint32_t middle = (begin + end) / 2;
      if (labels[middle] > byte)
        end = middle;
      else
        begin = middle;
    }
    for (; begin < end; ++begin)
      if (labels[begin] == byte)
        return begin;
    return none;
  }

  std::array<uint32_t, 256> roots = noRoots; ///< the node of a first byte
  std::vector<Node> nodes;
  std::vector<uint8_t> labels; ///< the byte that leads to a node
};

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_PIECETRIE_H
