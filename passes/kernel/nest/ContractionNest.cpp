// Computes the strides of products and convolutions and chooses the operand
// that gives the columns. Vectors run along columns, so the operands of a
// product are exchanged if its column extent is narrow or missing. The exchange
// does not change the bits: products commute, and every element stays one chain
// over ascending sums.
#include "passes/kernel/nest/ContractionNest.h"

#include "dialects/tenon/NumericsContract.h"
#include "passes/kernel/element/ElementEmitter.h"
#include "passes/kernel/element/FlatMemory.h"
#include "passes/kernel/nest/ContractionOperand.h"
#include "passes/kernel/numerics/Conversions.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace tenon {
using llvm::divideCeilSigned;

/// Fewer columns than this leave most lanes of a vector idle.
constexpr int64_t narrowColumns = 4;

namespace {
constexpr const char *computedOperand =
    "an operand is computed in the kernel or not in the form of its products";

/// True if dimension `column` gives contiguous columns.
bool columnsFit(const ContractionOperand &rhs, int64_t column) {
  return !rhs.panels ||
         (rhs.panelDim == column && !ShapedType::isDynamic(rhs.panels->width));
}

Type sumTypeOf(Type element) {
  if (isa<Float16Type, BFloat16Type>(element))
    return Float32Type::get(element.getContext());
  return kernelElementType(element);
}

bool isOne(Value extent) { return getConstantIntValue(extent) == 1; }

/// True if the dimension is known to have too few columns for a vector.
bool isNarrow(const ResultDim &dim) {
  return getConstantIntValue(dim.extent).value_or(narrowColumns) <
         narrowColumns;
}

/// The stride of all rows in lhs, if they are known to have one stride.
Value strideOfRows(ArrayRef<ResultDim> rows) {
  for (size_t i = 1; i < rows.size(); ++i)
    if (!continuesDim(rows[i - 1].lhsStride, rows[i].lhsStride, rows[i].extent))
      return {};
  return rows.back().lhsStride;
}

/// Merges neighbouring dimensions that are contiguous in both operands.
void mergeSums(IndexBuilder at, SmallVector<SumDim> &sums) {
  for (size_t i = sums.size(); i-- > 1;) {
    SumDim &high = sums[i - 1], &low = sums[i];
    if (high.guard || low.guard ||
        !continuesDim(high.lhsStride, low.lhsStride, low.extent) ||
        !continuesDim(high.rhsStride, low.rhsStride, low.extent))
      continue;
    low.extent = at.mul(high.extent, low.extent);
    sums.erase(sums.begin() + i - 1);
  }
}

/// Merges dimensions that are neighbours in the shapes of both operands, for
/// known and unknown extents alike. Other dimensions are not merged, even if
/// they happen to be contiguous: sums must not depend on which extents are
/// known.
void mergeNeighbours(IndexBuilder at, SmallVector<SumDim> &sums,
                     ArrayRef<int64_t> lhsDims, ArrayRef<int64_t> rhsDims) {
  for (size_t i = sums.size(); i-- > 1;) {
    if (lhsDims[i - 1] + 1 != lhsDims[i] || rhsDims[i - 1] + 1 != rhsDims[i])
      continue;
    sums[i].extent = at.mul(sums[i - 1].extent, sums[i].extent);
    sums.erase(sums.begin() + i - 1);
  }
}

/// Chooses the block from the extent of the sum alone.
int64_t blockOfDot(Type sum, Value extent) {
  if (!isa<FloatType>(sum))
    return 0;
  std::optional<int64_t> known = getConstantIntValue(extent);
  return known && *known <= sumBlock ? 0 : sumBlock;
}

/// Counts a sum in words of rhs, if products are formed of words. The elements
/// of a word are neighbours in lhs.
void countWords(IndexBuilder at, Products products, SumDim &sum, Value words) {
  if (products == Products::Chain)
    return;
  int64_t count = products == Products::Pairs ? pairCount : quadCount;
  sum.extent = words;
  sum.lhsStride = at.mul(sum.lhsStride, at.constant(count));
}

/// Sets the operands of a nest: their memory, panels and element types, and the
/// type of the sums.
void setOperands(ContractionNest &nest, Kernel &kernel,
                 const ContractionOperand &lhs, const ContractionOperand &rhs,
                 RankedTensorType result) {
  nest.panels = rhs.panels;
  nest.lhs = flattened(kernel, lhs.memory);
  nest.rhs = flattened(kernel, rhs.memory);
  nest.lhsElement = lhs.element;
  nest.rhsElement = rhs.element;
  nest.resultElement = result.getElementType();
  nest.sum = sumTypeOf(nest.resultElement);
}
} // namespace

int64_t blockOfConvolution(Type sum, std::optional<int64_t> features) {
  if (!isa<FloatType>(sum))
    return 0;
  if (!features || *features > maxBlockFeatures)
    return sumBlock;
  return *features < fewestBlockFeatures ? 0 : *features;
}

std::optional<ContractionNest> nestOfDot(Kernel &kernel, DotGeneralOp op,
                                         const char *&obstacle) {
  auto refuse = [&](const char *why) {
    obstacle = why;
    return std::nullopt;
  };
  if (!inMemory(kernel, op.getLhs(), op.getRhs(), op.getProducts()))
    return refuse(computedOperand);
  IndexBuilder at{kernel.builder, kernel.loc()};
  ContractionOperand lhs(kernel, op.getLhs()), rhs(kernel, op.getRhs());
  if (lhs.panels || lhs.scales)
    return refuse("the left operand is in panels");
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
  nest.products = op.getProducts();
  if (nest.inWords() && getConstantIntValue(nest.sums.back().lhsStride) != 1)
    return refuse("factors of a word are not adjacent in the left operand");
  if (nest.inWords())
    countWords(at, nest.products, nest.sums.back(),
               rhs.extents[op.getRhsContract().back()]);
  // Neighbouring free dimensions are one run of rows.
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
    return refuse("the result has no columns");
  size_t column = std::max<int64_t>(0, lastWide(right));
  if (rhs.panels) {
    // Operands are not exchanged here: the right operand gives the columns.
    SmallVector<int64_t> free = op.getRhsFree();
    column = llvm::find(free, *rhs.panelDim) - free.begin();
    if (column == free.size() || !columnsFit(rhs, free[column]))
      return refuse("the panels do not run along the columns");
  }
  // The groups of scales divide the sum, which must be one dimension.
  if (rhs.scales && (nest.sums.size() != 1 || !batches.empty()))
    return refuse("the weight has scales, and the sum has several dimensions "
                  "or a batch");
  setOperands(nest, kernel, lhs, rhs, op.getType());
  nest.sumsPerElement = rhs.sumsPerElement;
  nest.scales = rhs.scales;
  nest.column = right[column];
  nest.outer = batches;
  for (auto [i, dim] : llvm::enumerate(right))
    if (i != column)
      nest.outer.push_back(dim);
  nest.rows = left;
  if (leftRun)
    nest.rowStride = left.back().lhsStride;
  // Rows of three dimensions are the pixels of images.
  nest.isOpenImage =
      left.size() >= 3 && !knownProduct(ArrayRef(left).drop_front());
  nest.lhsOrigin = nest.rhsOrigin = zero;
  nest.rank = place;
  if (!op.getLhsContract().empty())
    mergeNeighbours(at, nest.sums, op.getLhsContract(), op.getRhsContract());
  Value innermost = nest.sums.back().extent;
  nest.block = nest.scales ? rhs.group : blockOfDot(nest.sum, innermost);
  if (nest.block && nest.sums.size() > 1 && !getConstantIntValue(innermost))
    nest.isBlocked = arith::CmpIOp::create(kernel.builder, kernel.loc(),
                                           arith::CmpIPredicate::sgt, innermost,
                                           at.constant(sumBlock));
  return nest;
}

namespace {
/// The most nests for one transposed convolution; each nest has its own code.
constexpr int64_t maxPhases = 16;

/// One spatial dimension of a convolution or of one of its phases. It covers
/// the positions first + step * p. Their windows read elements of the input,
/// not the zeros between elements, at the taps firstTap + tapStep * t. In the
/// input, the window of position p starts at p * stride - low and its taps are
/// `dilation` apart.
struct Phase {
  int64_t first, step, stride, low, dilation, firstTap, tapStep;
};

/// The phases of a dimension: one for each remainder of the position modulo the
/// number of phases.
SmallVector<Phase> phasesOf(ConvolutionOp op, int64_t dim) {
  int64_t stride = op.getStrides()[dim], low = op.getPadding()[2 * dim],
          dilation = op.getRhsDilation()[dim],
          between = op.getLhsDilation()[dim];
  int64_t step = between / std::gcd(stride, between),
          tapStep = between / std::gcd(dilation, between);
  SmallVector<Phase> phases;
  for (int64_t first = 0; first < step; ++first) {
    int64_t tap = 0, start = first * stride - low;
    while (tap < tapStep && (start + tap * dilation) % between != 0)
      ++tap;
    // No tap reads an element of the input: the sums are empty.
    bool none = tap == tapStep;
    phases.push_back({first, step, stride * step / between,
                      none ? 0 : -(start + tap * dilation) / between,
                      dilation * tapStep / between,
                      none ? std::numeric_limits<int64_t>::max() : tap,
                      tapStep});
  }
  return phases;
}

class ConvolutionNests {
public:
  ConvolutionNests(Kernel &kernel, ConvolutionOp op)
      : kernel(kernel), op(op), at{kernel.builder, kernel.loc()},
        lhs(kernel, op.getLhs()), rhs(kernel, op.getRhs()),
        spatial(op.getStrides().size()) {}

  std::vector<ContractionNest> all(const char *&obstacle);

private:
  const char *obstacleToNests();
  bool isPointwise();
  ContractionNest nestOf(ArrayRef<Phase> phases);
  void addSpatial(ContractionNest &nest, int64_t dim, const Phase &phase);
  void addChannels(ContractionNest &nest);
  Value resultExtent(int64_t dim) {
    return ElementEmitter(kernel, 1).extent(kernel.outputs[0], dim);
  }

  Kernel &kernel;
  ConvolutionOp op;
  IndexBuilder at;
  ContractionOperand lhs, rhs;
  int64_t spatial;
};

/// The reason why the form of the convolution is not covered; null if it is.
const char *ConvolutionNests::obstacleToNests() {
  int64_t phases = 1;
  for (auto [stride, between] : llvm::zip(op.getStrides(), op.getLhsDilation()))
    phases *= between / std::gcd(stride, between);
  bool kernelKnown = !ShapedType::isDynamicShape(
      cast<ShapedType>(op.getRhs().getType()).getShape().take_front(spatial));
  bool outputsKnown = !op.getType().isDynamicDim(spatial + 1);
  bool besideOneAnother = getConstantIntValue(lhs.strides.back()) == 1;
  if (lhs.panels || lhs.scales || rhs.scales)
    return "an operand has a stored form that convolutions do not read";
  if (phases > maxPhases)
    return "the transposed convolution has too many phases";
  if (phases != 1 && !kernelKnown)
    return "the transposed convolution has a kernel of dynamic size";
  if (op.getProducts() != Products::Chain && !besideOneAnother)
    return "factors of a word are not adjacent in the input";
  if (op.getGroups() == 1)
    return columnsFit(rhs, spatial + 1)
               ? nullptr
               : "the panels do not run along the columns";
  if (!outputsKnown)
    return "the outputs of a group are dynamic";
  return rhs.panels ? "the weight of several groups is in panels" : nullptr;
}

/// True if each position of the result reads the pixel at the same position.
bool ConvolutionNests::isPointwise() {
  auto isOneHere = [](int64_t number) { return number == 1; };
  return llvm::all_of(ArrayRef(rhs.extents).take_front(spatial), isOne) &&
         llvm::all_of(op.getStrides(), isOneHere) &&
         llvm::all_of(op.getLhsDilation(), isOneHere) &&
         llvm::all_of(op.getPadding(), [](int64_t n) { return n == 0; });
}

/// Adds a row dimension along a spatial dimension, and the sum over its taps.
void ConvolutionNests::addSpatial(ContractionNest &nest, int64_t dim,
                                  const Phase &phase) {
  Value step = lhs.strides[dim + 1];
  Value left = at.max(at.sub(resultExtent(dim + 1), at.constant(phase.first)),
                      at.constant(0));
  nest.rows.push_back({at.ceilDiv(left, phase.step),
                       at.mul(step, at.constant(phase.stride)), at.constant(0),
                       dim + 1, phase.step, phase.first});
  nest.lhsOrigin = at.sub(nest.lhsOrigin, at.mul(step, at.constant(phase.low)));
  SumDim taps{rhs.extents[dim], at.mul(step, at.constant(phase.dilation)),
              at.mul(rhs.strides[dim], at.constant(phase.tapStep))};
  if (phase.tapStep != 1 || phase.firstTap != 0) {
    int64_t all = *getConstantIntValue(rhs.extents[dim]);
    bool none = phase.firstTap >= all;
    taps.extent = at.constant(
        none ? 0 : divideCeilSigned(all - phase.firstTap, phase.tapStep));
    if (!none)
      nest.rhsOrigin =
          at.add(nest.rhsOrigin,
                 at.mul(rhs.strides[dim], at.constant(phase.firstTap)));
  }
  bool spread = op.getLhsDilation()[dim] != 1;
  if (spread || op.getPadding()[2 * dim] > 0 ||
      op.getPadding()[2 * dim + 1] > 0)
    taps.guard = WindowGuard{unsigned(dim + 1), phase.stride, phase.low,
                             phase.dilation, lhs.extents[dim + 1]};
  nest.sums.push_back(taps);
}

/// Adds the columns, which are the outputs of a group, and the sum over
/// features.
void ConvolutionNests::addChannels(ContractionNest &nest) {
  Value zero = at.constant(0), outputs = resultExtent(spatial + 1),
        features = rhs.extents[spatial];
  if (int64_t groups = op.getGroups(); groups != 1) {
    int64_t each = *getConstantIntValue(outputs) / groups;
    nest.outer.push_back({at.constant(groups),
                          at.mul(features, lhs.strides.back()),
                          at.constant(each), spatial + 1, each});
    outputs = at.constant(each);
  }
  nest.column = {outputs, zero, at.constant(1), spatial + 1};
  nest.sums.push_back({features, lhs.strides.back(), rhs.strides[spatial]});
  nest.products = op.getProducts();
  countWords(at, nest.products, nest.sums.back(), features);
}

ContractionNest ConvolutionNests::nestOf(ArrayRef<Phase> phases) {
  ContractionNest nest;
  nest.lhsOrigin = nest.rhsOrigin = at.constant(0);
  nest.rank = spatial + 2;
  nest.rows.push_back({resultExtent(0), lhs.strides[0], at.constant(0), 0});
  for (auto [dim, phase] : llvm::enumerate(phases))
    addSpatial(nest, dim, phase);
  nest.isOpenImage = !knownProduct(ArrayRef(nest.rows).drop_front());
  addChannels(nest);
  setOperands(nest, kernel, lhs, rhs, op.getType());
  nest.rowStride = isPointwise() && !lhs.isTransposed
                       ? nest.rows.back().lhsStride
                       : strideOfRows(nest.rows);
  Value features = nest.sums.back().extent;
  nest.block = blockOfConvolution(nest.sum, getConstantIntValue(features));
  // A window of one tap is not a loop: a 1x1 convolution is one chain.
  for (size_t i = nest.sums.size() - 1; i-- > 0;)
    if (isOne(nest.sums[i].extent) && !nest.sums[i].guard)
      nest.sums.erase(nest.sums.begin() + i);
  // Dimensions may be merged only if every block is whole.
  std::optional<int64_t> known = getConstantIntValue(features);
  if (nest.block == 0 || (known && *known % nest.block == 0))
    mergeSums(at, nest.sums);
  return nest;
}

std::vector<ContractionNest> ConvolutionNests::all(const char *&obstacle) {
  obstacle = obstacleToNests();
  if (obstacle)
    return {};
  SmallVector<SmallVector<Phase>> combinations = {{}};
  for (int64_t dim = 0; dim < spatial; ++dim) {
    SmallVector<SmallVector<Phase>> longer;
    for (const SmallVector<Phase> &former : combinations)
      for (const Phase &phase : phasesOf(op, dim)) {
        longer.push_back(former);
        longer.back().push_back(phase);
      }
    combinations = std::move(longer);
  }
  std::vector<ContractionNest> nests;
  for (ArrayRef<Phase> phases : combinations)
    nests.push_back(nestOf(phases));
  return nests;
}
} // namespace

bool continuesDim(Value outer, Value inner, Value extent) {
  std::optional<int64_t> step = getConstantIntValue(outer),
                         one = getConstantIntValue(inner),
                         count = getConstantIntValue(extent);
  return step && one && count && *step == *one * *count;
}

std::optional<int64_t> knownProduct(ArrayRef<ResultDim> dims) {
  int64_t product = 1;
  for (const ResultDim &dim : dims) {
    std::optional<int64_t> extent = getConstantIntValue(dim.extent);
    if (!extent)
      return std::nullopt;
    product *= *extent;
  }
  return product;
}

std::vector<ContractionNest>
nestsOfConvolution(Kernel &kernel, ConvolutionOp op, const char *&obstacle) {
  if (!inMemory(kernel, op.getLhs(), op.getRhs(), op.getProducts())) {
    obstacle = computedOperand;
    return {};
  }
  return ConvolutionNests(kernel, op).all(obstacle);
}

} // namespace tenon
