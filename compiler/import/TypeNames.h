// The names of element types in messages, the same for every format.
#ifndef TENON_COMPILER_IMPORT_TYPENAMES_H
#define TENON_COMPILER_IMPORT_TYPENAMES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace tenon {

/// The element type with the name `f32`, `u8`, `bool` and so on. Null if
/// tensors cannot have it (strings, complex numbers).
mlir::Type elementTypeNamed(mlir::MLIRContext *context, llvm::StringRef name);

/// A tensor type as text, such as `f32[2,?]`.
std::string textOf(mlir::Type type);
std::string textOf(mlir::Value value);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_TYPENAMES_H
