// Finds masked stores with a constant mask of one lane and replaces them.
#include "compiler/codegen/SingleLaneStores.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <optional>

using namespace llvm;

namespace tenon {

/// The lane that a constant mask selects; nullopt unless it selects exactly
/// one.
static std::optional<unsigned> singleLane(const Value *mask) {
  auto *constant = dyn_cast<Constant>(mask);
  auto *type = dyn_cast<FixedVectorType>(mask->getType());
  if (!constant || !type)
    return std::nullopt;
  std::optional<unsigned> lane;
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    auto *bit = dyn_cast_or_null<ConstantInt>(constant->getAggregateElement(i));
    if (!bit || (bit->isOne() && lane))
      return std::nullopt;
    if (bit->isOne())
      lane = i;
  }
  return lane;
}

void replaceSingleLaneStores(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function)
      for (Instruction &instruction : make_early_inc_range(block)) {
        auto *store = dyn_cast<IntrinsicInst>(&instruction);
        if (!store || store->getIntrinsicID() != Intrinsic::masked_store)
          continue;
        std::optional<unsigned> lane = singleLane(store->getArgOperand(2));
        if (!lane)
          continue;
        IRBuilder<> builder(store);
        Value *element =
            builder.CreateExtractElement(store->getArgOperand(0), *lane);
        uint64_t offset =
            *lane * module.getDataLayout().getTypeStoreSize(element->getType());
        Value *place = builder.CreatePtrAdd(store->getArgOperand(1),
                                            builder.getInt64(offset));
        builder.CreateAlignedStore(
            element, place,
            commonAlignment(store->getParamAlign(1).valueOrOne(), offset));
        store->eraseFromParent();
      }
}

} // namespace tenon
