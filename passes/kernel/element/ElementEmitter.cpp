// Emits elements of values inside a fusion: loads, elementwise ops and index
// maps. ElementLoops.cpp has the ops that need a loop for one element.
#include "passes/kernel/element/ElementEmitter.h"

#include "passes/kernel/ExtentSource.h"
#include "passes/kernel/numerics/Conversions.h"
#include "passes/kernel/numerics/ElementwiseEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tenon {

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Type ElementEmitter::laneType(Type tenonElement) {
  Type element = kernelElementType(tenonElement);
  return lanes == 1 ? element : VectorType::get({lanes}, element);
}

Value ElementEmitter::emit(Value tensor, ArrayRef<LaneIndex> indices) {
  if (hasFailed)
    return {};
  if (Value known = presets.lookup(tensor))
    return known;
  Key key{tensor.getAsOpaquePointer(), {}};
  for (const LaneIndex &index : indices)
    key.second.push_back({index.base.getAsOpaquePointer(), index.stride});
  if (auto it = memo.find(key); it != memo.end())
    return it->second;
  Value value;
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    value = load(kernel.arguments.lookup(argument),
                 tensorType(tensor).getElementType(), indices);
  else
    value = compute(tensor.getDefiningOp(), cast<OpResult>(tensor), indices);
  if (!value)
    return fail();
  memo[key] = value;
  return value;
}

Value ElementEmitter::compute(Operation *op, OpResult,
                              ArrayRef<LaneIndex> indices) {
  if (auto check = dyn_cast<CheckRangeOp>(op))
    return emitCheckRange(check, indices);
  if (op->hasTrait<Elementwise>()) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(emit(operand, indices));
      if (!operands.back())
        return {};
    }
    return emitElementwise(b, op->getLoc(), op, operands);
  }
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](ConstantOp op) { return splat(op); })
      .Case([&](BroadcastInDimOp op) { return emitBroadcast(op, indices); })
      .Case([&](IotaOp op) { return emitIota(op, indices); })
      .Case([&](SliceOp op) { return emitSlice(op, indices); })
      .Case([&](ReverseOp op) { return emitReverse(op, indices); })
      .Case([&](ReshapeOp op) { return emitReshape(op, indices); })
      .Case([&](PadOp op) { return emitPad(op, indices); })
      .Case([&](ConcatenateOp op) { return emitConcatenate(op, indices); })
      .Case([&](GatherOp op) { return emitGather(op, indices); })
      .Case([&](TransposeOp op) {
        SmallVector<LaneIndex> mapped(indices.size());
        for (auto [i, dim] : llvm::enumerate(op.getPermutation()))
          mapped[dim] = indices[i];
        return emit(op.getOperand(), mapped);
      })
      .Case([&](UnpackOp op) { return emitUnpack(op, indices); })
      .Case([&](UnpairOp op) {
        return emitPart(op.getOperand(), pairCount, b.getBF16Type(), indices);
      })
      .Case([&](UnquadOp op) {
        return emitPart(op.getOperand(), quadCount, b.getI8Type(), indices);
      })
      .Case([&](DequantizeOp op) { return emitDequantize(op, indices); })
      .Case([&](ReduceOp op) { return emitReduce(op, indices); })
      .Case([&](ArgReduceOp op) { return emitArgReduce(op, indices); })
      .Case([&](ReduceWindowOp op) { return emitReduceWindow(op, indices); })
      .Case([&](ArgReduceWindowOp op) {
        return emitArgReduceWindow(op, indices);
      })
      .Case([&](DotGeneralOp op) { return emitDot(op, indices); })
      .Case([&](ConvolutionOp op) { return emitConvolution(op, indices); })
      .Default([&](Operation *) { return fail(); });
}

Value ElementEmitter::broadcastToLanes(Value scalar) {
  if (lanes == 1 || isa<VectorType>(scalar.getType()))
    return scalar;
  return vector::BroadcastOp::create(
      b, kernel.loc(), VectorType::get({lanes}, scalar.getType()), scalar);
}

Value ElementEmitter::scalarOf(Value tensor, ArrayRef<LaneIndex> indices) {
  if (llvm::any_of(indices,
                   [](const LaneIndex &index) { return index.stride != 0; }))
    return lanes == 1 ? emit(tensor, indices) : fail();
  int64_t saved = lanes;
  auto outer = std::move(memo);
  memo.clear();
  lanes = 1;
  Value scalar = emit(tensor, indices);
  lanes = saved;
  memo = std::move(outer);
  return scalar;
}

Value ElementEmitter::fromMemory(Value value, Type tenonElement) {
  if (!tenonElement.isInteger(1))
    return value;
  auto zero = arith::ConstantOp::create(b, kernel.loc(),
                                        b.getZeroAttr(value.getType()));
  return arith::CmpIOp::create(b, kernel.loc(), arith::CmpIPredicate::ne, value,
                               zero);
}

Value ElementEmitter::load(Value memref, Type tenonElement,
                           ArrayRef<LaneIndex> indices) {
  Location loc = kernel.loc();
  SmallVector<Value> bases;
  int64_t laneDims = 0;
  for (const LaneIndex &index : indices) {
    bases.push_back(index.base);
    laneDims += index.stride != 0;
  }
  if (lanes == 1 || laneDims == 0)
    return broadcastToLanes(fromMemory(
        memref::LoadOp::create(b, loc, memref, bases), tenonElement));
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  auto type = VectorType::get({lanes}, element);
  if (laneDims == 1 && indices.back().stride == 1) {
    Value loaded;
    if (laneMask) {
      Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
      loaded = vector::MaskedLoadOp::create(b, loc, type, memref, bases,
                                            laneMask, zero);
    } else {
      loaded = vector::LoadOp::create(b, loc, type, memref, bases);
    }
    return fromMemory(loaded, tenonElement);
  }
  // Lanes that are not contiguous in memory are loaded one by one.
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value number = at().constant(lane);
    if (validLanes)
      number = at().min(number, at().sub(validLanes, at().constant(1)));
    SmallVector<Value> place;
    for (const LaneIndex &index : indices)
      place.push_back(
          index.stride == 0
              ? index.base
              : at().add(index.base,
                         at().mul(number, at().constant(index.stride))));
    auto loadLane = [&]() -> Value {
      return memref::LoadOp::create(b, loc, memref, place);
    };
    if (laneMask && !validLanes) {
      Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
      elements.push_back(guarded(
          vector::ExtractOp::create(b, loc, laneMask, lane), none, loadLane));
    } else {
      elements.push_back(loadLane());
    }
  }
  return fromMemory(vector::FromElementsOp::create(b, loc, type, elements),
                    tenonElement);
}

void ElementEmitter::store(Value value, Type tenonElement, Value memref,
                           ArrayRef<Value> indices) {
  Location loc = kernel.loc();
  if (tenonElement.isInteger(1)) {
    Type bytes = lanes == 1 ? Type(b.getI8Type())
                            : Type(VectorType::get({lanes}, b.getI8Type()));
    value = arith::ExtUIOp::create(b, loc, bytes, value);
  }
  if (lanes == 1)
    memref::StoreOp::create(b, loc, value, memref, indices);
  else if (laneMask)
    vector::MaskedStoreOp::create(b, loc, memref, indices, laneMask, value);
  else
    vector::StoreOp::create(b, loc, value, memref, indices);
}

Value ElementEmitter::splat(ConstantOp op) {
  auto value = dyn_cast<SplatElementsAttr>(op.getValue());
  if (!value)
    return fail();
  Type element = kernelElementType(value.getElementType());
  TypedAttr scalar;
  if (isa<FloatType>(element))
    scalar = b.getFloatAttr(element, value.getSplatValue<APFloat>());
  else
    scalar = b.getIntegerAttr(element, value.getSplatValue<APInt>());
  return broadcastToLanes(arith::ConstantOp::create(b, kernel.loc(), scalar));
}

Value ElementEmitter::index(OpFoldResult size) {
  if (auto constant = getConstantIntValue(size))
    return at().constant(*constant);
  return kernel.arguments.lookup(cast<Value>(size));
}

Value ElementEmitter::emitBroadcast(BroadcastInDimOp op,
                                    ArrayRef<LaneIndex> indices) {
  RankedTensorType from = tensorType(op.getOperand()), to = op.getType();
  Location loc = kernel.loc();
  SmallVector<LaneIndex> mapped;
  std::optional<size_t> open; // the operand's dimension along the lanes if its
                              // extent is dynamic, so it may be one
  for (auto [i, dim] : llvm::enumerate(op.getDims())) {
    LaneIndex index = indices[dim];
    if (from.getDimSize(i) == 1 && to.getDimSize(dim) != 1) {
      index = {at().constant(0), 0};
    } else if (from.isDynamicDim(i)) {
      // A dynamic extent may be one, in which case the dimension is broadcast:
      // a select at run time decides.
      if (index.stride != 0 && lanes != 1) {
        if (open)
          return fail();
        open = i;
      } else {
        index.base = arith::SelectOp::create(b, loc, isOne(op.getOperand(), i),
                                             at().constant(0), index.base);
      }
    }
    mapped.push_back(index);
  }
  if (!open)
    return emit(op.getOperand(), mapped);
  LaneIndex repeated{at().constant(0), 0};
  auto branch = scf::IfOp::create(b, loc, laneType(from.getElementType()),
                                  isOne(op.getOperand(), *open), true);
  auto fill = [&](Region &region) {
    OpBuilder::InsertionGuard guard(b);
    auto outer = memo;
    b.setInsertionPointToStart(&region.front());
    Value value = emit(op.getOperand(), mapped);
    memo = std::move(outer);
    if (!value)
      value = arith::ConstantOp::create(
          b, loc, b.getZeroAttr(branch.getResult(0).getType()));
    scf::YieldOp::create(b, loc, value);
  };
  fill(branch.getElseRegion());
  mapped[*open] = repeated;
  fill(branch.getThenRegion());
  return hasFailed ? Value() : branch.getResult(0);
}

Value ElementEmitter::isOne(Value tensor, int64_t dim) {
  return arith::CmpIOp::create(b, kernel.loc(), arith::CmpIPredicate::eq,
                               extent(tensor, dim), at().constant(1));
}

Value ElementEmitter::emitIota(IotaOp op, ArrayRef<LaneIndex> indices) {
  Location loc = kernel.loc();
  const LaneIndex &index = indices[op.getDim()];
  auto i64 = b.getI64Type();
  Value number =
      broadcastToLanes(arith::IndexCastOp::create(b, loc, i64, index.base));
  if (lanes != 1 && index.stride != 0) {
    SmallVector<int64_t> steps;
    for (int64_t lane = 0; lane < lanes; ++lane)
      steps.push_back(lane * index.stride);
    auto type = cast<VectorType>(number.getType());
    number = arith::AddIOp::create(
        b, loc, number,
        arith::ConstantOp::create(
            b, loc, DenseElementsAttr::get(type, ArrayRef(steps))));
  }
  return emitConvert(b, loc, number, i64, op.getType().getElementType());
}

Value ElementEmitter::emitSlice(SliceOp op, ArrayRef<LaneIndex> indices) {
  SmallVector<OpFoldResult> offsets =
      getMixedValues(op.getStaticOffsets(), op.getOffsets(), b);
  SmallVector<LaneIndex> mapped;
  size_t nextStride = 0;
  for (auto [i, index] : llvm::enumerate(indices)) {
    int64_t stride = op.getStaticStrides()[i];
    Value step = ShapedType::isDynamic(stride)
                     ? kernel.arguments.lookup(op.getStrides()[nextStride++])
                     : at().constant(stride);
    if (ShapedType::isDynamic(stride) && index.stride != 0 && lanes != 1)
      return fail();
    mapped.push_back(
        {at().add(this->index(offsets[i]), at().mul(index.base, step)),
         ShapedType::isDynamic(stride) ? 0 : index.stride * stride});
  }
  return emit(op.getOperand(), mapped);
}

Value ElementEmitter::emitReverse(ReverseOp op, ArrayRef<LaneIndex> indices) {
  SmallVector<LaneIndex> mapped(indices);
  for (int64_t dim : op.getDims()) {
    Value last = at().sub(extent(op.getOperand(), dim), at().constant(1));
    mapped[dim] = {at().sub(last, mapped[dim].base), -mapped[dim].stride};
  }
  return emit(op.getOperand(), mapped);
}

Value ElementEmitter::emitReshape(ReshapeOp op, ArrayRef<LaneIndex> indices) {
  if (lanes != 1 && llvm::any_of(indices, [](const LaneIndex &index) {
        return index.stride != 0;
      }))
    return fail();
  Value linear = at().constant(0);
  for (auto [i, index] : llvm::enumerate(indices))
    linear = at().add(at().mul(linear, extent(op.getResult(), i)), index.base);
  SmallVector<Value> extents;
  for (int64_t i = 0; i < tensorType(op.getOperand()).getRank(); ++i)
    extents.push_back(extent(op.getOperand(), i));
  SmallVector<LaneIndex> mapped;
  for (Value index : at().delinearize(linear, extents))
    mapped.push_back({index, 0});
  return emit(op.getOperand(), mapped);
}

Value ElementEmitter::guarded(Value condition, Value otherwise,
                              llvm::function_ref<Value()> then) {
  auto branch =
      scf::IfOp::create(b, kernel.loc(), otherwise.getType(), condition, true);
  OpBuilder::InsertionGuard guard(b);
  auto outer = memo;
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  Value computed = then();
  memo = std::move(outer);
  if (!computed) {
    // The caller discards this code, but it must be well formed.
    scf::YieldOp::create(b, kernel.loc(), otherwise);
    b.setInsertionPointToStart(&branch.getElseRegion().front());
    scf::YieldOp::create(b, kernel.loc(), otherwise);
    return fail();
  }
  scf::YieldOp::create(b, kernel.loc(), computed);
  b.setInsertionPointToStart(&branch.getElseRegion().front());
  scf::YieldOp::create(b, kernel.loc(), otherwise);
  return branch.getResult(0);
}

Value ElementEmitter::emitPad(PadOp op, ArrayRef<LaneIndex> indices) {
  Location loc = kernel.loc();
  SmallVector<OpFoldResult> low =
      getMixedValues(op.getStaticLow(), op.getLow(), b);
  SmallVector<OpFoldResult> high =
      getMixedValues(op.getStaticHigh(), op.getHigh(), b);
  Value inside;
  auto require = [&](Value condition) {
    inside = inside ? Value(arith::AndIOp::create(b, loc, inside, condition))
                    : condition;
  };
  SmallVector<LaneIndex> mapped;
  for (auto [i, index] : llvm::enumerate(indices)) {
    int64_t interior = op.getInterior()[i];
    if (getConstantIntValue(low[i]) == 0 && getConstantIntValue(high[i]) == 0 &&
        interior == 0) {
      mapped.push_back(index);
      continue;
    }
    if (index.stride != 0 && lanes != 1)
      return fail();
    Value place = at().sub(index.base, this->index(low[i]));
    if (interior != 0) {
      Value step = at().constant(interior + 1);
      require(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                    at().remainder(place, step),
                                    at().constant(0)));
      place = at().floorDiv(place, step);
    }
    // One unsigned comparison checks both bounds.
    require(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, place,
                                  extent(op.getOperand(), i)));
    mapped.push_back({place, 0});
  }
  if (!inside)
    return emit(op.getOperand(), mapped);
  Value otherwise = emit(op.getValue(), {});
  if (!otherwise)
    return {};
  return guarded(inside, otherwise,
                 [&] { return emit(op.getOperand(), mapped); });
}

SmallVector<Value> ElementEmitter::startsOfOperands(ConcatenateOp join) {
  SmallVector<Value> starts;
  Value start = at().constant(0);
  for (Value operand : join.getOperands()) {
    starts.push_back(start);
    start = at().add(start, extent(operand, join.getDim()));
  }
  return starts;
}

Value ElementEmitter::emitConcatenate(ConcatenateOp op,
                                      ArrayRef<LaneIndex> indices) {
  int64_t dim = op.getDim();
  SmallVector<Value> starts = startsOfOperands(op);
  if (auto found = chosen.find(op); found != chosen.end()) {
    SmallVector<LaneIndex> mapped(indices);
    mapped[dim].base = at().sub(mapped[dim].base, starts[found->second]);
    return emit(op.getOperand(found->second), mapped);
  }
  if (indices[dim].stride != 0 && lanes != 1)
    return fail();
  // A binary search over the start positions finds the operand.
  std::function<Value(size_t, size_t)> element = [&](size_t first,
                                                     size_t last) -> Value {
    if (last - first == 1) {
      SmallVector<LaneIndex> mapped(indices);
      mapped[dim].base = at().sub(mapped[dim].base, starts[first]);
      return emit(op.getOperand(first), mapped);
    }
    size_t middle = first + (last - first) / 2;
    Value here = at().less(indices[dim].base, starts[middle]);
    auto branch = scf::IfOp::create(
        b, kernel.loc(), laneType(op.getType().getElementType()), here, true);
    OpBuilder::InsertionGuard guard(b);
    auto outer = memo;
    auto fill = [&](Region &region, size_t from, size_t to) {
      b.setInsertionPointToStart(&region.front());
      Value value = element(from, to);
      memo = outer;
      if (!value)
        value = arith::ConstantOp::create(
            b, kernel.loc(), b.getZeroAttr(branch.getResult(0).getType()));
      scf::YieldOp::create(b, kernel.loc(), value);
    };
    fill(branch.getThenRegion(), first, middle);
    fill(branch.getElseRegion(), middle, last);
    return hasFailed ? Value() : branch.getResult(0);
  };
  return element(0, op.getNumOperands());
}

Value ElementEmitter::emitCheckRange(CheckRangeOp op,
                                     ArrayRef<LaneIndex> indices) {
  Location loc = kernel.loc();
  Type tenonElement = op.getType().getElementType();
  Value value = scalarOf(op.getOperand(), indices),
        low = scalarOf(op.getLow(), indices),
        high = scalarOf(op.getHigh(), indices);
  if (!value || !low || !high)
    return {};
  auto i64 = b.getI64Type();
  bool isUnsigned = tenonElement.isUnsignedInteger();
  auto wide = [&](Value v) {
    return emitConvert(
        b, loc, v, tenonElement,
        isUnsigned
            ? Type(IntegerType::get(b.getContext(), 64, IntegerType::Unsigned))
            : Type(i64));
  };
  Value wideValue = wide(value), wideLow = wide(low), wideHigh = wide(high);
  Value last = arith::SubIOp::create(
      b, loc, wideHigh, arith::ConstantIntOp::create(b, loc, 1, 64));
  auto below =
      isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  Value outside = arith::OrIOp::create(
      b, loc, arith::CmpIOp::create(b, loc, below, wideValue, wideLow),
      arith::CmpIOp::create(b, loc, below, last, wideValue));
  auto branch = scf::IfOp::create(b, loc, outside, false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    FaultOp::create(b, loc, /*size=*/false, op.getSiteAttr(), wideValue,
                    wideLow, last);
  }
  // Loads at this index must stay within memory even after a fault, so an index
  // outside becomes `low`.
  Value clamped = arith::SelectOp::create(b, loc, outside, low, value);
  return broadcastToLanes(clamped);
}

Value ElementEmitter::extent(Value tensor, int64_t dim) {
  auto type = cast<ShapedType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return at().constant(type.getDimSize(dim));
  if (isa<MemRefType>(type))
    return memref::DimOp::create(b, kernel.loc(), tensor, dim);
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return extent(kernel.arguments.lookup(argument), dim);
  // A yielded value has the extents of its output.
  for (auto [value, output] :
       llvm::zip(kernel.fusion.getYield().getValues(), kernel.outputs))
    if (value == tensor)
      return extent(output, dim);
  return llvm::TypeSwitch<Operation *, Value>(tensor.getDefiningOp())
      .Case<BroadcastInDimOp, ReshapeOp, SliceOp, IotaOp>([&](auto sized) {
        return index(
            getMixedValues(sized.getStaticSizes(), sized.getSizes(), b)[dim]);
      })
      .Case([&](UnpackOp op) {
        return extent(op.getOperand(),
                      dim < int64_t(op.getDim()) ? dim + 1 : dim);
      })
      // Elementwise ops and other ops whose result has the operands' shape:
      // take an operand whose extent is static, else the first.
      .Default([&](Operation *op) {
        if (auto source = extentSource(op, dim))
          return extent(source->first, source->second);
        for (Value operand : op->getOperands())
          if (auto shaped = dyn_cast<RankedTensorType>(operand.getType());
              shaped && !shaped.isDynamicDim(dim))
            return at().constant(shaped.getDimSize(dim));
        return extent(op->getOperand(0), dim);
      });
}

Value elementAt(ElementEmitter &emitter, Value tensor, ArrayRef<Value> place) {
  SmallVector<LaneIndex> indices;
  for (Value i : place)
    indices.push_back({i, 0});
  emitter.forget();
  return emitter.emit(tensor, indices);
}

} // namespace tenon
