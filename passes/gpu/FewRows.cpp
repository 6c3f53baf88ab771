// The weights are read once, so a thread reads as many neighbours as an access
// takes and keeps them in registers for all rows. The blocks of a sum are
// chains of their own in the numerics contract: different threads compute them,
// and one thread then adds them in order.
#include "passes/gpu/FewRows.h"

#include "passes/gpu/BlockKernel.h"
#include "passes/gpu/ContractionEpilogue.h"
#include "passes/kernel/nest/NestTask.h"
#include "passes/kernel/numerics/Conversions.h"
#include "passes/kernel/numerics/ElementwiseEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

namespace {
/// Columns of a block of threads.
constexpr int64_t blockColumns = 32;
/// Threads that compute one block of a sum, four columns each.
constexpr int64_t partThreads = blockColumns / quad;
/// The most rows whose sums a thread keeps in registers.
constexpr int64_t mostRows = 8;
/// Products that a thread loads at once: those of one word of int4.
constexpr int64_t productsAtOnce = 8;

class FewRows : BlockKernel {
public:
  FewRows(Kernel &kernel, Value dot, const ContractionNest &nest,
          FewRowsPlanAttr plan)
      : BlockKernel(kernel), dot(dot), nest(nest), rows(plan.getRows()),
        parts(plan.getParts()), threads(fewRowsThreads(plan)),
        products(*getConstantIntValue(nest.sums.back().extent)),
        task(kernel, nest, TaskBlock{rows, blockColumns}) {}

  void emit();

private:
  Value zero() {
    return arith::ConstantOp::create(b, loc, b.getZeroAttr(nest.sum));
  }
  Value rowNumber(Value own) {
    return at().min(at().add(task.firstRow, own),
                    at().sub(task.rows, at().constant(1)));
  }
  Values chainOfAll(Value low, Value high);
  Values chain(Value low, Value high, int64_t count);
  Values addSeveral(Value first, const Values &former);
  Values addOne(Value k, const Values &former);
  Values addColumns(ArrayRef<Value> factors, ArrayRef<Value> columns,
                    Values sums);
  SmallVector<Values> columnsOf(Value first);
  Value rowPlace(int64_t row, Value k) {
    return at().add(rowOffsets[row], at().mul(k, nest.sums.back().lhsStride));
  }
  Values addBlocks(Value firstPart, const Values &former);
  Value scaleOf(Value column, Value part);
  void store(Value item, Value sum);

  Value dot;
  const ContractionNest &nest;
  int64_t rows, parts, threads, products;
  NestTask task;
  Value thread, part, partial;
  Value rowQuads;     ///< four products of a row are aligned; null: never
  Value aligned;      ///< four columns are aligned, and those products
  Value columnOffset; ///< of the thread's four columns
  Values rowOffsets;
  Values items; ///< the elements that the thread adds, by row and column
};

/// Blocks of the sum.
int64_t blocksOf(const ContractionNest &nest, int64_t products) {
  return nest.block ? llvm::divideCeilSigned(products, nest.block) : 1;
}

void FewRows::emit() {
  thread = threadNumber();
  part = at().floorDiv(thread, at().constant(partThreads));
  Value column = at().mul(at().remainder(thread, at().constant(partThreads)),
                          at().constant(quad));
  partial = shared("parts", parts * rows * blockColumns);
  task.enter(kernel.begin);
  aligned = alignsColumns(kernel, nest);
  rowQuads = alignsProductsOfRows(kernel, nest);
  if (rowQuads)
    aligned = b.createOrFold<arith::AndIOp>(loc, aligned, rowQuads);
  columnOffset =
      offsetOfColumn(kernel, nest, task, at().add(task.firstColumn, column),
                     /*neighbours=*/true);
  for (int64_t r = 0; r < rows; ++r) {
    Values position =
        at().delinearize(rowNumber(at().constant(r)), task.rowExtents);
    Value offset = task.lhsBase;
    for (auto [dim, index] : llvm::zip(nest.rows, position))
      offset = at().add(offset, at().mul(index, dim.lhsStride));
    rowOffsets.push_back(offset);
  }
  int64_t all = rows * blockColumns;
  for (int64_t i = 0; i < all; i += threads)
    items.push_back(at().add(thread, at().constant(i)));
  Values sums(items.size(), zero());
  sums = carry(at().constant(0), at().constant(blocksOf(nest, products)), parts,
               sums, [&](Value firstPart, const Values &former) {
                 return addBlocks(firstPart, former);
               });
  for (auto [item, sum] : llvm::zip_equal(items, sums))
    store(item, sum);
}

/// Computes blocks [firstPart, firstPart + parts) of the sums, one a group of
/// threads, and adds them to the thread's items.
FewRows::Values FewRows::addBlocks(Value firstPart, const Values &former) {
  int64_t blocks = blocksOf(nest, products),
          block = nest.block ? nest.block : products;
  Value all = at().constant(products),
        low = at().min(
            at().mul(at().add(firstPart, part), at().constant(block)), all),
        high = at().min(at().add(low, at().constant(block)), all);
  Values sums = chainOfAll(low, high);
  Value column = at().mul(at().remainder(thread, at().constant(partThreads)),
                          at().constant(quad));
  for (int64_t r = 0; r < rows; ++r) {
    Value line =
        at().add(at().mul(part, at().constant(rows)), at().constant(r));
    storeShared(ArrayRef(sums).slice(r * quad, quad), partial,
                at().add(at().mul(line, at().constant(blockColumns)), column));
  }
  barrier();
  Values next;
  int64_t elements = rows * blockColumns;
  for (auto [item, before] : llvm::zip_equal(items, former)) {
    Value element = at().min(item, at().constant(elements - 1)),
          count = at().min(at().sub(at().constant(blocks), firstPart),
                           at().constant(parts));
    next.push_back(
        carry(at().constant(0), count, 1, before,
              [&, element = element](Value p, const Values &sum) -> Values {
                Value chain =
                    loadShared(
                        partial,
                        at().add(at().mul(p, at().constant(elements)), element),
                        1)
                        .front();
                if (nest.block == 0)
                  return {chain};
                if (!nest.scales)
                  return {arith::AddFOp::create(b, loc, sum[0], chain)};
                Value column =
                    at().remainder(element, at().constant(blockColumns));
                Value scale = scaleOf(at().add(task.firstColumn, column),
                                      at().add(firstPart, p));
                return {emitMultiplyAdd(b, loc, chain, scale, sum[0])};
              })
            .front());
  }
  if (blocks > parts)
    barrier();
  return next;
}

Value FewRows::scaleOf(Value column, Value group) {
  const GroupScales &scales = *nest.scales;
  column = at().min(column, at().sub(nest.column.extent, at().constant(1)));
  Value width = at().constant(nest.panels->width);
  Value place = at().add(
      at().add(at().remainder(column, width),
               at().mul(at().floorDiv(column, width), scales.panelStride)),
      at().mul(group, at().constant(scales.width)));
  return emitConvert(b, loc,
                     memref::LoadOp::create(b, loc, scales.memory, place),
                     scales.element, b.getF32Type());
}

/// The products [low, high) of the thread's columns and of all rows. A task may
/// have one row although others have more: a step with one sequence, or the
/// rest of several.
FewRows::Values FewRows::chainOfAll(Value low, Value high) {
  std::optional<int64_t> known = getConstantIntValue(task.rows);
  if (rows == 1 || (known && *known % rows == 0))
    return chain(low, high, rows);
  Value isOne =
      at().less(at().sub(task.lastRow, task.firstRow), at().constant(2));
  return choose(
      isOne, Values(rows * quad, zero()),
      [&] {
        Values sums = chain(low, high, 1);
        sums.resize(rows * quad, zero());
        return sums;
      },
      [&] { return chain(low, high, rows); });
}

/// The same of the first `count` rows.
FewRows::Values FewRows::chain(Value low, Value high, int64_t count) {
  Value step = at().constant(productsAtOnce);
  Value whole =
      at().add(low, at().mul(at().floorDiv(at().sub(high, low), step), step));
  Values sums(count * quad, zero());
  sums = choose(
      aligned, sums,
      [&] {
        return carry(low, whole, productsAtOnce, sums,
                     [&](Value k, const Values &former) {
                       return addSeveral(k, former);
                     });
      },
      [&] {
        return carry(low, whole, 1, sums, [&](Value k, const Values &former) {
          return addOne(k, former);
        });
      });
  int64_t block = nest.block ? nest.block : products;
  if (products % productsAtOnce == 0 && block % productsAtOnce == 0)
    return sums;
  return carry(whole, high, 1, sums, [&](Value k, const Values &former) {
    return addOne(k, former);
  });
}

FewRows::Values FewRows::addColumns(ArrayRef<Value> factors,
                                    ArrayRef<Value> columns, Values sums) {
  for (size_t i = 0; i < sums.size(); ++i)
    sums[i] =
        emitMultiplyAdd(b, loc, factors[i / quad], columns[i % quad], sums[i]);
  return sums;
}

/// The thread's columns of products [first, first + productsAtOnce), which are
/// aligned.
SmallVector<FewRows::Values> FewRows::columnsOf(Value first) {
  SmallVector<Values> columns;
  Value stride = nest.sums.back().rhsStride;
  auto placeOf = [&](Value k) {
    return at().add(columnOffset, at().mul(k, stride));
  };
  if (nest.sumsPerElement == 1) {
    for (int64_t i = 0; i < productsAtOnce; ++i)
      columns.push_back(loadSeveral(nest.rhs, nest.rhsElement,
                                    placeOf(at().add(first, at().constant(i))),
                                    quad));
    return columns;
  }
  auto type = VectorType::get({quad}, b.getI32Type());
  Value words =
      vector::LoadOp::create(b, loc, type, nest.rhs, placeOf(first),
                             /*nontemporal=*/false, llvm::MaybeAlign(16));
  for (int64_t i = 0; i < productsAtOnce; ++i) {
    Value floats = emitNibbles(b, loc, words, i, /*inRegister=*/false);
    Values four;
    for (int64_t c = 0; c < quad; ++c)
      four.push_back(
          vector::ExtractOp::create(b, loc, floats, ArrayRef<int64_t>{c}));
    columns.push_back(four);
  }
  return columns;
}

/// Adds the products from `first` on, where the columns are aligned.
FewRows::Values FewRows::addSeveral(Value first, const Values &former) {
  SmallVector<Values> columns = columnsOf(first);
  int64_t count = former.size() / quad;
  int64_t width = rowQuads ? quad : 1;
  Values sums = former;
  for (int64_t i = 0; i < productsAtOnce; i += width) {
    SmallVector<Values> factors;
    for (int64_t r = 0; r < count; ++r)
      factors.push_back(
          loadSeveral(nest.lhs, nest.lhsElement,
                      rowPlace(r, at().add(first, at().constant(i))), width));
    for (int64_t j = 0; j < width; ++j)
      sums = addColumns(llvm::map_to_vector(
                            factors, [&](const Values &row) { return row[j]; }),
                        columns[i + j], sums);
  }
  return sums;
}

FewRows::Values FewRows::addOne(Value k, const Values &former) {
  Values factors, columns;
  for (int64_t r = 0; r < int64_t(former.size()) / quad; ++r)
    llvm::append_range(
        factors, loadSeveral(nest.lhs, nest.lhsElement, rowPlace(r, k), 1));
  Value within = at().remainder(k, at().constant(nest.sumsPerElement)),
        line = at().add(columnOffset, at().mul(at().sub(k, within),
                                               nest.sums.back().rhsStride));
  for (int64_t c = 0; c < quad; ++c) {
    Value place = at().add(line, at().constant(c));
    if (nest.sumsPerElement == 1)
      llvm::append_range(columns,
                         loadSeveral(nest.rhs, nest.rhsElement, place, 1));
    else
      columns.push_back(emitNibble(
          b, loc, memref::LoadOp::create(b, loc, nest.rhs, place), within));
  }
  return addColumns(factors, columns, former);
}

/// Computes the epilogue of an item and stores it.
void FewRows::store(Value item, Value sum) {
  Value row = at().add(task.firstRow,
                       at().floorDiv(item, at().constant(blockColumns))),
        column = at().add(task.firstColumn,
                          at().remainder(item, at().constant(blockColumns)));
  // Items behind the last one are of rows behind the task's.
  Value exists = arith::AndIOp::create(b, loc, at().less(row, task.lastRow),
                                       at().less(column, nest.column.extent));
  when(exists, [&] {
    Values place = task.placeOf(at().delinearize(row, task.rowExtents), column);
    storeContractionElement(kernel, dot, nest, place, sum);
  });
}
} // namespace

FewRowsPlanAttr planFewRows(Kernel &kernel, const ContractionNest &nest,
                            int64_t rows) {
  constexpr int64_t mostParts = 32, partStep = 32 / partThreads;
  const SumDim &sum = nest.sums.back();
  std::optional<int64_t> products = getConstantIntValue(sum.extent);
  if (!nest.sum.isF32() || nest.products != Products::Chain ||
      nest.sums.size() != 1 || sum.guard || nest.isBlocked || !products ||
      *products < productsAtOnce || rows < 1 || !alignsColumns(kernel, nest))
    return {};
  int64_t tiles = llvm::divideCeilSigned(rows, mostRows),
          blocks = llvm::divideCeilSigned(blocksOf(nest, *products), partStep);
  return FewRowsPlanAttr::get(kernel.fusion.getContext(),
                              llvm::divideCeilSigned(rows, tiles),
                              std::min(blocks * partStep, mostParts));
}

int64_t fewRowsThreads(FewRowsPlanAttr plan) {
  return plan.getParts() * partThreads;
}

TaskCounter emitFewRows(Kernel &kernel, Value dot, const ContractionNest &nest,
                        FewRowsPlanAttr plan) {
  FewRows(kernel, dot, nest, plan).emit();
  return countTasks(nest, TaskBlock{plan.getRows(), blockColumns});
}

} // namespace tenon
