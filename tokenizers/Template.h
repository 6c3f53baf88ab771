// The special tokens that a model wants around a text, such as one for its
// beginning.
#ifndef TENON_TOKENIZERS_TEMPLATE_H
#define TENON_TOKENIZERS_TEMPLATE_H

#include <cstdint>
#include <vector>

namespace tenon::tokenizers {

class Template {
public:
  /// The ids of the text if `ids` is empty, else these ids.
  struct Item {
    std::vector<uint32_t> ids;
  };
  using Items = std::vector<Item>;

  /// Adds a step, which is applied to what the steps before it made.
  void add(Items items) { steps.push_back(std::move(items)); }

  /// Puts ids in their place. Without `addSpecial` only texts are placed.
  std::vector<uint32_t> apply(std::vector<uint32_t> ids,
                              bool addSpecial) const {
    for (const Items &items : steps) {
      std::vector<uint32_t> result;
      result.reserve(ids.size() + items.size());
      for (const Item &item : items) {
        const std::vector<uint32_t> &from = item.ids.empty() ? ids : item.ids;
        if (item.ids.empty() || addSpecial)
          result.insert(result.end(), from.begin(), from.end());
      }
      ids = std::move(result);
    }
    return ids;
  }

private:
  std::vector<Items> steps;
};

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_TEMPLATE_H
