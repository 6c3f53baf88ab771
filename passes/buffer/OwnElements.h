// Finds kernels that may write to the memory they read.
#ifndef TENON_PASSES_BUFFER_OWNELEMENTS_H
#define TENON_PASSES_BUFFER_OWNELEMENTS_H

#include "dialects/tenon/TenonDialect.h"

namespace tenon {

/// True if the region uses `argument` only elementwise. The kernel then reads
/// an element before it writes the element at that index, and reads no other.
bool readsOwnElements(FusionOp fusion, mlir::BlockArgument argument);

/// For a kernel of one scatter or dynamic_update_slice: the number of the input
/// that is updated and read for nothing else; nullopt for other kernels. The
/// kernel first copies this input to the output, unless they are one buffer.
std::optional<unsigned> updatedInput(FusionOp fusion);

} // namespace tenon

#endif // TENON_PASSES_BUFFER_OWNELEMENTS_H
