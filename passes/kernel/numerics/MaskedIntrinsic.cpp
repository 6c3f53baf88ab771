// The operands are followed by a vector for lanes outside the mask, the mask
// and the rounding.
#include "passes/kernel/numerics/MaskedIntrinsic.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tenon {

/// The rounding of the current mode, as operands of intrinsics say it.
constexpr int32_t currentRounding = 4;

Value emitMaskedIntrinsic(OpBuilder &b, Location loc, StringRef name,
                          ArrayRef<Value> operands) {
  auto type = cast<VectorType>(operands.front().getType());
  auto number = [&](int64_t value, unsigned bits) -> Value {
    return LLVM::ConstantOp::create(
        b, loc, b.getIntegerAttr(b.getIntegerType(bits), value));
  };
  SmallVector<Value> all(operands);
  all.append({operands.front(), number(-1, type.getNumElements()),
              number(currentRounding, 32)});
  return LLVM::CallIntrinsicOp::create(b, loc, type, b.getStringAttr(name), all)
      .getResult(0);
}

} // namespace tenon
