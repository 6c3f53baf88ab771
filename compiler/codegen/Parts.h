// A module is cut into parts that are compiled by themselves, on any number of
// threads. How it is cut follows from the module alone, so that the threads
// never show in the bytes.
#ifndef TENON_COMPILER_CODEGEN_PARTS_H
#define TENON_COMPILER_CODEGEN_PARTS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"

#include <string>
#include <vector>

namespace tenon {

/// Which part each function belongs to. Part 0 has those not named here, and
/// all that the module exports.
struct PartPlan {
  unsigned count = 1;
  llvm::StringMap<unsigned> partOf;
};

/// Deals the kernels, each with its `.task`, out to parts of about equal size;
/// one part where the module is small.
PartPlan planParts(const llvm::Module &module,
                   const std::vector<std::string> &kernels);

/// Makes the functions that other parts call visible to the linker, and to
/// nobody else.
void exportBetweenParts(llvm::Module &module, const PartPlan &plan);

/// Leaves in `module`, all of it or lazily read, what part `part` defines.
/// Returns what is wrong with the module, or nothing.
std::string reduceToPart(llvm::Module &module, const PartPlan &plan,
                         unsigned part);

} // namespace tenon

#endif // TENON_COMPILER_CODEGEN_PARTS_H
