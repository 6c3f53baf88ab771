// A warp that loads products of lines reads two quads of sixteen lines, which
// are whole sectors. It stores each product to banks of its own, because four
// products are 16 banks apart: the tile has four elements more than lines.
#include "passes/gpu/TileLoader.h"

#include "passes/gpu/BlockTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tenon {

/// Lines whose quads a half of a warp loads.
constexpr int64_t half = 16;

TileLoader TileLoader::ofRows(Kernel &kernel, const ContractionNest &nest,
                              BlockTilePlanAttr plan, Value thread) {
  TileLoader loader(kernel, nest.lhs, nest.lhsElement, plan.getRows(),
                    plan.getDepth());
  loader.aligned = alignsProductsOfRows(kernel, nest);
  loader.place("lhs", thread);
  return loader;
}

TileLoader TileLoader::ofColumns(Kernel &kernel, const ContractionNest &nest,
                                 BlockTilePlanAttr plan, Value thread) {
  TileLoader loader(kernel, nest.rhs, nest.rhsElement, plan.getColumns(),
                    plan.getDepth(), nest.sumsPerElement);
  if (nest.sumsPerElement == 1) {
    loader.aligned = alignsColumns(kernel, nest);
    loader.neighbours = bool(loader.aligned);
    if (!loader.neighbours)
      loader.aligned = alignsProductsOfColumns(kernel, nest);
  }
  loader.place("rhs", thread);
  return loader;
}

/// Makes the tile and chooses the thread's elements.
void TileLoader::place(StringRef name, Value thread) {
  tile = shared(name, depth * (lines + quad));
  if (neighbours) {
    Value perProduct = at().constant(lines / quad);
    ownProduct = at().floorDiv(thread, perProduct);
    ownLine = at().mul(at().remainder(thread, perProduct), at().constant(quad));
    return;
  }
  if (productsPerElement > 1) {
    Value perProduct = at().constant(lines);
    ownProduct = at().mul(at().floorDiv(thread, perProduct),
                          at().constant(productsPerElement));
    ownLine = at().remainder(thread, perProduct);
    return;
  }
  Value parts = at().constant(lines / half),
        warp = at().floorDiv(thread, at().constant(warpThreads)),
        odd = at().remainder(at().floorDiv(thread, at().constant(half)),
                             at().constant(2)),
        pair = at().floorDiv(warp, parts);
  ownLine =
      at().add(at().remainder(thread, at().constant(half)),
               at().mul(at().remainder(warp, parts), at().constant(half)));
  ownProduct = at().mul(at().add(at().mul(pair, at().constant(2)), odd),
                        at().constant(quad));
}

Value TileLoader::inTile(Value k, Value line) {
  return at().add(at().mul(k, at().constant(lines + quad)), line);
}

TileLoader::Values TileLoader::read(Value k, Value line) {
  return loadShared(tile, inTile(k, line), quad);
}

/// Four elements from `from` on, which are `step` apart: 1 if quads may be
/// aligned.
TileLoader::Values TileLoader::loadFour(Value from, Value step) {
  auto oneByOne = [&] {
    Values four;
    for (int64_t i = 0; i < quad; ++i)
      four.push_back(
          loadSeveral(memory, element,
                      at().add(from, at().mul(step, at().constant(i))), 1)
              .front());
    return four;
  };
  if (!aligned)
    return oneByOne();
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(b.getF32Type()));
  return choose(
      aligned, Values(quad, zero),
      [&] { return loadSeveral(memory, element, from, quad); }, oneByOne);
}

void TileLoader::load(Value stride, Value offset, Value first, Value count) {
  int64_t each = productsPerElement > 1 ? productsPerElement : quad;
  for (int64_t round = 0; round < depth; round += each * blockThreads / lines)
    if (productsPerElement > 1)
      loadWords(stride, offset, first, count, round);
    else if (neighbours)
      loadLines(stride, offset, first, count, round);
    else
      loadProducts(stride, offset, first, count, round);
}

/// Loads the products of one word of the thread's line. A word that begins
/// before the last product exists.
void TileLoader::loadWords(Value stride, Value offset, Value first, Value count,
                           int64_t round) {
  Value k = at().add(ownProduct, at().constant(round)),
        from = at().add(offset, at().mul(at().add(first, k), stride));
  when(at().less(k, count), [&] {
    Value word = memref::LoadOp::create(b, loc, memory, from);
    for (int64_t i = 0; i < productsPerElement; ++i)
      storeShared(emitNibbles(b, loc, word, i, /*inRegister=*/false), tile,
                  inTile(at().add(k, at().constant(i)), ownLine));
  });
}

/// Loads four products of the thread's line.
void TileLoader::loadProducts(Value stride, Value offset, Value first,
                              Value count, int64_t round) {
  Value k = at().add(ownProduct, at().constant(round)),
        from = at().add(offset, at().mul(at().add(first, k), stride));
  if (getConstantIntValue(count) == depth) {
    for (auto [i, one] : llvm::enumerate(loadFour(from, stride)))
      storeShared(one, tile,
                  inTile(at().add(k, at().constant(int64_t(i))), ownLine));
    return;
  }
  for (int64_t i = 0; i < quad; ++i) {
    Value product = at().add(k, at().constant(i));
    when(at().less(product, count), [&] {
      Value place = at().add(from, at().mul(stride, at().constant(i)));
      storeShared(loadSeveral(memory, element, place, 1), tile,
                  inTile(product, ownLine));
    });
  }
}

/// Loads a product of the thread's four lines.
void TileLoader::loadLines(Value stride, Value offset, Value first, Value count,
                           int64_t round) {
  Value k = at().add(ownProduct, at().constant(round)),
        from = at().add(offset, at().mul(at().add(first, k), stride));
  auto copy = [&] {
    storeShared(loadFour(from, at().constant(1)), tile, inTile(k, ownLine));
  };
  if (getConstantIntValue(count) == depth)
    copy();
  else
    when(at().less(k, count), copy);
}

} // namespace tenon
