// Attention, one block of keys after another.
#ifndef TENON_PASSES_CPU_ATTENTION_ATTENTIONEMITTER_H
#define TENON_PASSES_CPU_ATTENTION_ATTENTIONEMITTER_H

#include "dialects/tenon/KernelPlan.h"
#include "passes/kernel/Kernel.h"

namespace tenon {

/// The plan of an attention fusion. Null if only the general kernel covers its
/// form; then sets `obstacle` to the reason.
AttentionPlanAttr planAttention(Kernel &kernel, const char *&obstacle);

/// Emits the kernel of an attention fusion in register tiles.
TaskCounter emitAttention(Kernel &kernel, AttentionPlanAttr plan);

} // namespace tenon

#endif // TENON_PASSES_CPU_ATTENTION_ATTENTIONEMITTER_H
