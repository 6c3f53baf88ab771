// Runs recipes. Every movement is one strided copy; arithmetic is in
// ElementArithmetic. A value is freed after its last use, so that a long recipe
// needs no more memory than a few tensors.
#include "compiler/artifact/Recipe.h"

#include "compiler/arithmetic/ElementArithmetic.h"
#include "compiler/artifact/ModelFacts.h"
#include "compiler/artifact/QuantizeStep.h"
#include "dialects/tenon/HostEvaluable.h"
#include "dialects/tenon/Packing.h"
#include "dialects/tenon/TenonDialect.h"
#include "runtime/tenon_abi.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cstring>
#include <optional>

using namespace mlir;

namespace tenon {
namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}
int64_t sizeOf(RankedTensorType type) {
  return elementBytes(dtypeOf(type.getElementType()));
}

std::optional<ElementOp> elementOp(Operation *op) {
  using R = std::optional<ElementOp>;
  return llvm::TypeSwitch<Operation *, R>(op)
      .Case<AddOp>([](auto) { return ElementOp::Add; })
      .Case<SubtractOp>([](auto) { return ElementOp::Subtract; })
      .Case<MultiplyOp>([](auto) { return ElementOp::Multiply; })
      .Case<DivideOp>([](auto) { return ElementOp::Divide; })
      .Case<MaximumOp>([](auto) { return ElementOp::Maximum; })
      .Case<MinimumOp>([](auto) { return ElementOp::Minimum; })
      .Case<NegateOp>([](auto) { return ElementOp::Negate; })
      .Case<SqrtOp>([](auto) { return ElementOp::Sqrt; })
      .Case<RsqrtOp>([](auto) { return ElementOp::Rsqrt; })
      .Case<RoundNearestEvenOp>(
          [](auto) { return ElementOp::RoundNearestEven; })
      .Default([](auto) { return std::nullopt; });
}

/// Strides of a dense tensor, in elements.
SmallVector<int64_t> denseStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (int64_t d = int64_t(shape.size()) - 1; d >= 0; --d) {
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

template <typename T>
void copyRow(char *to, int64_t toStep, const char *from, int64_t fromStep,
             int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * toStep * int64_t(sizeof(T)),
                from + i * fromStep * int64_t(sizeof(T)), sizeof(T));
}

/// Copies a box of `shape` between two strided buffers. Strides are in elements
/// of `bytes` bytes.
void copyBox(ArrayRef<int64_t> shape, int64_t bytes, char *to,
             ArrayRef<int64_t> toStrides, const char *from,
             ArrayRef<int64_t> fromStrides) {
  if (shape.empty()) {
    std::memcpy(to, from, bytes);
    return;
  }
  if (shape.size() > 1) {
    for (int64_t i = 0; i < shape[0]; ++i)
      copyBox(shape.drop_front(), bytes, to + i * toStrides[0] * bytes,
              toStrides.drop_front(), from + i * fromStrides[0] * bytes,
              fromStrides.drop_front());
    return;
  }
  if (toStrides[0] == 1 && fromStrides[0] == 1)
    std::memcpy(to, from, shape[0] * bytes);
  else if (bytes == 1)
    copyRow<uint8_t>(to, toStrides[0], from, fromStrides[0], shape[0]);
  else if (bytes == 2)
    copyRow<uint16_t>(to, toStrides[0], from, fromStrides[0], shape[0]);
  else if (bytes == 4)
    copyRow<uint32_t>(to, toStrides[0], from, fromStrides[0], shape[0]);
  else
    copyRow<uint64_t>(to, toStrides[0], from, fromStrides[0], shape[0]);
}

/// Adds a box of `shape` of i32 to elements that strides of zero repeat.
void addBox(ArrayRef<int64_t> shape, char *to, ArrayRef<int64_t> toStrides,
            const char *from, ArrayRef<int64_t> fromStrides) {
  if (shape.empty()) {
    uint32_t sum, term;
    std::memcpy(&sum, to, sizeof(sum));
    std::memcpy(&term, from, sizeof(term));
    sum += term;
    std::memcpy(to, &sum, sizeof(sum));
    return;
  }
  for (int64_t i = 0; i < shape[0]; ++i)
    addBox(shape.drop_front(), to + i * toStrides[0] * 4,
           toStrides.drop_front(), from + i * fromStrides[0] * 4,
           fromStrides.drop_front());
}

class Run {
public:
  Run(llvm::function_ref<bool(StringRef, HostBytes &)> read,
      QuantizationLoss &loss, std::string &wrong)
      : read(read), loss(loss), wrong(wrong) {}

  bool run(Block &block, HostBytes &result) {
    for (Operation &op : block) {
      if (auto yield = dyn_cast<YieldOp>(op)) {
        result = values.lookup(yield.getValues().front());
        return true;
      }
      if (!canEvaluate(&op)) {
        wrong = op.getName().getStringRef().str();
        return false;
      }
      if (!step(&op))
        return false;
      for (Value operand : op.getOperands())
        if (isLastUse(operand, &op))
          values.erase(operand);
    }
    wrong = "it yields nothing";
    return false;
  }

private:
  static bool isLastUse(Value value, Operation *op) {
    return llvm::all_of(value.getUsers(), [&](Operation *user) {
      return user == op || user->isBeforeInBlock(op);
    });
  }

  /// Allocates the result of `op`.
  char *make(Operation *op) {
    auto type = typeOf(op->getResult(0));
    HostBytes value;
    value.owner = std::make_shared<std::vector<char>>(type.getNumElements() *
                                                      sizeOf(type));
    value.bytes = StringRef(value.owner->data(), value.owner->size());
    values[op->getResult(0)] = value;
    return value.owner->data();
  }
  const char *in(Value value) { return values[value].bytes.data(); }

  bool step(Operation *op) {
    if (auto get = dyn_cast<GetWeightOp>(op)) {
      HostBytes value;
      if (!read(get.getWeight(), value))
        return false;
      values[get.getResult()] = value;
      return true;
    }
    if (auto reshape = dyn_cast<ReshapeOp>(op)) {
      HostBytes same = values[reshape.getOperand()];
      values[reshape.getResult()] = same;
      return true;
    }
    char *to = make(op);
    auto type = typeOf(op->getResult(0));
    if (type.getNumElements() == 0)
      return true;
    if (auto constant = dyn_cast<ConstantOp>(op))
      writeElements(cast<DenseElementsAttr>(constant.getValue()), to);
    else if (auto convert = dyn_cast<ConvertOp>(op))
      convertElements(dtypeOf(typeOf(convert.getOperand()).getElementType()),
                      dtypeOf(type.getElementType()), type.getNumElements(),
                      in(convert.getOperand()), to);
    else if (auto reduce = dyn_cast<ReduceOp>(op))
      sumWords(reduce, to);
    else if (auto scales = dyn_cast<GroupScalesOp>(op))
      runGroupScales(scales, in(scales.getOperand()), to);
    else if (auto quantize = dyn_cast<QuantizeOp>(op))
      runQuantize(quantize, in(quantize.getOperand()),
                  quantize.getScales() ? in(quantize.getScales()) : nullptr, to,
                  loss);
    else if (std::optional<ElementOp> element = elementOp(op))
      computeElements(*element, dtypeOf(type.getElementType()),
                      type.getNumElements(), in(op->getOperand(0)),
                      in(op->getOperands().back()), to);
    else
      move(op, type, to);
    return true;
  }

  void move(Operation *op, RankedTensorType type, char *to) {
    SmallVector<int64_t> target = denseStrides(type.getShape());
    int64_t bytes = sizeOf(type);
    if (auto join = dyn_cast<ConcatenateOp>(op)) {
      int64_t at = 0;
      for (Value operand : join.getOperands_()) {
        ArrayRef<int64_t> shape = typeOf(operand).getShape();
        if (typeOf(operand).getNumElements() != 0)
          copyBox(shape, bytes, to + at * target[join.getDim()] * bytes, target,
                  in(operand), denseStrides(shape));
        at += shape[join.getDim()];
      }
      return;
    }
    ArrayRef<int64_t> shape = typeOf(op->getOperand(0)).getShape();
    SmallVector<int64_t> dense = denseStrides(shape), strides = dense;
    const char *from = in(op->getOperand(0));
    if (auto pad = dyn_cast<PadOp>(op)) {
      placeInPadding(pad, type, to);
      return;
    }
    if (auto pack = dyn_cast<PackOp>(op)) {
      cutIntoPanels(pack, type, to);
      return;
    }
    if (isa<PairOp>(op)) {
      interleaveRows<uint16_t>(shape, from, to);
      return;
    }
    if (isa<QuadOp>(op)) {
      interleaveRows<uint8_t>(shape, from, to);
      return;
    }
    if (auto transpose = dyn_cast<TransposeOp>(op)) {
      for (auto [d, source] : llvm::enumerate(transpose.getPermutation()))
        strides[d] = dense[source];
    } else if (auto slice = dyn_cast<SliceOp>(op)) {
      for (size_t d = 0; d < shape.size(); ++d) {
        from += slice.getStaticOffsets()[d] * dense[d] * bytes;
        strides[d] = dense[d] * slice.getStaticStrides()[d];
      }
    } else if (auto reverse = dyn_cast<ReverseOp>(op)) {
      for (int64_t d : reverse.getDims()) {
        from += (shape[d] - 1) * dense[d] * bytes;
        strides[d] = -dense[d];
      }
    } else if (auto broadcast = dyn_cast<BroadcastInDimOp>(op)) {
      strides.assign(type.getRank(), 0);
      for (auto [d, result] : llvm::enumerate(broadcast.getDims()))
        strides[result] =
            shape[d] == 1 && type.getDimSize(result) != 1 ? 0 : dense[d];
    }
    copyBox(type.getShape(), bytes, to, target, from, strides);
  }

  /// Fills with the padding value, then copies the part of the operand that
  /// lies within.
  void placeInPadding(PadOp pad, RankedTensorType type, char *to) {
    int64_t bytes = sizeOf(type);
    const char *value = in(pad.getValue());
    for (int64_t i = 0, end = type.getNumElements(); i < end; ++i)
      std::memcpy(to + i * bytes, value, bytes);
    SmallVector<int64_t> shape(typeOf(pad.getOperand()).getShape());
    SmallVector<int64_t> dense = denseStrides(shape);
    SmallVector<int64_t> target = denseStrides(type.getShape());
    const char *from = in(pad.getOperand());
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t step = pad.getInterior()[d] + 1, low = pad.getStaticLow()[d];
      int64_t first = low < 0 ? (-low + step - 1) / step : 0;
      int64_t room = type.getDimSize(d) - low; // distance from element 0 to the
                                               // result's end
      int64_t end = std::min(shape[d], room <= 0 ? 0 : (room - 1) / step + 1);
      if (first >= end)
        return;
      from += first * dense[d] * bytes;
      to += (low + first * step) * target[d] * bytes;
      shape[d] = end - first;
      target[d] *= step;
    }
    copyBox(shape, bytes, to, target, from, dense);
  }

  /// Copies each whole panel at once, then the existing lanes of the last one;
  /// the remainder stays zero.
  void cutIntoPanels(PackOp pack, RankedTensorType type, char *to) {
    RankedTensorType from = typeOf(pack.getOperand());
    int64_t dim = pack.getDim(), width = pack.getWidth(), bytes = sizeOf(type),
            extent = from.getDimSize(dim);
    SmallVector<int64_t> target = denseStrides(type.getShape()),
                         strides = denseStrides(from.getShape()),
                         box(type.getShape());
    int64_t lane = strides[dim];
    strides.erase(strides.begin() + dim);
    strides.insert(strides.begin(), lane * width);
    strides.push_back(lane);
    const char *source = in(pack.getOperand());
    box.front() = extent / width;
    copyBox(box, bytes, to, target, source, strides);
    source += box.front() * strides.front() * bytes;
    to += box.front() * target.front() * bytes;
    box.front() = 1;
    box.back() = extent % width;
    if (box.back() != 0)
      copyBox(box, bytes, to, target, source, strides);
  }

  /// Sums elements of i32 modulo 2^32.
  void sumWords(ReduceOp reduce, char *to) {
    RankedTensorType from = typeOf(reduce.getOperand());
    SmallVector<int64_t> kept = denseStrides(typeOf(reduce).getShape()),
                         strides(from.getRank(), 0);
    auto next = kept.begin();
    for (int64_t d = 0; d < from.getRank(); ++d)
      if (!llvm::is_contained(reduce.getDims(), d))
        strides[d] = *next++;
    addBox(from.getShape(), to, strides, in(reduce.getOperand()),
           denseStrides(from.getShape()));
  }

  /// Interleaves as many rows of elements of type T as a word of 32 bits holds:
  /// row k becomes part k % count of the words. Words are little-endian.
  template <typename T>
  static void interleaveRows(ArrayRef<int64_t> shape, const char *from,
                             char *to) {
    constexpr int64_t bytes = sizeof(T), count = 4 / bytes;
    int64_t width = shape.back(), depth = shape[shape.size() - 2],
            words = llvm::divideCeil(depth, count), panels = 1;
    for (int64_t extent : shape.drop_back(2))
      panels *= extent;
    for (int64_t panel = 0; panel < panels; ++panel)
      for (int64_t k = 0; k < depth; ++k)
        copyRow<T>(to + (panel * words + k / count) * width * 4 +
                       k % count * bytes,
                   count, from + (panel * depth + k) * width * bytes, 1, width);
  }

  llvm::function_ref<bool(StringRef, HostBytes &)> read;
  QuantizationLoss &loss;
  std::string &wrong;
  llvm::DenseMap<Value, HostBytes> values;
};
} // namespace

bool canEvaluate(Operation *op) { return isHostEvaluable(op); }

bool runRecipe(Region &recipe,
               llvm::function_ref<bool(StringRef, HostBytes &)> read,
               HostBytes &result, QuantizationLoss &loss, std::string &wrong) {
  if (recipe.empty()) {
    wrong = "it is empty";
    return false;
  }
  return Run(read, loss, wrong).run(recipe.front(), result);
}

} // namespace tenon
