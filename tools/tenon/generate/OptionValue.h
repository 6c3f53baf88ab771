// The value of a generation option, from text: a number, a bool, a list
// ("1,2,3") or a list of lists ("1,2;3").
#ifndef TENON_TOOLS_TENON_GENERATE_OPTIONVALUE_H
#define TENON_TOOLS_TENON_GENERATE_OPTIONVALUE_H

#include "tools/tenon/Tensor.h"

#include "llvm/ADT/StringRef.h"

namespace tenon::cli {

/// Reads `text` as a value for the input `desc`. Shorter lists of a list of
/// lists are padded with -1 on the left. Returns what was expected if the text
/// is wrong; otherwise an empty string.
std::string parseOptionValue(llvm::StringRef text,
                             const tenon_tensor_desc &desc, Tensor &value);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_GENERATE_OPTIONVALUE_H
