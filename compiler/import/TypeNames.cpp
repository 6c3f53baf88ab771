// Conversions between element types and their names.
#include "compiler/import/TypeNames.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tenon {

Type elementTypeNamed(MLIRContext *context, StringRef name) {
  if (name == "f32")
    return Float32Type::get(context);
  if (name == "f64")
    return Float64Type::get(context);
  if (name == "f16")
    return Float16Type::get(context);
  if (name == "bf16")
    return BFloat16Type::get(context);
  if (name == "bool")
    return IntegerType::get(context, 1);
  unsigned width = llvm::StringSwitch<unsigned>(name.drop_front(!name.empty()))
                       .Case("8", 8)
                       .Case("16", 16)
                       .Case("32", 32)
                       .Case("64", 64)
                       .Default(0);
  if (width != 0 && name.front() == 'i')
    return IntegerType::get(context, width);
  if (width != 0 && name.front() == 'u')
    return IntegerType::get(context, width, IntegerType::Unsigned);
  return {};
}

std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto tensor = dyn_cast<RankedTensorType>(type);
  Type element = tensor ? tensor.getElementType() : type;
  if (element.isInteger(1))
    os << "bool";
  else
    os << element;
  if (!tensor)
    return text;
  os << "[";
  llvm::interleave(
      tensor.getShape(),
      [&](int64_t extent) {
        if (ShapedType::isDynamic(extent))
          os << "?";
        else
          os << extent;
      },
      [&] { os << ","; });
  os << "]";
  return text;
}

std::string textOf(Value value) { return textOf(value.getType()); }

} // namespace tenon
