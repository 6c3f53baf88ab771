// Attributes that name extents of a model's inputs. Each is a view of a builtin
// attribute, as FlatSymbolRefAttr is one of SymbolRefAttr: texts keep the plain
// form of arrays and dictionaries.
#ifndef TENON_DIALECTS_TENON_NAMEDDIMS_H
#define TENON_DIALECTS_TENON_NAMEDDIMS_H

#include "mlir/IR/BuiltinAttributes.h"

namespace tenon {

/// The extents of one tensor, `["batch", 4]`: a name or a number for each.
class DimsAttr : public mlir::ArrayAttr {
public:
  using ArrayAttr::ArrayAttr;
  static bool classof(mlir::Attribute attr);

  /// The name of extent `dim`; null if it has a number, an empty name, or is
  /// past the end.
  mlir::StringAttr nameOf(int64_t dim) const;
};

/// A number for each of some named extents, `{batch = 1, seq = 8}`; none is
/// negative.
class DimSizesAttr : public mlir::DictionaryAttr {
public:
  using DictionaryAttr::DictionaryAttr;
  static bool classof(mlir::Attribute attr);

  /// The entries in order of the names.
  llvm::SmallVector<std::pair<mlir::StringAttr, int64_t>> entries() const;
  /// The number of one name; nullopt if it has none.
  std::optional<int64_t> sizeOf(mlir::StringAttr name) const;
};

} // namespace tenon

#endif // TENON_DIALECTS_TENON_NAMEDDIMS_H
