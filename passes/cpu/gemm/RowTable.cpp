// The indices of a row follow from its number by divisions. With open sizes
// these are divisions by values of the run: too slow to repeat for each tap.
#include "passes/cpu/gemm/RowTable.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tenon {

void RowTable::reserve() {
  width = 1 + llvm::count_if(plan.nest.sums,
                             [](const SumDim &dim) { return bool(dim.guard); });
  memory = scratchOf(b.getIndexType(), plan.sharedRows * width);
}

Value RowTable::placeOf(Value row, int64_t column) {
  return at().add(at().mul(row, at().constant(width)), at().constant(column));
}

Value RowTable::load(Value row, int64_t column) {
  return memref::LoadOp::create(b, loc, memory, placeOf(row, column));
}

void RowTable::fill(Value low, Value high) {
  forRange(low, high, 1, [&](Value row) {
    RowRun run{row, 1, {}};
    SmallVector<Values> positions = rows.positionsOf(run);
    Values entries = rows.offsetsOf(run, positions);
    entries.append(tiles.windowStarts(positions.front()));
    Value number = at().sub(row, low);
    for (auto [column, entry] : llvm::enumerate(entries))
      memref::StoreOp::create(b, loc, entry, memory,
                              placeOf(number, int64_t(column)));
  });
}

Value RowTable::offsetOf(Value row) { return load(row, 0); }

RowTable::Values RowTable::windowStartsOf(Value row) {
  Values starts;
  for (int64_t column = 1; column < width; ++column)
    starts.push_back(load(row, column));
  return starts;
}

} // namespace tenon
