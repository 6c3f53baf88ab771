// An op without elements of its own, such as a view or a weight, is outside of
// all kernels; the kernels of its users read it.
#include "passes/fuse/FusionRoles.h"

#include "dialects/tenon/Packing.h"
#include "dialects/tenon/Quantization.h"
#include "dialects/tenon/State.h"
#include "passes/fuse/RowReduction.h"

using namespace mlir;

namespace tenon {

bool isSplat(Operation *op) {
  auto constant = dyn_cast<ConstantOp>(op);
  return constant && isa<SplatElementsAttr>(constant.getValue());
}

FusionRole roleOf(Operation *op) {
  if (op->hasTrait<Elementwise>() ||
      isa<BroadcastInDimOp, TransposeOp, SliceOp, IotaOp, ReverseOp, UnpackOp,
          UnpairOp, UnquadOp, DequantizeOp>(op))
    return FusionRole::Map;
  if (isSplat(op))
    return FusionRole::Map;
  if (reducesRows(op))
    return FusionRole::Reduce;
  if (isa<DotGeneralOp, ConvolutionOp>(op))
    return FusionRole::Contraction;
  if (isa<ReshapeOp, ConstantOp, GetWeightOp, StateReadOp, GetExtentOp, BoundOp,
          YieldOp>(op) ||
      !isa<TenonDialect>(op->getDialect()))
    return FusionRole::Outside;
  return FusionRole::Whole;
}

bool isStoredWeight(Operation *op) {
  return isa<UnpackOp, UnpairOp, UnquadOp, DequantizeOp>(op);
}

bool isImage(Operation *op) {
  constexpr int64_t fewChannels = 4;
  if (!isa<TransposeOp>(op) || !op->hasOneUse())
    return false;
  auto convolution = dyn_cast<ConvolutionOp>(*op->user_begin());
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  int64_t channels = shape.back();
  return convolution && convolution.getLhs() == op->getResult(0) &&
         convolution.getGroups() == 1 &&
         llvm::all_of(convolution.getLhsDilation(),
                      [](int64_t between) { return between == 1; }) &&
         convolution.getProducts() == Products::Chain &&
         !ShapedType::isDynamic(channels) && channels <= fewChannels;
}

bool isFree(Operation *op) {
  return isa<BroadcastInDimOp, IotaOp>(op) || isStoredWeight(op) || isSplat(op);
}

bool isExpensive(Operation *op) {
  return op->hasTrait<Elementwise>() &&
         !isa<AddOp, SubtractOp, MultiplyOp, NegateOp, AbsOp, MaximumOp,
              MinimumOp, AndOp, OrOp, XorOp, NotOp, CompareOp, SelectOp,
              ClampOp, ConvertOp, BitcastConvertOp>(op);
}

int64_t costOf(Operation *op) { return isExpensive(op) ? 16 : 1; }

} // namespace tenon
