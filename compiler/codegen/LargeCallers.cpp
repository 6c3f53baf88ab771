// Marks the calls of large functions.
#include "compiler/codegen/LargeCallers.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tenon {

/// A function of more instructions is large: the graph function of about a
/// hundred kernels.
constexpr unsigned mostInstructions = 4096;

void keepLargeCallers(Module &module) {
  for (Function &function : module)
    if (function.getInstructionCount() > mostInstructions)
      for (Instruction &instruction : instructions(function))
        if (auto *call = dyn_cast<CallBase>(&instruction))
          call->setIsNoInline();
}

} // namespace tenon
