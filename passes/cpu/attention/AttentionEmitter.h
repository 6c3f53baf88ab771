// Attention, one block of keys after another.
#ifndef TENON_PASSES_CPU_ATTENTION_ATTENTIONEMITTER_H
#define TENON_PASSES_CPU_ATTENTION_ATTENTIONEMITTER_H

#include "passes/kernel/Kernel.h"

namespace tenon {

/// The kernel of an attention fusion; null, with nothing emitted, if its region
/// has another form.
TaskCounter emitAttention(Kernel &kernel);

} // namespace tenon

#endif // TENON_PASSES_CPU_ATTENTION_ATTENTIONEMITTER_H
