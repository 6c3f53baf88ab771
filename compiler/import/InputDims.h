// Combines the named dimensions of a model's inputs with the options --dim and
// --shape. Used by all frontends.
#ifndef TENON_COMPILER_IMPORT_INPUTDIMS_H
#define TENON_COMPILER_IMPORT_INPUTDIMS_H

#include "compiler/options/CompileOptions.h"
#include "dialects/tenon/Annotations.h"

#include "mlir/IR/Builders.h"

#include <functional>
#include <string>
#include <vector>

namespace tenon {

/// One extent of an input as the model declares it.
struct DeclaredDim {
  int64_t size = -1; ///< -1: dynamic
  std::string name;  ///< the name of a dynamic extent
  /// True if the model gives the name. Then all extents of that name are equal.
  /// Otherwise the importer invented the name, and --shape may give an extent
  /// of that name a size of its own.
  bool isModels = false;
};

struct DeclaredInput {
  std::string name;
  std::vector<DeclaredDim> dims;
};

/// The extents and names for the graph's signature.
struct BoundDims {
  /// The extents of each input; ShapedType::kDynamic if dynamic.
  std::vector<std::vector<int64_t>> extents;
  /// The attribute `tenon.dims` of each input: a name for a dynamic extent and
  /// for one that the user fixed, else a number.
  std::vector<mlir::ArrayAttr> names;
  DimRangesAttr ranges; ///< `tenon.ranges` of the module
};

/// Receives an error in the options, and advice how to correct it.
using DimErrorHandler =
    std::function<void(const std::string &text, const std::string &help)>;

/// Fills `bound`. False after an error that `error` has received.
bool bindInputDims(mlir::Builder &builder,
                   const std::vector<DeclaredInput> &inputs,
                   const std::vector<DimOption> &dims,
                   const std::vector<ShapeOption> &shapes,
                   const DimErrorHandler &error, BoundDims &bound);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_INPUTDIMS_H
