// Puts a fence before every rounding to f16.
#include "compiler/codegen/HalfRoundings.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tenon {

void fenceHalfRoundings(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function)
      for (Instruction &instruction : block) {
        auto *half = dyn_cast<FPTruncInst>(&instruction);
        if (!half || !half->getType()->getScalarType()->isHalfTy())
          continue;
        IRBuilder<> builder(half);
        Value *wide = half->getOperand(0);
        half->setOperand(0, builder.CreateIntrinsic(wide->getType(),
                                                    Intrinsic::arithmetic_fence,
                                                    {wide}));
      }
}

} // namespace tenon
