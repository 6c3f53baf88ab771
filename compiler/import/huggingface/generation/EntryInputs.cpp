// Inputs of equal names in several entries are declared once: their sizes have
// one bound.
#include "compiler/import/huggingface/generation/EntryInputs.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tenon::hf {

EntryInputs::EntryInputs(const Config &config) {
  EncoderInput::Extent rows{"rows"};
  auto tokens = [&](const std::string &prefix, const std::string &columns) {
    declare({prefix + "ids", {rows, {columns}}});
    declare({prefix + "lengths", {rows}});
    bounds.push_back({columns, config.positions()});
  };
  tokens("", "seq");
  if (!config.hasEncoder())
    return;
  tokens("decoder_", "decoder_seq");
  encoderInputs = encoderInputsOf(config);
  for (const auto *list : {&encoderInputs.alone, &encoderInputs.inStart})
    for (const EncoderInput &input : *list)
      declare(input);
  llvm::append_range(bounds, encoderInputs.bounds);
}

void EntryInputs::declare(const EncoderInput &input) {
  if (llvm::any_of(inputs, [&](const DeclaredInput &other) {
        return other.name == input.name;
      }))
    return;
  DeclaredInput declared{input.name, {}};
  for (const EncoderInput::Extent &extent : input.extents)
    declared.dims.push_back({extent.size, extent.name, extent.size < 0});
  inputs.push_back(std::move(declared));
  isFloat.push_back(input.isFloat);
}

/// Bounds the named extents that the options leave open.
bool EntryInputs::takeBounds(std::vector<DimOption> &dims,
                             const DimErrorHandler &error) {
  auto range = [&](const std::string &name, int64_t most) -> DimOption & {
    for (DimOption &dim : dims)
      if (dim.name == name)
        return dim;
    return dims.emplace_back(DimOption{name, 1, most});
  };
  bool isEmpty = range("rows", INT64_MAX).min < 1;
  for (const auto &[name, most] : bounds) {
    DimOption &dim = range(name, most);
    if (dim.max == INT64_MAX)
      dim.max = most;
    isEmpty |= dim.min < 1;
    if (name == "seq")
      longestIds = dim.max;
    if (dim.max > most && !isEmpty) {
      error("--dim gives " + name + " up to " + std::to_string(dim.max) +
                ", and the model has " + std::to_string(most) + " positions",
            "");
      return false;
    }
  }
  if (isEmpty)
    error("expected at least one row and one position", "");
  return !isEmpty;
}

bool EntryInputs::bind(Builder &builder, const std::vector<DimOption> &options,
                       const std::vector<ShapeOption> &shapes,
                       const DimErrorHandler &error) {
  std::vector<DimOption> dims = options;
  if (!takeBounds(dims, error) ||
      !bindInputDims(builder, inputs, dims, shapes, error, bound))
    return false;
  if (int64_t fixed = bound.extents[0][1]; !ShapedType::isDynamic(fixed))
    longestIds = fixed;
  return true;
}

EntryArgument EntryInputs::argument(Builder &builder, StringRef name) const {
  for (auto [i, input] : llvm::enumerate(inputs))
    if (input.name == name)
      return {input.name,
              RankedTensorType::get(bound.extents[i],
                                    isFloat[i] ? Type(builder.getF32Type())
                                               : builder.getI64Type()),
              bound.names[i]};
  llvm_unreachable("an input that the constructor declares");
}

std::vector<EncoderArgument>
encoderArguments(const std::vector<EncoderInput> &inputs, ValueRange arguments,
                 size_t first) {
  std::vector<EncoderArgument> result;
  for (const EncoderInput &input : inputs)
    result.push_back({input.name, arguments[first + result.size()]});
  return result;
}

} // namespace tenon::hf
