// Splits a module into parts that are compiled separately, on any number of
// threads. The split depends only on the module, so that the number of threads
// never changes the bytes.
#ifndef TENON_COMPILER_CODEGEN_PARTS_H
#define TENON_COMPILER_CODEGEN_PARTS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"

#include <string>
#include <vector>

namespace tenon {

/// The part of each function. Part 0 has the functions that are not in this
/// map, and everything that the module exports: if there are several parts, no
/// kernels.
struct PartPlan {
  unsigned count = 1;
  llvm::StringMap<unsigned> partOf;
};

/// Distributes the kernels, each with its `.task`, over parts of similar size.
/// A small module stays one part.
PartPlan planParts(const llvm::Module &module,
                   const std::vector<std::string> &kernels);

/// Gives functions that other parts call external linkage and hidden
/// visibility.
void exportBetweenParts(llvm::Module &module, const PartPlan &plan);

/// Keeps in `module` only the definitions of part `part`. The module may be
/// read lazily. Returns an error text if the module is invalid, else an empty
/// string.
std::string reduceToPart(llvm::Module &module, const PartPlan &plan,
                         unsigned part);

} // namespace tenon

#endif // TENON_COMPILER_CODEGEN_PARTS_H
