// What makes two fusions one kernel, and what the kernel is called.
#ifndef TENON_PASSES_KERNEL_KERNELNAMES_H
#define TENON_PASSES_KERNEL_KERNELNAMES_H

#include "dialects/tenon/TenonDialect.h"

#include <string>

namespace tenon {

/// Kind, operand types, plan and region as text: equal keys mean equal kernels.
std::string kernelKey(FusionOp fusion);

/// The kernel's symbol, for profilers and debuggers: its kind, the model node
/// of its main op, and a number. If nodes have no names, the first ops of the
/// region stand for the node.
std::string kernelName(FusionOp fusion, size_t number);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_KERNELNAMES_H
