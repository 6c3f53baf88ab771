// Elements of inputs that end the run if they are out of range.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_BLOCKS_CHECKEDINPUT_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_BLOCKS_CHECKEDINPUT_H

#include "compiler/import/graph/GraphBuilder.h"

namespace tenon::hf {

/// Elements from `least` to below `end`, or a fault that names the input.
mlir::Value checkedInput(GraphBuilder &g, mlir::Value elements, int64_t least,
                         Size end, llvm::StringRef input);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_BLOCKS_CHECKEDINPUT_H
