// A hash table of numbered texts, which someone else keeps: four to eight bytes
// for each text.
#ifndef TENON_TOKENIZERS_TEXTINDEX_H
#define TENON_TOKENIZERS_TEXTINDEX_H

#include <bit>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace tenon::tokenizers {

class TextIndex {
public:
  static constexpr uint32_t none = UINT32_MAX;

  /// Room for `count` texts.
  explicit TextIndex(size_t count = 0)
      : numbers(std::bit_ceil(2 * count + 1), none) {}

  /// The number of the text, or `none`. `textOf` gives the text of a number.
  template <typename TextOf>
  uint32_t find(std::string_view text, TextOf textOf) const {
    return numbers[place(text, textOf)];
  }

  /// Adds the text of `number`, unless an equal text is there. Returns the
  /// number that the text has then.
  template <typename TextOf> uint32_t add(uint32_t number, TextOf textOf) {
    uint32_t &slot = numbers[place(textOf(number), textOf)];
    if (slot == none)
      slot = number;
    return slot;
  }

private:
  /// The slot of the text, or the one where it belongs.
  template <typename TextOf>
  size_t place(std::string_view text, TextOf textOf) const {
    size_t at = std::hash<std::string_view>()(text) & (numbers.size() - 1);
    while (numbers[at] != none && textOf(numbers[at]) != text)
      at = (at + 1) & (numbers.size() - 1);
    return at;
  }

  std::vector<uint32_t> numbers; ///< at most half of the slots are taken
};

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_TEXTINDEX_H
