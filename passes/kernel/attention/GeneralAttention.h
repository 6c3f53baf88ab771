// Attention, element by element, for any form and any machine.
#ifndef TENON_PASSES_KERNEL_ATTENTION_GENERALATTENTION_H
#define TENON_PASSES_KERNEL_ATTENTION_GENERALATTENTION_H

#include "passes/kernel/Kernel.h"

namespace tenon {

/// Emits the kernel of any attention fusion, element by element. The result has
/// the same bits as in register tiles.
TaskCounter emitGeneralAttention(Kernel &kernel);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_ATTENTION_GENERALATTENTION_H
