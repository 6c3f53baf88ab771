// Views of builtin attributes: `classof` is their whole verifier.
#include "dialects/tenon/NamedDims.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace tenon {

static bool isNumber(Attribute attr) {
  auto number = dyn_cast<IntegerAttr>(attr);
  return number && number.getType().isSignlessInteger(64) &&
         number.getInt() >= 0;
}

bool DimsAttr::classof(Attribute attr) {
  auto entries = dyn_cast<ArrayAttr>(attr);
  return entries && llvm::all_of(entries, [](Attribute entry) {
           return isa<StringAttr>(entry) || isNumber(entry);
         });
}

StringAttr DimsAttr::nameOf(int64_t dim) const {
  if (dim >= int64_t(size()))
    return {};
  auto name = dyn_cast<StringAttr>(getValue()[dim]);
  return name && !name.empty() ? name : StringAttr();
}

bool DimSizesAttr::classof(Attribute attr) {
  auto entries = dyn_cast<DictionaryAttr>(attr);
  return entries && llvm::all_of(entries, [](NamedAttribute entry) {
           return isNumber(entry.getValue());
         });
}

SmallVector<std::pair<StringAttr, int64_t>> DimSizesAttr::entries() const {
  SmallVector<std::pair<StringAttr, int64_t>> found;
  for (NamedAttribute entry : *this)
    found.emplace_back(entry.getName(),
                       cast<IntegerAttr>(entry.getValue()).getInt());
  return found;
}

std::optional<int64_t> DimSizesAttr::sizeOf(StringAttr name) const {
  auto number = getAs<IntegerAttr>(name);
  return number ? std::optional(number.getInt()) : std::nullopt;
}

} // namespace tenon
