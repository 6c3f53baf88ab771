// Finds the stored tensor behind an operand, which may be packed, in words,
// quantized, transposed or plain. The ops between the tensor and the operand
// tell the form.
#include "passes/kernel/nest/ContractionOperand.h"

#include "passes/kernel/element/ElementEmitter.h"
#include "passes/kernel/element/FlatMemory.h"

using namespace mlir;

namespace tenon {

namespace {
/// How an operand is stored: plain, transposed, or packed, in words and
/// quantized in any combination.
struct StoredOperand {
  TransposeOp transpose;
  UnpackOp unpack;
  UnpairOp unpair;
  UnquadOp unquad;
  DequantizeOp dequantize;
  Value tensor; ///< the tensor in memory

  explicit StoredOperand(Value operand) : tensor(operand) {
    if ((transpose = tensor.getDefiningOp<TransposeOp>())) {
      tensor = transpose.getOperand();
      return;
    }
    if ((unpack = tensor.getDefiningOp<UnpackOp>()))
      tensor = unpack.getOperand();
    if ((unpair = tensor.getDefiningOp<UnpairOp>()))
      tensor = unpair.getOperand();
    if ((unquad = tensor.getDefiningOp<UnquadOp>()))
      tensor = unquad.getOperand();
    if ((dequantize = tensor.getDefiningOp<DequantizeOp>()))
      tensor = dequantize.getOperand();
  }
  /// True if the elements need no scales; they may need a conversion.
  bool isPlain() { return !dequantize || !dequantize.getScales(); }
};
} // namespace

ContractionOperand::ContractionOperand(Kernel &kernel, Value tensor) {
  StoredOperand stored(tensor);
  memory = kernel.arguments.lookup(stored.tensor);
  element = cast<RankedTensorType>(stored.tensor.getType()).getElementType();
  IndexBuilder at{kernel.builder, kernel.loc()};
  ElementEmitter sizes(kernel, 1);
  int64_t rank = cast<MemRefType>(memory.getType()).getRank();
  for (int64_t d = 0; d < rank; ++d)
    extents.push_back(sizes.extent(memory, d));
  strides.resize(rank);
  Value stride = at.constant(1);
  for (int64_t d = rank - 1; d >= 0; --d) {
    strides[d] = stride;
    stride = at.mul(stride, extents[d]);
  }
  if (stored.transpose) {
    isTransposed = true;
    SmallVector<Value> extentsThere = extents, stridesThere = strides;
    for (auto [d, from] : llvm::enumerate(stored.transpose.getPermutation())) {
      extents[d] = extentsThere[from];
      strides[d] = stridesThere[from];
    }
  }
  if (!stored.isPlain())
    seeThrough(kernel, stored.dequantize, at);
  if (stored.unpack)
    seeThrough(stored.unpack, at);
}

/// Panels, depth and width are those of the dequantized values. If elements are
/// words, one step along the depth moves by a fraction of a word.
void ContractionOperand::seeThrough(Kernel &kernel, DequantizeOp dequantize,
                                    IndexBuilder at) {
  auto values = cast<RankedTensorType>(dequantize.getType());
  auto type = cast<RankedTensorType>(dequantize.getScales().getType());
  group = *dequantize.getGroup();
  if (element.isInteger(32))
    sumsPerElement = nibblesPerWord;
  int64_t width = values.getDimSize(2);
  extents[1] = at.constant(values.getDimSize(1));
  strides[1] = at.constant(width / sumsPerElement);
  Value memory = kernel.arguments.lookup(dequantize.getScales());
  scales = GroupScales{flattened(kernel, memory), type.getElementType(),
                       at.constant(type.getDimSize(1) * width), width};
}

void ContractionOperand::seeThrough(UnpackOp unpack, IndexBuilder at) {
  auto packed = cast<RankedTensorType>(unpack.getOperand().getType());
  panelDim = unpack.getDim();
  panels = ColumnPanels{packed.getShape().back(), strides.front()};
  auto cut = [&](SmallVector<Value> &list, Value value) {
    list.erase(list.begin());
    list.pop_back();
    list.insert(list.begin() + *panelDim, value);
  };
  cut(extents, at.constant(unpack.getExtent()));
  cut(strides, at.constant(1));
}

static bool isArgument(Kernel &kernel, Value tensor) {
  return isa<BlockArgument>(tensor) && kernel.arguments.lookup(tensor);
}

static bool inMemory(Kernel &kernel, Value tensor) {
  StoredOperand stored(tensor);
  if (!isArgument(kernel, stored.tensor))
    return false;
  if (stored.isPlain())
    return true;
  // A word holds eight elements, so each row of a panel must be whole words.
  auto values = cast<RankedTensorType>(stored.dequantize.getType());
  return stored.unpack && values.getDimSize(2) % nibblesPerWord == 0 &&
         isArgument(kernel, stored.dequantize.getScales());
}

bool inMemory(Kernel &kernel, Value lhs, Value rhs, Products products) {
  bool pairs = products == Products::Pairs, quads = products == Products::Quads;
  StoredOperand rows(lhs), columns(rhs);
  if (rows.unpair || rows.unquad || bool(columns.unpair) != pairs ||
      bool(columns.unquad) != quads || !inMemory(kernel, lhs) ||
      !inMemory(kernel, rhs))
    return false;
  if (quads)
    return bool(columns.unpack);
  return !pairs ||
         (cast<RankedTensorType>(lhs.getType()).getElementType().isBF16() &&
          columns.unpack && kernel.machine.getPairs());
}

} // namespace tenon
