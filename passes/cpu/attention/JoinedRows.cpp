// Streamed copies use non-temporal stores of whole cache lines, which are not
// read first. What they have written must not be read back. So a block that has
// earlier rows only is read from its source, and every other block is read from
// the output.
#include "passes/cpu/attention/JoinedRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

std::optional<JoinedRows> JoinedRows::of(Kernel &kernel, ConcatenateOp join,
                                         ArrayRef<int64_t> order) {
  if (join.getNumOperands() != 2)
    return std::nullopt;
  auto earlier = stridedOperand(kernel, join.getOperands()[0], order),
       later = stridedOperand(kernel, join.getOperands()[1], order);
  Value joined = join.getResult();
  auto yielded = kernel.fusion.getYield().getValues();
  auto found = llvm::find(yielded, joined);
  int64_t width = join.getType().getShape().back();
  if (!earlier || !later || found == yielded.end() ||
      ShapedType::isDynamic(width))
    return std::nullopt;
  kernel.arguments[joined] = kernel.outputs[found - yielded.begin()];
  return JoinedRows(kernel, *stridedOperand(kernel, joined, order), *earlier,
                    *later, width);
}

Value JoinedRows::place(ArrayRef<Value> batch, const Rows &rows) {
  SmallVector<Value> indices(batch);
  indices.push_back(rows.first);
  return rows.tensor.at(at(), indices);
}

std::pair<Value, Value> JoinedRows::join(ArrayRef<Value> batch, Value first,
                                         Value count) {
  Value split = earlier.extents[batch.size()];
  Value before =
      at().max(at().min(at().sub(split, first), count), at().constant(0));
  auto copyBoth = [&] {
    Value middle = at().add(first, before);
    copyRows(batch, {earlier, first}, {whole, first}, before);
    copyRows(batch, {later, at().sub(middle, split)}, {whole, middle},
             at().sub(count, before));
  };
  Value joined = place(batch, {whole, first});
  if (!kernel.fusion.getStreamed() || !sideBySide(earlier)) {
    copyBoth();
    return {whole.memory, joined};
  }
  Value allEarlier =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, before, count);
  Value there = place(batch, {earlier, first});
  choose(
      allEarlier,
      [&] {
        copyRun(earlier.memory, there, joined,
                at().mul(count, at().constant(width)), true);
      },
      copyBoth);
  auto ofAnySize = [&](Value memory) -> Value {
    auto type = cast<MemRefType>(memory.getType());
    return memref::CastOp::create(
        b, loc, MemRefType::get({ShapedType::kDynamic}, type.getElementType()),
        memory);
  };
  return {arith::SelectOp::create(b, loc, allEarlier, ofAnySize(earlier.memory),
                                  ofAnySize(whole.memory)),
          arith::SelectOp::create(b, loc, allEarlier, there, joined)};
}

bool JoinedRows::sideBySide(const StridedOperand &tensor) {
  return getConstantIntValue(tensor.strides[tensor.strides.size() - 2]) ==
         width;
}

void JoinedRows::copyRows(ArrayRef<Value> batch, const Rows &from,
                          const Rows &to, Value count) {
  if (sideBySide(from.tensor))
    return copyRun(from.tensor.memory, place(batch, from), place(batch, to),
                   at().mul(count, at().constant(width)), false);
  forRange(at().constant(0), count, 1, [&](Value row) {
    copyRun(from.tensor.memory,
            place(batch, {from.tensor, at().add(from.first, row)}),
            place(batch, {to.tensor, at().add(to.first, row)}),
            at().constant(width), false);
  });
}

void JoinedRows::copyRun(Value source, Value from, Value to, Value count,
                         bool streamed) {
  Type element = cast<MemRefType>(source.getType()).getElementType();
  int64_t bytes = element.getIntOrFloatBitWidth() / 8,
          lanes = kernel.machine.lanes(bytes);
  auto copyOne = [&](Value i) {
    Value loaded = memref::LoadOp::create(b, loc, source, at().add(from, i));
    memref::StoreOp::create(b, loc, loaded, whole.memory, at().add(to, i));
  };
  Value start = at().constant(0);
  if (streamed) {
    // Copy single elements up to a cache line: outputs have only the alignment
    // of their elements.
    Value address = at().add(
        memref::ExtractAlignedPointerAsIndexOp::create(b, loc, whole.memory),
        at().mul(to, at().constant(bytes)));
    Value ahead =
        arith::AndIOp::create(b, loc, at().sub(at().constant(0), address),
                              at().constant(kernel.machine.getLine() - 1));
    start = at().min(at().floorDiv(ahead, at().constant(bytes)), count);
    forRange(at().constant(0), start, 1, copyOne);
  }
  Value step = at().constant(lanes);
  Value end = at().add(
      start, at().mul(at().floorDiv(at().sub(count, start), step), step));
  auto type = VectorType::get({lanes}, element);
  forRange(start, end, lanes, [&](Value i) {
    Value loaded =
        vector::LoadOp::create(b, loc, type, source, at().add(from, i));
    auto store = vector::StoreOp::create(b, loc, loaded, whole.memory,
                                         at().add(to, i), streamed);
    if (streamed)
      store.setAlignment(kernel.machine.getVectorBytes());
  });
  forRange(end, count, 1, copyOne);
}

void JoinedRows::settle(Kernel &kernel) {
  if (kernel.fusion.getStreamed())
    LLVM::FenceOp::create(kernel.builder, kernel.loc(),
                          LLVM::AtomicOrdering::seq_cst);
}

} // namespace tenon
