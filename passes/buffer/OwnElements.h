// Kernels that may write the memory that they read.
#ifndef TENON_PASSES_BUFFER_OWNELEMENTS_H
#define TENON_PASSES_BUFFER_OWNELEMENTS_H

#include "dialects/tenon/TenonDialect.h"

namespace tenon {

/// Whether the region speaks of `argument` elementwise alone: its kernel reads
/// an element before it writes the one in the same place, and no other.
bool readsOwnElements(FusionOp fusion, mlir::BlockArgument argument);

/// The input that a kernel of one update copies before it writes the updated
/// elements, and reads for nothing else; nothing for other kernels. Where the
/// output is that input there is nothing to copy.
std::optional<unsigned> updatedInput(FusionOp fusion);

} // namespace tenon

#endif // TENON_PASSES_BUFFER_OWNELEMENTS_H
