// Finds kernels that may write to the memory they read.
#ifndef TENON_PASSES_BUFFER_OWNELEMENTS_H
#define TENON_PASSES_BUFFER_OWNELEMENTS_H

#include "dialects/tenon/TenonDialect.h"

namespace tenon {

/// True if the region uses `argument` only elementwise. The kernel then reads
/// an element before it writes the element at that index, and reads no other.
bool readsOwnElements(FusionOp fusion, mlir::BlockArgument argument);

} // namespace tenon

#endif // TENON_PASSES_BUFFER_OWNELEMENTS_H
