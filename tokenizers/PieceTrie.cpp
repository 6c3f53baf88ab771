// Nodes in order of their depth: the children of one node are neighbours, so a
// node needs only the place of the first.
#include "tokenizers/PieceTrie.h"

#include "tokenizers/Failure.h"

#include <algorithm>
#include <tuple>

namespace tenon::tokenizers {

PieceTrie::PieceTrie(std::vector<Piece> pieces) {
  std::sort(pieces.begin(), pieces.end(), [](const Piece &a, const Piece &b) {
    return std::tie(a.text, a.number) < std::tie(b.text, b.number);
  });
  /// The pieces that begin with the bytes of a node.
  struct Range {
    size_t begin, end;
  };
  std::vector<Range> level, next;
  level.push_back({0, pieces.size()});
  uint32_t parents = 0; // the first node of the level
  for (size_t depth = 0; !level.empty(); ++depth) {
    uint32_t first = nodes.size();
    next.clear();
    for (size_t i = 0; i < level.size(); ++i) {
      auto [begin, end] = level[i];
      uint32_t children = nodes.size();
      for (; begin < end && pieces[begin].text.size() == depth; ++begin)
        if (depth > 0)
          nodes[parents + i].number = pieces[begin].number;
      while (begin < end) {
        uint8_t byte = pieces[begin].text[depth];
        size_t after = begin;
        while (after < end && uint8_t(pieces[after].text[depth]) == byte)
          ++after;
        if (nodes.size() == maxNodes)
          throw Failure{TENON_TOKENIZER_LIMIT,
                        "expected tokens whose trie has at most " +
                            std::to_string(maxNodes) + " nodes"};
        if (depth == 0)
          roots[byte] = nodes.size();
        nodes.push_back({});
        labels.push_back(byte);
        next.push_back({begin, after});
        begin = after;
      }
      if (depth > 0) {
        nodes[parents + i].children = children;
        nodes[parents + i].count = nodes.size() - children;
      }
    }
    parents = first;
    level.swap(next);
  }
}

} // namespace tenon::tokenizers
