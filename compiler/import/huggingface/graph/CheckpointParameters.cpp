// Looks tensors up and compares them with what a model expects. A stand-in for
// a wrong one lets the model be built to its end, so that all are reported.
#include "compiler/import/huggingface/graph/CheckpointParameters.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tenon::hf {

static std::string spell(ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (int64_t extent : shape)
    text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + "]";
}

Type CheckpointParameters::elementOf(const StoredTensor &tensor) {
  Builder &b = g.ops;
  return llvm::StringSwitch<Type>(tensor.dtype)
      .Case("F64", b.getF64Type())
      .Case("F32", b.getF32Type())
      .Case("F16", b.getF16Type())
      .Case("BF16", b.getBF16Type())
      .Default(Type());
}

Value CheckpointParameters::get(StringRef name, ArrayRef<int64_t> shape) {
  Value &value = values[name];
  // A value of a loop's body cannot be used behind the loop.
  if (value && value.getParentRegion()->isAncestor(
                   g.ops.getInsertionBlock()->getParent()))
    return value;
  if (Operation *made = definitions.lookup(name))
    return value = g.ops.clone(*made)->getResult(0);
  auto define = [&](Value made) {
    definitions[name] = made.getDefiningOp();
    standIns.erase(name);
    return value = made;
  };
  known.insert(name);
  if (!standIns.insert(name).second)
    return value = standIn(shape);
  Type element;
  if (const CheckpointTensor *tensor = checkpoint.find(name.str())) {
    element = elementOf(tensor->stored);
    if (!element)
      unsupportedTypes.push_back({name.str(), tensor->stored.dtype});
    else if (ArrayRef(tensor->stored.dims) != shape)
      wrong.push_back("tensor \"" + name.str() + "\": expected the shape " +
                      spell(shape) + ", got " + spell(tensor->stored.dims));
    else
      return define(make(*tensor, RankedTensorType::get(shape, element)));
  } else {
    wrong.push_back("tensor \"" + name.str() + "\" of shape " + spell(shape) +
                    " is missing");
  }
  return value = standIn(shape);
}

Value CheckpointParameters::standIn(ArrayRef<int64_t> shape) {
  return g.splat(g.f32(), g.indices(shape), 0);
}

std::vector<std::string> CheckpointParameters::unused() const {
  std::vector<std::string> names;
  for (const auto &[name, tensor] : checkpoint.tensors)
    if (!known.contains(name))
      names.push_back(name);
  return names;
}

} // namespace tenon::hf
