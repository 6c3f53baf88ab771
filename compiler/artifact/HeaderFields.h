// The members of the structs that a header gives a function's inputs and
// outputs, and their comments.
#ifndef TENON_COMPILER_ARTIFACT_HEADERFIELDS_H
#define TENON_COMPILER_ARTIFACT_HEADERFIELDS_H

#include "compiler/artifact/ModelFacts.h"

#include <string>
#include <vector>

namespace tenon {

/// A tensor and its member name in C.
struct Field {
  const TensorFacts *tensor;
  std::string name;
  std::string symbol;            ///< unique among inputs and outputs
  std::vector<std::string> dims; ///< a C expression per extent
  bool dynamic = false;

  bool isOptional() const { return tensor->defaultValue.has_value(); }
};

/// A dynamic extent of the inputs and its member name.
struct Extent {
  DimFacts dim;
  std::string name;
  /// The inputs that have it, each with the number of the dimension.
  std::vector<std::pair<const Field *, size_t>> owners;

  /// A C expression. If all inputs with the extent are left out, their default
  /// gives its size.
  std::string value() const;
};

/// "f32 [batch, 4]"
std::string shapeText(const TensorFacts &tensor);

/// The sizes that an extent may have: "1 to 8, a multiple of 2".
std::string rangeText(const DimFacts &dim);

/// The bounds of an input and its default: ", 0 to 1; null: its default".
std::string notesText(const TensorFacts &tensor);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_HEADERFIELDS_H
