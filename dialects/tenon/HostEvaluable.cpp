// The list is short on purpose: each op on it has a second implementation on
// the host, which must give the same bits as the kernels.
#include "dialects/tenon/HostEvaluable.h"

#include "dialects/tenon/Packing.h"
#include "dialects/tenon/Quantization.h"
#include "dialects/tenon/TenonDialect.h"

using namespace mlir;

namespace tenon {

static bool isStaticTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

bool isHostEvaluable(Operation *op) {
  if (!llvm::all_of(op->getOperandTypes(), isStaticTensor) ||
      !llvm::all_of(op->getResultTypes(), isStaticTensor))
    return false;
  if (auto constant = dyn_cast<ConstantOp>(op))
    return isa<DenseElementsAttr>(constant.getValue());
  if (auto slice = dyn_cast<SliceOp>(op))
    return !ShapedType::isDynamicShape(slice.getStaticOffsets()) &&
           !ShapedType::isDynamicShape(slice.getStaticStrides());
  if (isa<BroadcastInDimOp, ConcatenateOp, ConvertOp, GetWeightOp,
          GroupScalesOp, PackOp, PadOp, PairOp, QuadOp, QuantizeOp, ReshapeOp,
          ReverseOp, TransposeOp>(op))
    return true;
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getKind() == ReduceKind::Add &&
           cast<RankedTensorType>(reduce.getType())
               .getElementType()
               .isSignlessInteger(32);
  if (!isa<AddOp, SubtractOp, MultiplyOp, DivideOp, MaximumOp, MinimumOp,
           NegateOp, RoundNearestEvenOp, SqrtOp, RsqrtOp>(op))
    return false;
  // No arithmetic on bools: the host implements only their logic ops.
  return !cast<RankedTensorType>(op->getResult(0).getType())
              .getElementType()
              .isInteger(1);
}

bool makesStoredForm(Operation *op) {
  return isa<PackOp, PairOp, QuadOp, QuantizeOp, GroupScalesOp>(op);
}

} // namespace tenon
