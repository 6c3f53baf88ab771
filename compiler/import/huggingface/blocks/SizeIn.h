// Sizes that tensors hold.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_BLOCKS_SIZEIN_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_BLOCKS_SIZEIN_H

#include "compiler/import/graph/GraphBuilder.h"

namespace tenon::hf {

/// The integer in a tensor of rank 0, as a size. Nothing is known of it: the
/// caller checks or bounds it.
Size sizeIn(GraphBuilder &g, mlir::Value scalar);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_BLOCKS_SIZEIN_H
