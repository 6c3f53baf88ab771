// Attention, one block of keys after another.
#ifndef TENON_PASSES_CPU_ATTENTION_ATTENTIONEMITTER_H
#define TENON_PASSES_CPU_ATTENTION_ATTENTIONEMITTER_H

#include "dialects/tenon/KernelPlan.h"
#include "passes/kernel/Kernel.h"

namespace tenon {

/// The plan of an attention fusion; null if only the general kernel covers its
/// form.
AttentionPlanAttr planAttention(Kernel &kernel);

/// Emits the kernel of an attention fusion in register tiles.
TaskCounter emitAttention(Kernel &kernel, AttentionPlanAttr plan);

/// Emits the kernel of any attention fusion, element by element. The result has
/// the same bits as in register tiles.
TaskCounter emitGeneralAttention(Kernel &kernel);

} // namespace tenon

#endif // TENON_PASSES_CPU_ATTENTION_ATTENTIONEMITTER_H
