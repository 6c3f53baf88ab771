// Binds the extents given by --shape first, because they may fix a named
// dimension. Then every name is fixed, has a range or stays open.
#include "compiler/import/InputDims.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tenon {

namespace {
class Binder {
public:
  Binder(Builder &builder, const std::vector<DeclaredInput> &inputs,
         const DimErrorHandler &error)
      : builder(builder), inputs(inputs), error(error) {
    for (const DeclaredInput &input : inputs)
      for (const DeclaredDim &dim : input.dims)
        if (dim.size < 0 && !llvm::is_contained(names, dim.name))
          names.push_back(dim.name);
  }

  bool takeDims(const std::vector<DimOption> &dims) {
    SmallVector<NamedAttribute> list;
    for (const DimOption &dim : dims) {
      if (!llvm::is_contained(names, dim.name)) {
        error("no dimension of an input is named '" + dim.name + "'",
              names.empty()
                  ? "the model has no open dimension"
                  : "the open dimensions are " + llvm::join(names, ", "));
        return false;
      }
      ranges[dim.name] = dim;
      if (dim.min == dim.max)
        fixed[dim.name] = dim.min;
      else
        list.push_back(builder.getNamedAttr(
            dim.name, DimRangeAttr::get(builder.getContext(), dim.min, dim.max,
                                        dim.multiple)));
    }
    rangeAttr = cast<DimRangesAttr>(builder.getDictionaryAttr(list));
    return true;
  }

  bool takeShapes(const std::vector<ShapeOption> &shapes) {
    for (const ShapeOption &shape : shapes) {
      const DeclaredInput *input = find(shape.input);
      if (!input) {
        std::vector<std::string> known;
        for (const DeclaredInput &one : inputs)
          known.push_back(one.name);
        error("no input is named '" + shape.input + "'",
              "the inputs are " + llvm::join(known, ", "));
        return false;
      }
      if (shape.dims.size() != input->dims.size()) {
        error("expected a shape of rank " + std::to_string(input->dims.size()) +
                  " for input '" + input->name + "', got " +
                  std::to_string(shape.dims.size()) + " extents",
              "");
        return false;
      }
      for (auto [dim, wanted] : llvm::zip(input->dims, shape.dims))
        if (wanted && !takeExtent(*input, dim, *wanted))
          return false;
      chosen[input->name] = &shape;
    }
    return true;
  }

  void finish(BoundDims &bound) {
    for (const DeclaredInput &input : inputs) {
      std::vector<int64_t> &extents = bound.extents.emplace_back();
      SmallVector<Attribute> named;
      const ShapeOption *shape = chosen.lookup(input.name);
      for (auto [i, dim] : llvm::enumerate(input.dims)) {
        int64_t size = dim.size;
        bool isNamed = size < 0;
        if (auto found = fixed.find(dim.name);
            size < 0 && found != fixed.end()) {
          size = found->second;
        } else if (size < 0 && shape && shape->dims[i]) {
          size = *shape->dims[i];
          isNamed = false;
        }
        extents.push_back(size < 0 ? ShapedType::kDynamic : size);
        named.push_back(isNamed ? Attribute(builder.getStringAttr(dim.name))
                                : builder.getI64IntegerAttr(size));
      }
      bound.names.push_back(builder.getArrayAttr(named));
    }
    bound.ranges = rangeAttr;
  }

private:
  const DeclaredInput *find(const std::string &name) const {
    for (const DeclaredInput &input : inputs)
      if (input.name == name)
        return &input;
    return nullptr;
  }

  /// Checks one extent of --shape against the declared extent and --dim, and
  /// records it. False after an error.
  bool takeExtent(const DeclaredInput &input, const DeclaredDim &dim,
                  int64_t wanted) {
    if (dim.size >= 0 && dim.size != wanted)
      return refuse(input, std::to_string(dim.size), wanted);
    if (dim.size >= 0)
      return true;
    if (auto range = ranges.find(dim.name); range != ranges.end()) {
      const DimOption &allowed = range->second;
      if (wanted < allowed.min || wanted > allowed.max ||
          wanted % allowed.multiple != 0) {
        error("--shape asks for an extent of " + std::to_string(wanted) +
                  " of input '" + input.name +
                  "', which --dim=" + textOf(allowed) + " does not allow",
              "");
        return false;
      }
    }
    if (!dim.isModels)
      return true;
    auto [known, isNew] = fixed.try_emplace(dim.name, wanted);
    return isNew || known->second == wanted ||
           refuse(input, std::to_string(known->second), wanted);
  }

  static std::string textOf(const DimOption &dim) {
    std::string text = dim.name + "=" + std::to_string(dim.min);
    if (dim.max != dim.min)
      text += "..";
    if (dim.max != dim.min && dim.max != INT64_MAX)
      text += std::to_string(dim.max);
    return dim.multiple > 1 ? text + ":" + std::to_string(dim.multiple) : text;
  }

  bool refuse(const DeclaredInput &input, const std::string &declared,
              int64_t wanted) {
    error("input '" + input.name + "' has an extent of " + declared +
              " where " + std::to_string(wanted) + " is asked for",
          "");
    return false;
  }

  Builder &builder;
  const std::vector<DeclaredInput> &inputs;
  const DimErrorHandler &error;
  std::vector<std::string> names; ///< the open names in order of appearance
  llvm::StringMap<DimOption> ranges;
  llvm::StringMap<int64_t> fixed; ///< names that --dim or --shape fixes
  llvm::StringMap<const ShapeOption *> chosen;
  DimRangesAttr rangeAttr;
};
} // namespace

bool bindInputDims(Builder &builder, const std::vector<DeclaredInput> &inputs,
                   const std::vector<DimOption> &dims,
                   const std::vector<ShapeOption> &shapes,
                   const DimErrorHandler &error, BoundDims &bound) {
  Binder binder(builder, inputs, error);
  if (!binder.takeDims(dims) || !binder.takeShapes(shapes))
    return false;
  binder.finish(bound);
  return true;
}

} // namespace tenon
