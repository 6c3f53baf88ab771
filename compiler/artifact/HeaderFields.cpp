// Writes extents as C expressions, and comments on members.
#include "compiler/artifact/HeaderFields.h"

#include "compiler/artifact/CSpelling.h"
#include "compiler/report/NumberText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::formatv;

namespace tenon {

std::string Extent::value() const {
  std::string given;
  for (auto [field, d] : owners) {
    if (!field->isOptional())
      return "in->" + name;
    given += (given.empty() ? "in->" : " || in->") + field->name;
  }
  auto [field, d] = owners.front();
  return formatv("({0} ? in->{1} : {2})", given, name,
                 cNumber(field->tensor->defaultValue->dims[d]));
}

std::string shapeText(const TensorFacts &tensor) {
  static const char *const names[] = {"?",   "f32", "f64", "f16", "bf16",
                                      "i8",  "i16", "i32", "i64", "u8",
                                      "u16", "u32", "u64", "bool"};
  std::string text = std::string(names[tensor.dtype]) + " [";
  for (auto [d, dim] : llvm::enumerate(tensor.dims)) {
    text += d ? ", " : "";
    text += dim.size >= 0 ? std::to_string(dim.size)
                          : cComment(dim.name.empty() ? "?" : dim.name);
  }
  return text + "]";
}

std::string rangeText(const DimFacts &dim) {
  std::string text = "at least " + std::to_string(dim.min);
  if (dim.max != INT64_MAX)
    text = formatv("{0} to {1}", dim.min, dim.max);
  if (dim.multiple > 1)
    text += formatv(", a multiple of {0}", dim.multiple).str();
  return text;
}

std::string notesText(const TensorFacts &tensor) {
  std::string text;
  if (tensor.bounds)
    text = ", " + boundsText(numberText(tensor.bounds->least, tensor.dtype),
                             numberText(tensor.bounds->greatest, tensor.dtype));
  return tensor.defaultValue ? text + "; null: its default" : text;
}

} // namespace tenon
