// Names of parts, and their weights as f32 values.
#include "compiler/import/huggingface/blocks/Part.h"

using namespace mlir;

namespace tenon::hf {

std::string Part::pathOf(const Twine &child) const {
  std::string leaf = child.str();
  if (name.empty() || leaf.empty())
    return name + leaf;
  return name + "." + leaf;
}

Value Part::weight(StringRef leaf, ArrayRef<int64_t> shape) const {
  return g.convert(stored(leaf, shape), g.f32());
}

Value Part::stored(StringRef leaf, ArrayRef<int64_t> shape) const {
  return parameters.get(pathOf(leaf), shape);
}

Part Part::prefixWith(ArrayRef<StringRef> prefixes, StringRef leaf) const {
  for (StringRef prefix : prefixes)
    if ((*this)[prefix].has(leaf))
      return (*this)[prefix];
  return (*this)[prefixes.front()];
}

void Part::enter() const { g.loc = NameLoc::get(g.ops.getStringAttr(name)); }

} // namespace tenon::hf
