// Compares a block's entries in vectors. Most blocks have rows of one entry: a
// beam shares all of its prompt with its siblings and inherits the rest from
// one of them at a time.
#include "passes/cpu/attention/TableRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

static int64_t widthOf(const StridedOperand &operand) {
  return *getConstantIntValue(operand.extents.back());
}

bool TableRows::canRead(const StridedOperand &operand) {
  return getConstantIntValue(operand.strides.back()) == 1 &&
         getConstantIntValue(operand.extents.back());
}

int64_t TableRows::bytes(const StridedOperand &operand) {
  return attentionBlock * widthOf(operand) *
         cast<MemRefType>(operand.memory.getType()).getElementTypeBitWidth() /
         8;
}

Value TableRows::scratchFor(const StridedOperand &operand) {
  return scratchOf(cast<MemRefType>(operand.memory.getType()).getElementType(),
                   attentionBlock * widthOf(operand));
}

TableBlock TableRows::block(Value row, Value first, Value count, bool whole) {
  Value start = table.at(at(), {row, first}), stride = table.strides.back();
  auto i64 = b.getI64Type();
  bool inVectors = whole && getConstantIntValue(stride) == 1;
  int64_t lanes = inVectors ? kernel.machine.lanes(8) : 1;
  Type type = inVectors ? Type(VectorType::get({lanes}, i64)) : Type(i64);
  Value entry = memref::LoadOp::create(b, loc, table.memory, start);
  if (inVectors)
    entry = vector::BroadcastOp::create(b, loc, type, entry);
  Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  auto loop = scf::ForOp::create(b, loc, at().constant(0), count,
                                 at().constant(lanes), none);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value place = at().add(start, at().mul(loop.getInductionVar(), stride));
    Value here =
        inVectors
            ? vector::LoadOp::create(b, loc, cast<VectorType>(type),
                                     table.memory, place)
                  .getResult()
            : memref::LoadOp::create(b, loc, table.memory, place).getResult();
    Value differs = arith::XOrIOp::create(b, loc, here, entry);
    scf::YieldOp::create(
        b, loc,
        Value(arith::OrIOp::create(b, loc, loop.getRegionIterArg(0), differs)));
  }
  Value differs = loop.getResult(0);
  if (inVectors)
    differs =
        vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, differs);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(i64));
  return {
      first, count, start,
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, differs, zero)};
}

Value TableRows::rowAt(const StridedOperand &operand, Values batch, Value place,
                       Value row) {
  Value entry = arith::IndexCastOp::create(
      b, loc, b.getIndexType(),
      memref::LoadOp::create(b, loc, table.memory, place));
  Value last = at().sub(operand.extents.front(), at().constant(1));
  batch.front() = at().max(at().min(entry, last), at().constant(0));
  batch.push_back(row);
  return operand.at(at(), batch);
}

Value TableRows::placeOf(const StridedOperand &operand, ArrayRef<Value> batch,
                         Value row) {
  return rowAt(operand, Values(batch), table.at(at(), {batch.front(), row}),
               row);
}

BlockRows TableRows::read(const StridedOperand &operand, ArrayRef<Value> batch,
                          const TableBlock &block, Value scratch) {
  Value width = at().constant(widthOf(operand)),
        stride = operand.strides[batch.size()],
        direct = rowAt(operand, Values(batch), block.start, block.first);
  Value mixed = arith::XOrIOp::create(
      b, loc, block.alike,
      arith::ConstantOp::create(b, loc, b.getBoolAttr(true)));
  when(mixed, [&] {
    forRange(at().constant(0), block.count, 1, [&](Value k) {
      Value place = at().add(block.start, at().mul(k, table.strides.back()));
      copyRow(operand,
              rowAt(operand, Values(batch), place, at().add(block.first, k)),
              scratch, at().mul(k, width));
    });
  });
  auto either = [&](Value there, Value copied) -> Value {
    return arith::SelectOp::create(b, loc, block.alike, there, copied);
  };
  auto ofAnySize = [&](Value memory) -> Value {
    auto type = cast<MemRefType>(memory.getType());
    return memref::CastOp::create(
        b, loc, MemRefType::get({ShapedType::kDynamic}, type.getElementType()),
        memory);
  };
  bool sideBySide = getConstantIntValue(stride) == widthOf(operand);
  return {either(ofAnySize(operand.memory), ofAnySize(scratch)),
          either(direct, at().constant(0)),
          sideBySide ? width : either(stride, width), operand.element};
}

void TableRows::copyRow(const StridedOperand &operand, Value from,
                        Value scratch, Value to) {
  Type element = cast<MemRefType>(scratch.getType()).getElementType();
  int64_t width = widthOf(operand),
          lanes = kernel.machine.lanes(element.getIntOrFloatBitWidth() / 8);
  auto type = VectorType::get({lanes}, element);
  int64_t column = 0;
  for (; column + lanes <= width; column += lanes) {
    Value offset = at().constant(column);
    Value row = vector::LoadOp::create(b, loc, type, operand.memory,
                                       at().add(from, offset));
    vector::StoreOp::create(b, loc, row, scratch, at().add(to, offset));
  }
  forRange(at().constant(column), at().constant(width), 1, [&](Value offset) {
    Value one =
        memref::LoadOp::create(b, loc, operand.memory, at().add(from, offset));
    memref::StoreOp::create(b, loc, one, scratch, at().add(to, offset));
  });
}

} // namespace tenon
