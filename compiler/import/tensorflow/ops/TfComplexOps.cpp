// Complex numbers as pairs of tensors: ops that combine and split them, their
// arithmetic, and Fourier transforms. Ops that move or add elements are applied
// to each part.
#include "compiler/import/graph/Fourier.h"
#include "compiler/import/tensorflow/graph/TfNodeContext.h"

using namespace mlir;

namespace tenon::tf {
namespace {

/// Applies the node's handler for real operands to the real parts, then to the
/// imaginary parts.
LogicalResult byParts(NodeContext &c) {
  // Indices, axes and conditions are used for both parts. A real float operand
  // beside complex ones is an error.
  for (size_t i = 0; i < c.numInputs(); ++i)
    if (c.operand(i).kind != Result::Kind::Tensor && !c.isComplex(i))
      return c.expectTensor(i);
    else if (!c.isComplex(i) && isa<FloatType>(c.g.elementOf(c.input(i))))
      return c.error("expected operands of one element type, got complex "
                     "numbers and " +
                     textOf(c.input(i)));
  OpHandler handler = c.importer.entryOf(c.node.op)->handler;
  Results parts[2];
  for (int side : {0, 1}) {
    Results operands;
    for (const Result &operand : c.all())
      operands.push_back(operand.kind != Result::Kind::Complex ? operand
                         : side == 0 ? Result::tensor(operand.value)
                                     : Result::tensor(operand.imaginary));
    NodeContext part(c.importer, c.node, operands);
    if (failed(handler(part)))
      return failure();
    parts[side] = part.results;
  }
  for (size_t i = 0; i < parts[0].size(); ++i)
    c.set(i, Result::complex(parts[0][i].value, parts[1][i].value));
  return success();
}

/// Applies the node's handler to the real part, for ops that use only the
/// shape.
LogicalResult byRealPart(NodeContext &c) {
  Results operands;
  for (const Result &operand : c.all())
    operands.push_back(operand.kind == Result::Kind::Complex
                           ? Result::tensor(operand.value)
                           : operand);
  NodeContext part(c.importer, c.node, operands);
  if (failed(c.importer.entryOf(c.node.op)->handler(part)))
    return failure();
  c.results = part.results;
  return success();
}

LogicalResult passPair(NodeContext &c) {
  for (size_t i = 0; i < c.numInputs(); ++i)
    c.set(i, c.operand(i));
  return success();
}

//===-- Making and taking apart -----------------------------------------===//

LogicalResult complexOf(NodeContext &c) {
  SmallVector<Value, 2> parts;
  if (failed(c.expectFloat(0)) || failed(c.expectSameElements()) ||
      failed(c.binaryOperands(parts)))
    return failure();
  c.set(0, ComplexPair{parts[0], parts[1]});
  return success();
}

LogicalResult realPart(NodeContext &c) {
  c.set(0, c.complexInput(0).real);
  return success();
}

LogicalResult imaginaryPart(NodeContext &c) {
  c.set(0, c.complexInput(0).imaginary);
  return success();
}

LogicalResult conjugate(NodeContext &c) {
  ComplexPair z = c.complexInput(0);
  c.set(0, ComplexPair{z.real, c.g.make<NegateOp>(z.imaginary)});
  return success();
}

/// Computes in f64, where squares of f32 neither overflow nor become zero.
LogicalResult magnitude(NodeContext &c) {
  GraphBuilder &g = c.g;
  ComplexPair z = c.complexInput(0);
  mlir::Type element = g.elementOf(z.real), wide = g.ops.getF64Type();
  Value a = g.convert(z.real, wide), b = g.convert(z.imaginary, wide);
  Value root = g.make<SqrtOp>(g.add(g.mul(a, a), g.mul(b, b)));
  c.set(0, g.convert(root, element));
  return success();
}

LogicalResult angle(NodeContext &c) {
  ComplexPair z = c.complexInput(0);
  c.set(0, c.g.binary<Atan2Op>(z.imaginary, z.real));
  return success();
}

/// Converts between complex types; for a real type only the real part is kept.
LogicalResult castComplex(NodeContext &c) {
  DataType to = c.typeAttr("DstT", DataType::Invalid);
  ComplexPair z = c.complexInput(0);
  if (to == DataType::C64 || to == DataType::C128) {
    mlir::Type part = elementTypeOf(c.g.ops.getContext(), realType(to));
    c.set(0, ComplexPair{c.g.convert(z.real, part),
                         c.g.convert(z.imaginary, part)});
    return success();
  }
  mlir::Type element = c.elementAttr("DstT", DataType::Invalid);
  if (!element)
    return failure();
  c.set(0, c.g.convert(z.real, element));
  return success();
}

//===-- Arithmetic ------------------------------------------------------===//

/// The two complex operands, broadcast to one shape.
FailureOr<std::pair<ComplexPair, ComplexPair>> pairs(NodeContext &c) {
  for (size_t i : {0, 1})
    if (!c.isComplex(i))
      return c.error("expected two complex operands, got " +
                     textOf(c.input(i)));
  ComplexPair a = c.complexInput(0), b = c.complexInput(1);
  SmallVector<Value, 4> all = {a.real, a.imaginary, b.real, b.imaginary};
  if (c.g.elementOf(a.real) != c.g.elementOf(b.real))
    return c.error("expected operands of one element type, got pairs of " +
                   textOf(a.real) + " and " + textOf(b.real));
  if (failed(c.broadcast(all)))
    return failure();
  return std::pair(ComplexPair{all[0], all[1]}, ComplexPair{all[2], all[3]});
}

ComplexPair product(GraphBuilder &g, const ComplexPair &a,
                    const ComplexPair &b) {
  return {g.sub(g.mul(a.real, b.real), g.mul(a.imaginary, b.imaginary)),
          g.add(g.mul(a.real, b.imaginary), g.mul(a.imaginary, b.real))};
}

ComplexPair quotient(GraphBuilder &g, const ComplexPair &a,
                     const ComplexPair &b) {
  Value norm = g.add(g.mul(b.real, b.real), g.mul(b.imaginary, b.imaginary));
  ComplexPair over = product(g, a, {b.real, g.make<NegateOp>(b.imaginary)});
  return {g.div(over.real, norm), g.div(over.imaginary, norm)};
}

using Binary = ComplexPair (*)(GraphBuilder &, const ComplexPair &,
                               const ComplexPair &);

template <Binary formula> LogicalResult binary(NodeContext &c) {
  auto operands = pairs(c);
  if (failed(operands))
    return failure();
  c.set(0, formula(c.g, operands->first, operands->second));
  return success();
}

template <bool equal> LogicalResult comparison(NodeContext &c) {
  auto operands = pairs(c);
  if (failed(operands))
    return failure();
  auto &[a, b] = *operands;
  auto direction = equal ? CompareDirection::EQ : CompareDirection::NE;
  Value real = c.g.compare(direction, a.real, b.real);
  Value imaginary = c.g.compare(direction, a.imaginary, b.imaginary);
  c.set(0, equal ? c.g.make<AndOp>(real, imaginary)
                 : c.g.make<OrOp>(real, imaginary));
  return success();
}

LogicalResult square(NodeContext &c) {
  c.set(0, product(c.g, c.complexInput(0), c.complexInput(0)));
  return success();
}

LogicalResult reciprocal(NodeContext &c) {
  GraphBuilder &g = c.g;
  ComplexPair z = c.complexInput(0);
  c.set(0, quotient(g, {g.splatLike(z.real, 1), g.splatLike(z.real, 0)}, z));
  return success();
}

/// e^z for z = a + i b is e^a (cos b + i sin b).
LogicalResult exponential(NodeContext &c) {
  GraphBuilder &g = c.g;
  ComplexPair z = c.complexInput(0);
  Value radius = g.make<ExpOp>(z.real);
  c.set(0, ComplexPair{g.mul(radius, g.make<CosineOp>(z.imaginary)),
                       g.mul(radius, g.make<SineOp>(z.imaginary))});
  return success();
}

LogicalResult onesLike(NodeContext &c) {
  Value real = c.complexInput(0).real;
  c.set(0, ComplexPair{c.g.splatLike(real, 1), c.g.splatLike(real, 0)});
  return success();
}

//===-- Fourier transforms ----------------------------------------------===//

/// The lengths of the last `dims` dimensions, from operand 1.
FailureOr<Sizes> lengths(NodeContext &c, size_t dims) {
  FailureOr<Sizes> given = c.sizesInput(1);
  if (failed(given))
    return failure();
  if (given->size() != dims)
    return c.error("expected " + Twine(dims) + " lengths, got " +
                   Twine(given->size()));
  for (Size &size : *given) {
    if (c.g.staticSize(size).value_or(1) < 1)
      return c.error("expected lengths of at least 1, got " +
                     Twine(*c.g.staticSize(size)));
    size = c.g.max(size, c.g.index(1));
  }
  return *given;
}

/// The transform of real signals along the last `dims` dimensions.
template <int dims> LogicalResult realTransform(NodeContext &c) {
  if (failed(c.expectFloat(0)) || failed(c.expectMinRank(0, dims)))
    return failure();
  FailureOr<Sizes> wanted = lengths(c, dims);
  if (failed(wanted))
    return failure();
  int64_t rank = c.g.rankOf(c.input(0));
  // Transform the last dimension first, and cut each dimension before the next
  // one is transformed: no rows are transformed that are then cut.
  ComplexPair z{c.input(0), {}};
  for (int i = dims - 1; i >= 0; --i)
    z = fourierTransform(c.g, z, rank - dims + i, (*wanted)[i], false,
                         /*oneSided=*/i == dims - 1);
  c.set(0, z);
  return success();
}

template <int dims> LogicalResult inverseRealTransform(NodeContext &c) {
  if (!c.isComplex(0))
    return c.error("expected complex numbers, got " + textOf(c.input(0)));
  if (failed(c.expectMinRank(0, dims)))
    return failure();
  FailureOr<Sizes> wanted = lengths(c, dims);
  if (failed(wanted))
    return failure();
  int64_t rank = c.g.rankOf(c.input(0));
  ComplexPair z = c.complexInput(0);
  for (int i = 0; i + 1 < dims; ++i)
    z = fourierTransform(c.g, z, rank - dims + i, (*wanted)[i], true, false);
  c.set(0, inverseOfRealTransform(c.g, z, rank - 1, wanted->back()));
  return success();
}

template <int dims, bool inverse> LogicalResult transform(NodeContext &c) {
  if (failed(c.expectMinRank(0, dims)))
    return failure();
  int64_t rank = c.g.rankOf(c.input(0));
  ComplexPair z = c.complexInput(0);
  for (int64_t dim = rank - dims; dim < rank; ++dim)
    z = fourierTransform(c.g, z, dim, c.g.size(z.real, dim), inverse, false);
  c.set(0, z);
  return success();
}

LogicalResult needsComplex(NodeContext &c) {
  return c.error("expected complex numbers, got " + textOf(c.input(0)));
}

} // namespace

void registerComplexOps(OpRegistry &r) {
  r.add("Complex", 2, complexOf);
  r.add("RFFT", 2, realTransform<1>);
  r.add("RFFT2D", 2, realTransform<2>);
  r.add("RFFT3D", 2, realTransform<3>);
  // Ops with a complex operand, and their handlers.
  const std::pair<const char *, OpHandler> unary[] = {
      {"Real", realPart},
      {"Imag", imaginaryPart},
      {"Conj", conjugate},
      {"ComplexAbs", magnitude},
      {"Angle", angle},
      {"FFT", transform<1, false>},
      {"IFFT", transform<1, true>},
      {"FFT2D", transform<2, false>},
      {"IFFT2D", transform<2, true>},
      {"FFT3D", transform<3, false>},
      {"IFFT3D", transform<3, true>}};
  for (auto [op, handler] : unary) {
    r.add(op, 1, needsComplex);
    r.addComplex(op, handler);
  }
  const std::pair<const char *, OpHandler> inverse[] = {
      {"IRFFT", inverseRealTransform<1>},
      {"IRFFT2D", inverseRealTransform<2>},
      {"IRFFT3D", inverseRealTransform<3>}};
  for (auto [op, handler] : inverse) {
    r.add(op, 2, needsComplex);
    r.addComplex(op, handler);
  }
  for (const char *op :
       {"Identity", "IdentityN", "StopGradient", "PreventGradient", "Snapshot",
        "EnsureShape", "PlaceholderWithDefault", "Enter", "RefEnter"})
    r.addComplex(op, passPair);
  for (const char *op :
       {"Add",          "AddV2",          "AddN",         "Sub",
        "Neg",          "BiasAdd",        "ZerosLike",    "Reshape",
        "Squeeze",      "ExpandDims",     "Transpose",    "ConcatV2",
        "Concat",       "Pack",           "Unpack",       "Split",
        "SplitV",       "Tile",           "Fill",         "BroadcastTo",
        "ReverseV2",    "Roll",           "Pad",          "PadV2",
        "MirrorPad",    "SpaceToBatchND", "Gather",       "BatchToSpaceND",
        "GatherV2",     "GatherNd",       "Slice",        "StridedSlice",
        "Sum",          "Mean",           "Cumsum",       "Select",
        "SelectV2",     "ScatterNd",      "DepthToSpace", "MatrixBandPart",
        "SpaceToDepth", "ReverseSequence"})
    r.addComplex(op, byParts);
  for (const char *op : {"Shape", "ShapeN", "Size", "Rank"})
    r.addComplex(op, byRealPart);
  r.addComplex("Mul", binary<product>);
  r.addComplex("Div", binary<quotient>);
  r.addComplex("RealDiv", binary<quotient>);
  r.addComplex("Equal", comparison<true>);
  r.addComplex("NotEqual", comparison<false>);
  r.addComplex("Square", square);
  r.addComplex("Reciprocal", reciprocal);
  r.addComplex("Inv", reciprocal);
  r.addComplex("Exp", exponential);
  r.addComplex("OnesLike", onesLike);
  r.addComplex("Cast", castComplex);
}

} // namespace tenon::tf
