#include "passes/cpu/Kernel.h"
namespace tenon {
TaskCounter emitNonzero(Kernel &) { return nullptr; }
} // namespace tenon
