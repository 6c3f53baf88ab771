// The open extents of a model's inputs under the names they have, met with what
// the user says of them by --dim and --shape. Shared by the frontends.
#ifndef TENON_COMPILER_IMPORT_INPUTDIMS_H
#define TENON_COMPILER_IMPORT_INPUTDIMS_H

#include "compiler/CompileOptions.h"
#include "dialects/tenon/Annotations.h"

#include "mlir/IR/Builders.h"

#include <functional>
#include <string>
#include <vector>

namespace tenon {

/// One extent as the model declares it.
struct DeclaredDim {
  int64_t size = -1; ///< -1: open
  std::string name;  ///< of an open one
  /// The model gives the name, and with it says that all extents of that name
  /// are one size. Else the name is ours, and --shape parts an extent from it.
  bool isModels = false;
};

struct DeclaredInput {
  std::string name;
  std::vector<DeclaredDim> dims;
};

/// What goes into the graph's signature.
struct BoundDims {
  /// Of each input; ShapedType::kDynamic where it stays open.
  std::vector<std::vector<int64_t>> extents;
  /// The `tenon.dims` of each input: names of open extents and of those the
  /// user fixed, numbers otherwise.
  std::vector<mlir::ArrayAttr> names;
  DimRangesAttr ranges; ///< `tenon.ranges` of the module
};

/// Hears what is wrong with the flags, and what to do.
using DimErrorHandler =
    std::function<void(const std::string &text, const std::string &help)>;

/// False after an error was reported.
bool bindInputDims(mlir::Builder &builder,
                   const std::vector<DeclaredInput> &inputs,
                   const std::vector<DimOption> &dims,
                   const std::vector<ShapeOption> &shapes,
                   const DimErrorHandler &error, BoundDims &bound);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_INPUTDIMS_H
