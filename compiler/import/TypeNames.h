// Element types and how our messages spell them, the same for every format.
#ifndef TENON_COMPILER_IMPORT_TYPENAMES_H
#define TENON_COMPILER_IMPORT_TYPENAMES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace tenon {

/// The element type that readers spell `f32`, `u8`, `bool`; null for what
/// tensors cannot be of (strings, complex numbers).
mlir::Type elementTypeNamed(mlir::MLIRContext *context, llvm::StringRef name);

/// `f32[2,?]`.
std::string spell(mlir::Type type);
std::string spell(mlir::Value value);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_TYPENAMES_H
