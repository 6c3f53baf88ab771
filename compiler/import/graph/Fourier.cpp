// A transform of length n is a product with the matrix e^(-2 pi i j k / n); the
// inverse uses e^(2 pi i j k / n).
#include "compiler/import/graph/Fourier.h"

using namespace mlir;

namespace tenon {

namespace {
/// The cosines and sines of 2 pi (j k mod length) / length for row j and column
/// k.
struct Roots {
  Value cosines, sines;

  Roots(GraphBuilder &g, Size rows, Size columns, Size length, Type element) {
    Type f64 = g.ops.getF64Type();
    Value whole = g.fromSize(length, g.i64());
    Value turns = g.mul(g.iota(g.i64(), {rows, columns}, 0),
                        g.iota(g.i64(), {rows, columns}, 1));
    turns = g.convert(g.binary<RemainderOp>(turns, whole), f64);
    Value angle = g.div(g.mul(turns, 2 * M_PI), g.convert(whole, f64));
    cosines = g.convert(g.make<CosineOp>(angle), element);
    sines = g.convert(g.make<SineOp>(angle), element);
  }
};

/// Takes the first `rows` elements of `part` along `dim` and multiplies them
/// with `matrix` along that dimension.
Value times(GraphBuilder &g, Value part, Value matrix, int64_t dim, Size rows) {
  int64_t rank = g.rankOf(part);
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, rank - 1));
  permutation.insert(permutation.begin() + dim, rank - 1);
  Value used = g.sliceDim(part, dim, g.index(0), rows);
  Value product = g.dotGeneral(used, matrix, {}, {}, {dim}, {0});
  return g.transpose(product, permutation);
}
} // namespace

ComplexPair fourierTransform(GraphBuilder &g, ComplexPair x, int64_t dim,
                             Size length, bool inverse, bool oneSided) {
  Type element = g.elementOf(x.real);
  Size rows = g.min(g.size(x.real, dim), length);
  Size columns =
      oneSided ? g.add(g.floorDiv(length, g.index(2)), g.index(1)) : length;
  Roots roots(g, rows, columns, length, element);
  Value sines = inverse ? roots.sines : g.make<NegateOp>(roots.sines);
  auto product = [&](Value part, Value matrix) {
    return times(g, part, matrix, dim, rows);
  };
  ComplexPair y{product(x.real, roots.cosines), product(x.real, sines)};
  if (x.imaginary)
    y = {g.sub(y.real, product(x.imaginary, sines)),
         g.add(y.imaginary, product(x.imaginary, roots.cosines))};
  if (inverse) {
    Value count = g.convert(g.fromSize(length, g.i64()), element);
    y = {g.div(y.real, count), g.div(y.imaginary, count)};
  }
  return y;
}

Value inverseOfRealTransform(GraphBuilder &g, ComplexPair x, int64_t dim,
                             Size length) {
  using enum CompareDirection;
  Type element = g.elementOf(x.real);
  Size half = g.add(g.floorDiv(length, g.index(2)), g.index(1));
  Size rows = g.min(g.size(x.real, dim), half);
  Roots roots(g, rows, length, length, element);
  // Each element counts twice, because its conjugate is not stored. The first
  // element counts once, and so does the middle one of an even length.
  Value place = g.iota(g.i64(), {rows}, 0);
  Value single = g.binary<OrOp>(
      g.compare(EQ, place, 0.0),
      g.compare(EQ, g.mul(place, 2.0), g.fromSize(length, g.i64())));
  Value weight = g.select(single, g.splat(element, {rows}, 1),
                          g.splat(element, {rows}, 2));
  Value count = g.convert(g.fromSize(length, g.i64()), element);
  weight = g.unsqueeze(g.div(weight, count), {1});
  return g.sub(times(g, x.real, g.mul(roots.cosines, weight), dim, rows),
               times(g, x.imaginary, g.mul(roots.sines, weight), dim, rows));
}

} // namespace tenon
