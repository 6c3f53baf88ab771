// Movement ops: each result element is a copy of one operand element.
#include "compiler/oracle/OpInstance.h"

#include "dialects/tenon/Packing.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tenon {

/// A result of `shape`; its element at `index` is element source(index) of
/// `from`.
template <typename F>
static llvm::Expected<HostTensors> rearrange(const OpInstance &at,
                                             const HostTensor &from,
                                             Indices shape, F source) {
  auto result = at.allocate(from.element, shape);
  if (!result)
    return result.takeError();
  forEachIndex(shape, [&](Indices index, int64_t i) {
    copyElement(*result, i, from, source(index));
  });
  return HostTensors{std::move(*result)};
}

template <typename Op>
static Operands segment(const OpInstance &at, Op op, unsigned which) {
  auto [start, length] = op.getODSOperandIndexAndLength(which);
  return at.in.slice(start, length);
}

static llvm::Expected<HostTensors> iota(IotaOp op, const OpInstance &at) {
  auto result =
      at.allocate(at.resultElement(), at.mixed(op.getStaticSizes(), at.in));
  if (!result)
    return result.takeError();
  Type counted = IntegerType::get(op.getContext(), 64);
  forEachIndex(result->shape, [&](Indices index, int64_t i) {
    int64_t value = index[op.getDim()];
    if (result->isFloat())
      result->floats[i] = intToFloat(counted, value, result->element);
    else
      result->ints[i] = wrapToElement(result->element, value);
  });
  return HostTensors{std::move(*result)};
}

static llvm::Expected<HostTensors> broadcast(BroadcastInDimOp op,
                                             const OpInstance &at) {
  const HostTensor &x = *at.in[0];
  SmallVector<int64_t> shape =
      at.mixed(op.getStaticSizes(), at.in.drop_front());
  SmallVector<int64_t> strides = rowMajorStrides(x.shape);
  SmallVector<int64_t> steps(shape.size(), 0);
  for (auto [i, dim] : llvm::enumerate(op.getDims())) {
    if (x.shape[i] != 1 && x.shape[i] != shape[dim])
      return at.error("expected an operand extent to be one or the result's, "
                      "got " +
                      shapeText(x.shape) + " and " + shapeText(shape));
    if (x.shape[i] != 1)
      steps[dim] = strides[i];
  }
  return rearrange(at, x, shape,
                   [&](Indices index) { return linearIndex(index, steps); });
}

static llvm::Expected<HostTensors> reshape(ReshapeOp op, const OpInstance &at) {
  const HostTensor &x = *at.in[0];
  SmallVector<int64_t> shape =
      at.mixed(op.getStaticSizes(), at.in.drop_front());
  if (checkedCount(shape) != x.count())
    return at.error("expected " + Twine(x.count()) + " elements, got extents " +
                    shapeText(shape));
  HostTensor result = x;
  result.shape = shape;
  return HostTensors{std::move(result)};
}

static llvm::Expected<HostTensors> transpose(TransposeOp op,
                                             const OpInstance &at) {
  const HostTensor &x = *at.in[0];
  SmallVector<int64_t> strides = rowMajorStrides(x.shape), shape, steps;
  for (int64_t dim : op.getPermutation()) {
    shape.push_back(x.shape[dim]);
    steps.push_back(strides[dim]);
  }
  return rearrange(at, x, shape,
                   [&](Indices index) { return linearIndex(index, steps); });
}

static llvm::Expected<HostTensors> slice(SliceOp op, const OpInstance &at) {
  const HostTensor &x = *at.in[0];
  SmallVector<int64_t> offsets =
      at.mixed(op.getStaticOffsets(), segment(at, op, 1));
  SmallVector<int64_t> sizes =
      at.mixed(op.getStaticSizes(), segment(at, op, 2));
  SmallVector<int64_t> strides =
      at.mixed(op.getStaticStrides(), segment(at, op, 3));
  SmallVector<int64_t> base = rowMajorStrides(x.shape), steps;
  int64_t first = 0;
  bool empty = llvm::is_contained(sizes, 0);
  for (size_t d = 0; d < sizes.size(); ++d) {
    // Computed in 128 bits, because offsets and strides may be any index value.
    __int128 last = __int128(offsets[d]) + __int128(sizes[d] - 1) * strides[d];
    bool outside = offsets[d] < 0 || offsets[d] >= x.shape[d] || last < 0 ||
                   last >= x.shape[d];
    if (sizes[d] < 0 || strides[d] == 0 || (sizes[d] > 0 && outside))
      return at.error("expected a box within extents " + shapeText(x.shape) +
                      ", got offsets " + shapeText(offsets) + ", sizes " +
                      shapeText(sizes) + ", strides " + shapeText(strides));
    if (empty)
      continue;
    first += offsets[d] * base[d];
    steps.push_back(sizes[d] > 1 ? strides[d] * base[d] : 0);
  }
  return rearrange(at, x, sizes, [&](Indices index) {
    return first + linearIndex(index, steps);
  });
}

static llvm::Expected<HostTensors> pad(PadOp op, const OpInstance &at) {
  const HostTensor &x = *at.in[0], &value = *at.in[1];
  SmallVector<int64_t> low = at.mixed(op.getStaticLow(), segment(at, op, 2));
  SmallVector<int64_t> high = at.mixed(op.getStaticHigh(), segment(at, op, 3));
  SmallVector<int64_t> shape;
  for (size_t d = 0; d < x.shape.size(); ++d) {
    int64_t gaps = std::max<int64_t>(x.shape[d] - 1, 0);
    __int128 extent =
        __int128(gaps) * op.getInterior()[d] + x.shape[d] + low[d] + high[d];
    if (extent < 0 || extent > at.options.maxElements)
      return at.error("expected padding that leaves an extent, got low " +
                      shapeText(low) + " and high " + shapeText(high) + " of " +
                      shapeText(x.shape));
    shape.push_back(int64_t(extent));
  }
  auto result = at.allocate(x.element, shape);
  if (!result)
    return result.takeError();
  SmallVector<int64_t> strides = rowMajorStrides(x.shape);
  forEachIndex(shape, [&](Indices index, int64_t i) {
    int64_t from = 0;
    for (size_t d = 0; d < index.size(); ++d) {
      int64_t place = index[d] - low[d], step = op.getInterior()[d] + 1;
      if (place < 0 || place % step != 0 || place / step >= x.shape[d])
        return copyElement(*result, i, value, 0);
      from += place / step * strides[d];
    }
    copyElement(*result, i, x, from);
  });
  return HostTensors{std::move(*result)};
}

static llvm::Expected<HostTensors> concatenate(ConcatenateOp op,
                                               const OpInstance &at) {
  int64_t dim = op.getDim();
  SmallVector<int64_t> shape(at.in[0]->shape);
  for (const HostTensor *part : at.in.drop_front()) {
    for (size_t d = 0; d < shape.size(); ++d)
      if (int64_t(d) != dim && part->shape[d] != shape[d])
        return at.error("expected other extents to agree, got " +
                        shapeText(shape) + " and " + shapeText(part->shape));
    shape[dim] += part->shape[dim];
  }
  auto result = at.allocate(at.resultElement(), shape);
  if (!result)
    return result.takeError();
  SmallVector<int64_t> strides = rowMajorStrides(shape);
  int64_t offset = 0;
  for (const HostTensor *part : at.in) {
    forEachIndex(part->shape, [&](Indices index, int64_t i) {
      copyElement(*result, linearIndex(index, strides) + offset * strides[dim],
                  *part, i);
    });
    offset += part->shape[dim];
  }
  return HostTensors{std::move(*result)};
}

static llvm::Expected<HostTensors> reverse(ReverseOp op, const OpInstance &at) {
  const HostTensor &x = *at.in[0];
  SmallVector<int64_t> steps = rowMajorStrides(x.shape);
  int64_t first = 0;
  for (int64_t dim : op.getDims()) {
    first += (x.shape[dim] - 1) * steps[dim];
    steps[dim] = -steps[dim];
  }
  return rearrange(at, x, x.shape, [&](Indices index) {
    return first + linearIndex(index, steps);
  });
}

static llvm::Expected<HostTensors> pack(PackOp op, const OpInstance &at) {
  const HostTensor &x = *at.in[0];
  int64_t dim = op.getDim(), width = op.getWidth(), extent = x.shape[dim];
  SmallVector<int64_t> shape(x.shape), strides = rowMajorStrides(x.shape);
  shape.erase(shape.begin() + dim);
  shape.insert(shape.begin(), llvm::divideCeil(extent, width));
  shape.push_back(width);
  auto result = at.allocate(x.element, shape);
  if (!result)
    return result.takeError();
  forEachIndex(shape, [&](Indices index, int64_t i) {
    SmallVector<int64_t> place(index.drop_front().drop_back());
    int64_t packed = index.front() * width + index.back();
    place.insert(place.begin() + dim, packed);
    if (packed < extent)
      copyElement(*result, i, x, linearIndex(place, strides));
  });
  return HostTensors{std::move(*result)};
}

static llvm::Expected<HostTensors> unpack(UnpackOp op, const OpInstance &at) {
  const HostTensor &x = *at.in[0];
  int64_t dim = op.getDim(), width = x.shape.back();
  SmallVector<int64_t> strides = rowMajorStrides(x.shape);
  SmallVector<int64_t> shape(ArrayRef(x.shape).drop_front().drop_back());
  shape.insert(shape.begin() + dim, op.getExtent());
  if (width < 1 ||
      int64_t(llvm::divideCeil(op.getExtent(), width)) != x.shape.front())
    return at.error("expected an extent that fills the panels, got " +
                    Twine(op.getExtent()) + " for panels of shape " +
                    shapeText(x.shape));
  return rearrange(at, x, shape, [&](Indices index) {
    SmallVector<int64_t> place(index);
    place.erase(place.begin() + dim);
    place.insert(place.begin(), index[dim] / width);
    place.push_back(index[dim] % width);
    return linearIndex(place, strides);
  });
}

/// Words of `count` elements each, the first in the lowest bits.
static llvm::Expected<HostTensors> joinedToWords(const OpInstance &at,
                                                 int64_t count) {
  const HostTensor &x = *at.in[0];
  auto result = at.allocate(at.resultElement(),
                            wordShape(x.shape, x.element, count).shape);
  if (!result)
    return result.takeError();
  size_t depth = x.shape.size() - 2;
  int64_t bits = 32 / count;
  uint32_t mask = (uint32_t(1) << bits) - 1;
  SmallVector<int64_t> strides = rowMajorStrides(result->shape);
  forEachIndex(x.shape, [&](Indices index, int64_t i) {
    SmallVector<int64_t> place(index);
    place[depth] /= count;
    int64_t &word = result->ints[linearIndex(place, strides)];
    uint32_t part = uint32_t(elementBits(x, i)) & mask;
    word = int32_t(uint32_t(word) | part << (index[depth] % count * bits));
  });
  return HostTensors{std::move(*result)};
}

/// The elements of words that hold `count` each.
static llvm::Expected<HostTensors> partsOfWords(const OpInstance &at,
                                                int64_t count) {
  const HostTensor &x = *at.in[0];
  auto result = at.allocate(at.resultElement(),
                            elementShape(x.shape, x.element, count).shape);
  if (!result)
    return result.takeError();
  size_t depth = x.shape.size() - 2;
  int64_t bits = 32 / count;
  uint32_t mask = (uint32_t(1) << bits) - 1;
  SmallVector<int64_t> strides = rowMajorStrides(x.shape);
  forEachIndex(result->shape, [&](Indices index, int64_t i) {
    SmallVector<int64_t> place(index);
    place[depth] /= count;
    auto word = uint32_t(x.ints[linearIndex(place, strides)]);
    setElementBits(*result, i, word >> (index[depth] % count * bits) & mask);
  });
  return HostTensors{std::move(*result)};
}

llvm::Expected<HostTensors> evaluateMovement(const OpInstance &at) {
  return llvm::TypeSwitch<Operation *, llvm::Expected<HostTensors>>(at.op)
      .Case([&](ConstantOp op) -> llvm::Expected<HostTensors> {
        auto value = HostTensor::fromAttr(op.getValue());
        if (!value)
          return at.error(llvm::toString(value.takeError()));
        return HostTensors{std::move(*value)};
      })
      .Case([&](IotaOp op) { return iota(op, at); })
      .Case([&](BroadcastInDimOp op) { return broadcast(op, at); })
      .Case([&](ReshapeOp op) { return reshape(op, at); })
      .Case([&](TransposeOp op) { return transpose(op, at); })
      .Case([&](SliceOp op) { return slice(op, at); })
      .Case([&](PadOp op) { return pad(op, at); })
      .Case([&](ConcatenateOp op) { return concatenate(op, at); })
      .Case([&](ReverseOp op) { return reverse(op, at); })
      .Case([&](PackOp op) { return pack(op, at); })
      .Case([&](UnpackOp op) { return unpack(op, at); })
      .Case([&](PairOp) { return joinedToWords(at, pairCount); })
      .Case([&](UnpairOp) { return partsOfWords(at, pairCount); })
      .Case([&](QuadOp) { return joinedToWords(at, quadCount); })
      .Case([&](UnquadOp) { return partsOfWords(at, quadCount); })
      .Default([&](Operation *) {
        return at.error("the oracle does not know this op");
      });
}

} // namespace tenon
