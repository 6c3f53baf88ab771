// Stores weights in panels in fewer bits: as f16 or bf16, or as integers with a
// scale for each group of a column's elements. This pass only inserts the ops.
// tenon-fold-weights makes recipes of them, and kernels read the operand of
// tenon.dequantize.
#include "passes/graph/Passes.h"

#include "passes/graph/NarrowWeights.h"

#include "dialects/tenon/NumericsContract.h"
#include "dialects/tenon/Packing.h"
#include "dialects/tenon/Quantization.h"
#include "dialects/tenon/Remarks.h"
#include "dialects/tenon/TenonDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_QUANTIZEWEIGHTS
#include "passes/graph/Passes.h.inc"

namespace {

/// True if every reader of `unpacked` is a gather, or a product that sums over
/// the dimension that is not cut into panels.
bool sumsOverDepth(UnpackOp unpacked) {
  int64_t depth = unpacked.getDim() == 0 ? 1 : 0;
  return unpacked.getType().getRank() == 2 &&
         llvm::all_of(unpacked->getUses(), [&](OpOperand &use) {
           if (isa<GatherOp>(use.getOwner()))
             return true;
           auto dot = dyn_cast<DotGeneralOp>(use.getOwner());
           return dot && use.getOperandNumber() == 1 &&
                  dot.getRhsContract() == ArrayRef(depth);
         });
}

struct QuantizeWeights : impl::QuantizeWeightsBase<QuantizeWeights> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<std::pair<UnpackOp, FloatType>> unpacks;
    SymbolTable symbols(getOperation());
    getOperation().walk([&](UnpackOp unpack) {
      auto type = cast<RankedTensorType>(unpack.getOperand().getType());
      auto get = unpack.getOperand().getDefiningOp<GetWeightOp>();
      if (!get || !type.getElementType().isF32())
        return;
      FloatType element =
          narrowElement(symbols.lookup<WeightOp>(get.getWeight()));
      if (element || bitsOf(format) < 16)
        unpacks.push_back({unpack, element});
    });
    for (auto [unpack, element] : unpacks)
      if (element)
        narrow(unpack, element);
      else if (sumsOverDepth(unpack))
        quantize(unpack);
      else if (auto remark =
                   remarkMissed(unpack, RemarkCategory::Packing, "stays-f32"))
        remark << "the weight stays f32"
               << because(llvm::formatv("{0}-bit weights are for products that "
                                        "sum over one dimension",
                                        bitsOf(format))
                              .str());
  }

  /// The type of 16 bits that `weight` is stored in; null: none.
  FloatType narrowElement(WeightOp weight) {
    switch (format) {
    case WeightFormat::F32:
      return narrowElementOf(weight);
    case WeightFormat::F16:
      return Float16Type::get(&getContext());
    case WeightFormat::Bf16:
      return BFloat16Type::get(&getContext());
    case WeightFormat::Int8:
    case WeightFormat::Int4:
      return {};
    }
    llvm_unreachable("all formats are listed");
  }

  static void narrow(UnpackOp unpack, FloatType element) {
    OpBuilder builder(unpack);
    Location loc = unpack.getOperand().getLoc();
    auto type = cast<RankedTensorType>(unpack.getOperand().getType());
    Value stored =
        QuantizeOp::create(builder, loc, type.clone(element),
                           unpack.getOperand(), Value(), IntegerAttr());
    unpack.getOperandMutable().assign(DequantizeOp::create(
        builder, loc, type, stored, Value(), IntegerAttr()));
    if (auto remark = remarkDone(unpack, RemarkCategory::Packing, "quantized"))
      remark
          << llvm::formatv("the weight is stored as {0}", Type(element)).str();
  }

  void quantize(UnpackOp unpack) {
    OpBuilder builder(unpack);
    Location loc = unpack.getOperand().getLoc();
    auto type = cast<RankedTensorType>(unpack.getOperand().getType());
    int bits = bitsOf(format);
    int64_t group = bits == 8 ? byteGroup : nibbleGroup;
    SmallVector<int64_t> shape(type.getShape()), groups(shape);
    groups[1] = llvm::divideCeil(shape[1], group);
    if (bits == 4)
      shape[1] = llvm::divideCeil(shape[1], nibblesPerWord);
    Type element = builder.getIntegerType(bits == 8 ? 8 : 32);
    // Four-bit groups are short, so f32 scales would be a fifth of all bytes.
    Type scale = bits == 8 ? Type(builder.getF32Type()) : builder.getBF16Type();
    IntegerAttr size = builder.getI64IntegerAttr(group);
    Value scales = GroupScalesOp::create(builder, loc,
                                         RankedTensorType::get(groups, scale),
                                         unpack.getOperand(), group, bits);
    Value stored =
        QuantizeOp::create(builder, loc, RankedTensorType::get(shape, element),
                           unpack.getOperand(), scales, size);
    unpack.getOperandMutable().assign(
        DequantizeOp::create(builder, loc, type, stored, scales, size));
    if (auto remark = remarkDone(unpack, RemarkCategory::Packing, "quantized"))
      remark << llvm::formatv("the weight is stored as int{0} with a scale for "
                              "each {1} elements of a column",
                              bits, group)
                    .str();
  }
};
} // namespace
} // namespace tenon
