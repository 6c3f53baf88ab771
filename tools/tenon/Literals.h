// Values of tensors that are typed on the command line.
#ifndef TENON_TOOLS_TENON_LITERALS_H
#define TENON_TOOLS_TENON_LITERALS_H

#include "tools/tenon/Tensor.h"

#include "llvm/ADT/StringRef.h"

namespace tenon::cli {

/// Reads a type such as `2x3xi32` or `f32` into dtype and dims of `tensor`.
/// Returns what is wrong, or nothing; nullopt if `text` names no element type.
std::optional<std::string> parseType(llvm::StringRef text, Tensor &tensor);

/// Reads the elements of `tensor`, whose type and bytes are set, from words
/// between blanks and commas. Returns what is wrong, or nothing.
std::string parseElements(llvm::StringRef text, Tensor &tensor);

/// True for a number, `true`, `false` or a list in brackets: a value without a
/// type.
bool isPlainLiteral(llvm::StringRef text);

/// Reads a number such as `40` or a list such as `[1,2]` or `[[1,2],[3,4]]`
/// into elements of tensor.dtype; sets dims and bytes. Returns what is wrong,
/// or nothing.
std::string parsePlainLiteral(llvm::StringRef text, Tensor &tensor);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_LITERALS_H
