// Strides of products and convolutions. Which operand gives the columns is
// chosen here: vectors run along columns, so that a product with a narrow or
// missing column extent has its operands exchanged. Products commute, and every
// element stays one chain over ascending sums, so the choice is not seen in the
// bits.
#include "passes/cpu/ContractionNest.h"

#include "dialects/tenon/Packing.h"
#include "passes/cpu/ElementEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tenon {

/// Fewer columns than this leave most lanes of a vector idle.
constexpr int64_t narrowColumns = 4;

Value flattened(Kernel &kernel, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  OpBuilder &b = kernel.builder;
  ElementEmitter sizes(kernel, 1);
  IndexBuilder at{b, kernel.loc()};
  Value count = at.constant(1);
  for (int64_t d = 0; d < type.getRank(); ++d)
    count = at.mul(count, sizes.extent(memref, d));
  OpFoldResult size = getAsOpFoldResult(count);
  int64_t known = getConstantIntValue(size).value_or(ShapedType::kDynamic);
  auto flat = MemRefType::get({known}, type.getElementType());
  auto strided =
      MemRefType::get({known}, type.getElementType(),
                      StridedLayoutAttr::get(b.getContext(), 0, {1}));
  Value view = memref::ReinterpretCastOp::create(
      b, kernel.loc(), strided, memref, b.getIndexAttr(0), ArrayRef(size),
      ArrayRef<OpFoldResult>(b.getIndexAttr(1)));
  return memref::CastOp::create(b, kernel.loc(), flat, view);
}

namespace {
/// The packed operand behind an unpack, or the tensor itself.
Value behindUnpack(Value tensor) {
  auto unpack = tensor.getDefiningOp<UnpackOp>();
  return unpack ? unpack.getOperand() : tensor;
}

/// An operand in memory: its extents and how far one step along each moves;
/// along `panelDim`, if it lies in panels, within a panel.
struct Operand {
  Value memory;
  Type element;
  SmallVector<Value> extents, strides;
  std::optional<int64_t> panelDim;
  std::optional<ColumnPanels> panels;

  Operand(Kernel &kernel, Value tensor) {
    memory = kernel.arguments.lookup(behindUnpack(tensor));
    element = cast<RankedTensorType>(tensor.getType()).getElementType();
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
    if (auto unpack = tensor.getDefiningOp<UnpackOp>())
      seeThrough(unpack, at);
  }

private:
  void seeThrough(UnpackOp unpack, IndexBuilder at) {
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
};

/// Whether dimension `column` gives columns that lie side by side.
bool columnsFit(const Operand &rhs, int64_t column) {
  return !rhs.panels ||
         (rhs.panelDim == column && !ShapedType::isDynamic(rhs.panels->width));
}

Type sumTypeOf(Type element) {
  if (isa<Float16Type, BFloat16Type>(element))
    return Float32Type::get(element.getContext());
  return element;
}

bool isCovered(Type element) { return isa<FloatType>(element); }

bool isOne(Value extent) { return getConstantIntValue(extent) == 1; }

/// Fewer known columns than lanes are worth.
bool isNarrow(const ResultDim &dim) {
  return getConstantIntValue(dim.extent).value_or(narrowColumns) <
         narrowColumns;
}

/// The distance of all rows in lhs, if it is known to be one.
Value strideOfRows(ArrayRef<ResultDim> rows) {
  for (size_t i = 1; i < rows.size(); ++i) {
    std::optional<int64_t> outer = getConstantIntValue(rows[i - 1].lhsStride),
                           inner = getConstantIntValue(rows[i].lhsStride),
                           count = getConstantIntValue(rows[i].extent);
    if (!outer || !inner || !count || *outer != *inner * *count)
      return {};
  }
  return rows.back().lhsStride;
}

/// Neighbours that are one run in both operands become one dimension.
void mergeSums(IndexBuilder at, SmallVector<SumDim> &sums) {
  for (size_t i = sums.size(); i-- > 1;) {
    SumDim &high = sums[i - 1], &low = sums[i];
    auto follows = [&](Value outer, Value inner) {
      std::optional<int64_t> step = getConstantIntValue(outer),
                             one = getConstantIntValue(inner),
                             count = getConstantIntValue(low.extent);
      return step && one && count && *step == *one * *count;
    };
    if (high.guard || low.guard || !follows(high.lhsStride, low.lhsStride) ||
        !follows(high.rhsStride, low.rhsStride))
      continue;
    low.extent = at.mul(high.extent, low.extent);
    sums.erase(sums.begin() + i - 1);
  }
}

/// Part of the numerics contract, chosen from the extent of the sum alone: a
/// chain of n products errs with the root of n, blocks with that of n / 128.
constexpr int64_t sumBlock = 128;

/// Taps of a window are never summed across: a pixel at the border, whose taps
/// come one by one, must have the bits of one inside.
constexpr int64_t fewestChannels = 64, mostChannels = 192;

int64_t blockOfDot(Value extent) {
  std::optional<int64_t> known = getConstantIntValue(extent);
  return known && *known <= sumBlock ? 0 : sumBlock;
}

int64_t blockOfConvolution(Value channels) {
  std::optional<int64_t> known = getConstantIntValue(channels);
  if (!known || *known > mostChannels)
    return sumBlock;
  return *known < fewestChannels ? 0 : *known;
}

bool inMemory(Kernel &kernel, Value tensor) {
  Value packed = behindUnpack(tensor);
  return isa<BlockArgument>(packed) && kernel.arguments.lookup(packed);
}
} // namespace

std::optional<ContractionNest> nestOfDot(Kernel &kernel, DotGeneralOp op) {
  if (!inMemory(kernel, op.getLhs()) || !inMemory(kernel, op.getRhs()) ||
      !isCovered(op.getType().getElementType()))
    return std::nullopt;
  IndexBuilder at{kernel.builder, kernel.loc()};
  Operand lhs(kernel, op.getLhs()), rhs(kernel, op.getRhs());
  if (lhs.panels)
    return std::nullopt;
  Value zero = at.constant(0);
  SmallVector<ResultDim> batches, left, right;
  int64_t place = 0;
  for (auto [l, r] : llvm::zip(op.getLhsBatch(), op.getRhsBatch()))
    batches.push_back(
        {lhs.extents[l], lhs.strides[l], rhs.strides[r], place++});
  for (int64_t dim : op.getLhsFree())
    left.push_back({lhs.extents[dim], lhs.strides[dim], zero, place++});
  for (int64_t dim : op.getRhsFree())
    right.push_back({rhs.extents[dim], zero, rhs.strides[dim], place++});
  ContractionNest nest;
  for (auto [l, r] : llvm::zip(op.getLhsContract(), op.getRhsContract()))
    nest.sums.push_back({lhs.extents[l], lhs.strides[l], rhs.strides[r]});
  if (nest.sums.empty())
    nest.sums.push_back({at.constant(1), zero, zero});
  // Free dimensions beside one another are one run of rows.
  auto inOneRun = [](ArrayRef<int64_t> free) {
    return !free.empty() &&
           free.back() - free.front() + 1 == int64_t(free.size());
  };
  bool leftRun = inOneRun(op.getLhsFree()),
       rightRun = inOneRun(op.getRhsFree());
  auto lastWide = [](ArrayRef<ResultDim> dims) {
    size_t last = dims.size();
    while (last > 0 && isOne(dims[last - 1].extent))
      --last;
    return int64_t(last) - 1;
  };
  bool noColumns = lastWide(right) < 0 && lastWide(left) >= 0;
  bool narrow = lastWide(right) >= 0 && lastWide(left) >= 0 &&
                isNarrow(right[lastWide(right)]) &&
                !isNarrow(left[lastWide(left)]);
  if (!rhs.panels && (noColumns || narrow)) {
    std::swap(lhs, rhs);
    std::swap(left, right);
    leftRun = rightRun;
    for (auto *dims : {&batches, &left, &right})
      for (ResultDim &dim : *dims)
        std::swap(dim.lhsStride, dim.rhsStride);
    for (SumDim &sum : nest.sums)
      std::swap(sum.lhsStride, sum.rhsStride);
  }
  if (right.empty())
    return std::nullopt;
  size_t column = std::max<int64_t>(0, lastWide(right));
  if (rhs.panels) {
    // Never exchanged: the columns are the right operand's.
    SmallVector<int64_t> free = op.getRhsFree();
    column = llvm::find(free, *rhs.panelDim) - free.begin();
    if (column == free.size() || !columnsFit(rhs, free[column]))
      return std::nullopt;
  }
  nest.panels = rhs.panels;
  nest.column = right[column];
  nest.outer = batches;
  for (auto [i, dim] : llvm::enumerate(right))
    if (i != column)
      nest.outer.push_back(dim);
  nest.rows = left;
  if (leftRun)
    nest.rowStride = left.back().lhsStride;
  nest.lhs = flattened(kernel, lhs.memory);
  nest.rhs = flattened(kernel, rhs.memory);
  nest.lhsElement = lhs.element;
  nest.rhsElement = rhs.element;
  nest.resultElement = op.getType().getElementType();
  nest.sum = sumTypeOf(nest.resultElement);
  nest.lhsOrigin = zero;
  mergeSums(at, nest.sums);
  nest.block = blockOfDot(nest.sums.back().extent);
  return nest;
}

std::optional<ContractionNest> nestOfConvolution(Kernel &kernel,
                                                 ConvolutionOp op) {
  if (!inMemory(kernel, op.getLhs()) || !inMemory(kernel, op.getRhs()) ||
      !isCovered(op.getType().getElementType()) || op.getGroups() != 1 ||
      llvm::any_of(op.getLhsDilation(), [](int64_t d) { return d != 1; }))
    return std::nullopt;
  IndexBuilder at{kernel.builder, kernel.loc()};
  Operand lhs(kernel, op.getLhs()), rhs(kernel, op.getRhs());
  int64_t spatial = op.getStrides().size();
  if (lhs.panels || !columnsFit(rhs, spatial + 1))
    return std::nullopt;
  ElementEmitter sizes(kernel, 1);
  Value zero = at.constant(0);
  auto resultExtent = [&](int64_t dim) {
    return sizes.extent(kernel.outputs[0], dim);
  };
  ContractionNest nest;
  nest.rows.push_back({resultExtent(0), lhs.strides[0], zero, 0});
  nest.lhsOrigin = zero;
  for (int64_t i = 0; i < spatial; ++i) {
    Value step = lhs.strides[i + 1];
    int64_t low = op.getPadding()[2 * i], high = op.getPadding()[2 * i + 1];
    nest.rows.push_back({resultExtent(i + 1),
                         at.mul(step, at.constant(op.getStrides()[i])), zero,
                         i + 1});
    nest.lhsOrigin = at.sub(nest.lhsOrigin, at.mul(step, at.constant(low)));
    SumDim taps{rhs.extents[i],
                at.mul(step, at.constant(op.getRhsDilation()[i])),
                rhs.strides[i]};
    if (low > 0 || high > 0)
      taps.guard = WindowGuard{unsigned(i + 1), op.getStrides()[i], low,
                               op.getRhsDilation()[i], lhs.extents[i + 1]};
    nest.sums.push_back(taps);
  }
  nest.sums.push_back(
      {rhs.extents[spatial], at.constant(1), rhs.strides[spatial]});
  nest.column = {resultExtent(spatial + 1), zero, at.constant(1), spatial + 1};
  nest.panels = rhs.panels;
  nest.rowStride = strideOfRows(nest.rows);
  nest.lhs = flattened(kernel, lhs.memory);
  nest.rhs = flattened(kernel, rhs.memory);
  nest.lhsElement = lhs.element;
  nest.rhsElement = rhs.element;
  nest.resultElement = op.getType().getElementType();
  nest.sum = sumTypeOf(nest.resultElement);
  nest.block = blockOfConvolution(nest.sums.back().extent);
  // Only whole blocks may be joined to longer runs.
  std::optional<int64_t> channels =
      getConstantIntValue(nest.sums.back().extent);
  if (nest.block == 0 || (channels && *channels % nest.block == 0))
    mergeSums(at, nest.sums);
  return nest;
}

} // namespace tenon
