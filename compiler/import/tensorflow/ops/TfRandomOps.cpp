// Random ops. Stateless ones are a function of their seeds. Others continue
// from their previous run, with a state that counts the blocks used.
#include "compiler/import/tensorflow/graph/TfNodeContext.h"
#include "compiler/import/tensorflow/ops/TfPhilox.h"

#include "llvm/Support/xxhash.h"

#include <cmath>

using namespace mlir;

namespace tenon::tf {
namespace {

//===-- Distributions ---------------------------------------------------===//

/// The blocks of the generator for `count` elements, and distributions from
/// them. Each group of elements has blocks of its own.
class Draws {
public:
  Draws(GraphBuilder &g, const Philox &philox, ArrayRef<Size> sizes)
      : g(g), philox(philox), sizes(sizes), count(g.product(sizes)) {}

  /// Uniform numbers in [0, 1) with as many bits as the mantissa of the type.
  Value uniform(mlir::Type element) {
    Words words = perGroup(element.isF64() ? 2 : 4);
    if (element.isF64())
      return arranged(
          {fraction64(words[0], words[1]), fraction64(words[2], words[3])});
    unsigned bits = element.isF32() ? 23 : element.isF16() ? 10 : 7;
    return g.convert(
        arranged(llvm::map_to_vector(
            words, [&](Value word) { return fraction(word, bits); })),
        element);
  }

  /// Normal numbers by the method of Box and Muller.
  Value normal(mlir::Type element) {
    Words words = perGroup(element.isF64() ? 2 : 4);
    return g.convert(arranged(normals(words, element.isF64())), element);
  }

  /// Takes the first of a group's candidates that are within two standard
  /// deviations. Only one in 10^13 groups has too few candidates.
  Value truncatedNormal(mlir::Type element) {
    bool wide = element.isF64();
    int64_t group = wide ? 2 : 4, tries = wide ? 6 : 4;
    Size groups = g.ceilDiv(count, g.index(group));
    // Each element has 64 blocks of its own.
    Value place = g.add(g.mul(g.iota(wordType(g), {groups, g.index(tries)}, 0),
                              number(64 * uint64_t(group))),
                        g.iota(wordType(g), {groups, g.index(tries)}, 1));
    SmallVector<Value> parts;
    for (Value part : normals(blocksAt(g, philox, place), wide))
      parts.push_back(g.unsqueeze(part, {2}));
    Size drawn = g.index(tries * int64_t(parts.size()));
    Value all = g.reshape(g.concat(parts, 2), Sizes{groups, drawn});
    Value kept = g.compare(CompareDirection::LT, g.make<AbsOp>(all), 2.0);
    Value number = g.convert(kept, g.i64());
    Value rank =
        CumulativeOp::create(g.ops, g.loc, number.getType(), ReduceKind::Add,
                             number, uint64_t(1), /*exclusive=*/true,
                             /*reverse=*/false);
    Sizes table = {groups, drawn, g.index(group)};
    Value isIts = g.compare(CompareDirection::EQ, g.unsqueeze(rank, {2}),
                            g.iota(g.i64(), table, 2));
    Value chosen = g.binary<AndOp>(isIts, g.unsqueeze(kept, {2}));
    Value values = g.select(chosen, g.broadcastTo(g.unsqueeze(all, {2}), table),
                            g.scalar(g.elementOf(all), 0));
    return g.convert(
        shaped(g.reduce(ReduceKind::Add, values, {1}, false), group), element);
  }

  /// Random words of 32 or (`wide`) 64 bits, in u64.
  Value bits(bool wide) {
    Words words = perGroup(wide ? 2 : 4);
    if (!wide)
      return arranged(words);
    return arranged(
        {joinWords(g, words[0], words[1]), joinWords(g, words[2], words[3])});
  }

private:
  Value number(uint64_t value) {
    return g.scalarInt(wordType(g), int64_t(value));
  }

  /// One block for each group of `group` elements.
  Words perGroup(int64_t group) {
    Size groups = g.ceilDiv(count, g.index(group));
    return blocksAt(g, philox, g.iota(wordType(g), {groups}, 0));
  }

  /// Reorders the elements of groups to the result's shape. `parts` has a
  /// vector for each position in a group.
  Value arranged(ArrayRef<Value> parts) {
    SmallVector<Value> columns;
    for (Value part : parts)
      columns.push_back(g.unsqueeze(part, {1}));
    return shaped(g.concat(columns, 1), int64_t(parts.size()));
  }
  /// The first `count` elements of `table`, [groups, group], in the result's
  /// shape.
  Value shaped(Value table, int64_t group) {
    Size all = g.mul(g.size(table, 0), g.index(group));
    Value flat = g.reshape(table, Sizes{all});
    if (!GraphBuilder::same(all, count))
      flat = g.sliceDim(flat, 0, g.index(0), count);
    return g.reshape(flat, sizes);
  }

  /// The low `bits` bits of words as f32 in [0, 1).
  Value fraction(Value word, unsigned bits) {
    Value low = g.binary<AndOp>(word, number((uint64_t(1) << bits) - 1));
    Value small = g.convert(low, g.ops.getI32Type());
    return g.mul(g.convert(small, g.f32()), std::ldexp(1, -int(bits)));
  }
  /// 20 bits of `high` and all bits of `low` as f64 in [0, 1).
  Value fraction64(Value high, Value low) {
    Value top = g.binary<AndOp>(high, number(0xfffff));
    return g.mul(g.convert(joinWords(g, low, top), g.ops.getF64Type()),
                 0x1p-52);
  }

  /// Two normal numbers from two uniform ones.
  std::array<Value, 2> boxMuller(Value first, Value second) {
    Value safe = g.maximum(first, 1e-7);
    Value radius = g.make<SqrtOp>(g.mul(g.make<LogOp>(safe), -2.0));
    Value turn = g.mul(second, 2 * M_PI);
    return {g.mul(g.make<SineOp>(turn), radius),
            g.mul(g.make<CosineOp>(turn), radius)};
  }
  /// The normal numbers of a block in order: four of f32, or two of f64.
  SmallVector<Value> normals(const Words &words, bool wide) {
    SmallVector<Value> result;
    if (wide) {
      llvm::append_range(result, boxMuller(fraction64(words[0], words[1]),
                                           fraction64(words[2], words[3])));
      return result;
    }
    for (size_t i : {0, 2})
      llvm::append_range(result, boxMuller(fraction(words[i], 23),
                                           fraction(words[i + 1], 23)));
    return result;
  }

  GraphBuilder &g;
  Philox philox;
  ArrayRef<Size> sizes;
  Size count;
};

//===-- Generators ------------------------------------------------------===//

/// The generator of an op with a state; each run uses `blocks` further blocks.
FailureOr<Philox> ownGenerator(NodeContext &c, Size blocks) {
  GraphBuilder &g = c.g;
  auto seed = uint64_t(c.intAttr("seed", 0)),
       second = uint64_t(c.intAttr("seed2", 0));
  // Without seeds, use a hash of the node's name, so that two nodes get
  // different numbers.
  if (seed == 0 && second == 0)
    seed = llvm::xxh3_64bits(llvm::StringRef(c.site()));
  Value taken = c.importer.takeBlocks(c.node, blocks);
  if (!taken)
    return failure();
  return Philox{g.scalarInt(wordType(g), int64_t(seed)),
                g.convert(taken, wordType(g)),
                g.scalarInt(wordType(g), int64_t(second))};
}

/// Element `i` of operand `operand` as a scalar of u64.
Value wordOf(NodeContext &c, size_t operand, int64_t i) {
  GraphBuilder &g = c.g;
  Value one = g.sliceDim(c.input(operand), 0, g.index(i), g.index(1));
  return g.convert(g.squeeze(one, {0}), wordType(g));
}

/// Requires operand `i` to be a vector of `count` integers.
LogicalResult expectNumbers(NodeContext &c, size_t i, int64_t count) {
  if (failed(c.expectInteger(i)) || failed(c.expectRank(i, 1)))
    return failure();
  if (c.g.shapeOf(c.input(i))[0] != count)
    return c.error("expected " + Twine(count) + " numbers as operand " +
                   Twine(i) + ", got " + textOf(c.input(i)));
  return success();
}

/// The generator from operand `i`, a vector of two seeds.
FailureOr<Philox> seededGenerator(NodeContext &c, size_t i) {
  if (failed(expectNumbers(c, i, 2)))
    return failure();
  return philoxOfSeeds(c.g, wordOf(c, i, 0), wordOf(c, i, 1));
}

/// The generator from the operands `i` (key), `i` + 1 (counter) and `i` + 2
/// (algorithm).
FailureOr<Philox> keyedGenerator(NodeContext &c, size_t i) {
  if (failed(expectNumbers(c, i, 1)) || failed(expectNumbers(c, i + 1, 2)))
    return failure();
  FailureOr<int64_t> algorithm = c.constantScalar(i + 2, "an algorithm");
  if (failed(algorithm))
    return failure();
  // Algorithm 3 means that the runtime may choose.
  if (*algorithm != 1 && *algorithm != 3)
    return c.unsupported("algorithm " + Twine(*algorithm) +
                         ", which is not Philox (1)");
  return Philox{wordOf(c, i, 0), wordOf(c, i + 1, 0), wordOf(c, i + 1, 1)};
}

enum class Source { Own, Seeds, Keys };

/// The number of operands that define the generator.
constexpr size_t operandsOf(Source source) {
  return source == Source::Own ? 0 : source == Source::Seeds ? 1 : 3;
}

/// The generator of an op; its operands begin at number `at`. A generator with
/// a state takes 256 blocks for each of `count` elements, as in TensorFlow.
FailureOr<Philox> generator(NodeContext &c, Source source, size_t at,
                            Size count) {
  if (source == Source::Own)
    return ownGenerator(c, c.g.mul(count, c.g.index(256)));
  return source == Source::Seeds ? seededGenerator(c, at)
                                 : keyedGenerator(c, at);
}

//===-- Nodes -----------------------------------------------------------===//

using FloatDraw = Value (Draws::*)(mlir::Type);

/// Operands: shape, generator.
template <FloatDraw distribution, Source source>
LogicalResult floats(NodeContext &c) {
  mlir::Type element = c.elementAttr("dtype", DataType::F32);
  FailureOr<Sizes> sizes = c.extentsInput(0);
  if (!element || failed(sizes))
    return failure();
  if (!isa<FloatType>(element))
    return c.error("expected dtype to be a float type");
  FailureOr<Philox> philox = generator(c, source, 1, c.g.product(*sizes));
  if (failed(philox))
    return failure();
  Draws draws(c.g, *philox, *sizes);
  c.set(0, (draws.*distribution)(element));
  return success();
}

/// Operands: shape, generator, lower bound, upper bound (exclusive).
template <Source source> LogicalResult integers(NodeContext &c) {
  GraphBuilder &g = c.g;
  constexpr size_t low = 1 + operandsOf(source), high = low + 1;
  FailureOr<Sizes> sizes = c.extentsInput(0);
  if (failed(sizes) || failed(c.expectInteger(low)) ||
      failed(c.expectSameElements({low, high})) ||
      failed(c.expectRank(low, 0)) || failed(c.expectRank(high, 0)))
    return failure();
  mlir::Type element = g.elementOf(c.input(low));
  if (!element.isSignlessInteger(32) && !element.isSignlessInteger(64))
    return c.unsupported("random integers of other types than i32 and i64");
  FailureOr<Philox> philox = generator(c, source, 1, g.product(*sizes));
  if (failed(philox))
    return failure();
  Value from = g.convert(c.input(low), g.i64());
  Value to = g.make<CheckRangeOp>(
      g.convert(c.input(high), g.i64()), g.add(from, 1.0),
      g.scalarInt(g.i64(), INT64_MAX),
      g.ops.getStringAttr(c.site() + ": the interval must not be empty"));
  Value range = g.convert(g.sub(to, from), wordType(g));
  Value bits = Draws(g, *philox, *sizes).bits(element.isSignlessInteger(64));
  Value offset = g.convert(g.binary<RemainderOp>(bits, range), g.i64());
  c.set(0, g.convert(g.add(offset, from), element));
  return success();
}

/// Operands: shape, generator. Any number of the type is equally likely.
template <Source source> LogicalResult allIntegers(NodeContext &c) {
  mlir::Type element = c.elementAttr("dtype", DataType::U64);
  FailureOr<Sizes> sizes = c.extentsInput(0);
  if (!element || failed(sizes))
    return failure();
  unsigned width = element.isInteger() ? element.getIntOrFloatBitWidth() : 0;
  if (width != 32 && width != 64)
    return c.error("expected dtype to be an integer type of 32 or 64 bits");
  FailureOr<Philox> philox = generator(c, source, 1, c.g.product(*sizes));
  if (failed(philox))
    return failure();
  c.set(0, c.g.convert(Draws(c.g, *philox, *sizes).bits(width == 64), element));
  return success();
}

/// Operands: logits [rows, classes], the number of samples for each row,
/// generator. The sampled class is the first one at which the running sum of
/// the probabilities exceeds a uniform random part of their total.
template <Source source> LogicalResult multinomial(NodeContext &c) {
  GraphBuilder &g = c.g;
  mlir::Type element = c.elementAttr("output_dtype", DataType::I64);
  if (!element || failed(c.expectFloat(0)) || failed(c.expectRank(0, 2)))
    return failure();
  FailureOr<Sizes> samples = c.extentsInput(1);
  if (failed(samples))
    return failure();
  if (samples->size() != 1)
    return c.error("expected one number of samples, got " +
                   Twine(samples->size()));
  Value logits = g.convert(c.input(0), g.ops.getF64Type());
  Size classes = g.size(logits, 1);
  if (g.staticSize(classes) == 0)
    return c.error("expected classes to draw, got " + textOf(c.input(0)));
  Sizes drawn = {g.size(logits, 0), samples->front()}, all = drawn;
  all.push_back(classes);
  FailureOr<Philox> philox = generator(c, source, 2, g.product(drawn));
  if (failed(philox))
    return failure();
  // Infinite logits and NaN have probability zero.
  Value finite = g.compare(CompareDirection::LT, g.make<AbsOp>(logits),
                           std::numeric_limits<double>::infinity());
  Value least = g.splatLike(logits, GraphBuilder::leastOf(g.elementOf(logits)));
  Value known = g.select(finite, logits, least);
  Value greatest = g.reduce(ReduceKind::Maximum, known, {1}, true);
  Value shares = g.select(finite, g.make<ExpOp>(g.sub(known, greatest)),
                          g.splatLike(logits, 0));
  Value sums = CumulativeOp::create(g.ops, g.loc, shares.getType(),
                                    ReduceKind::Add, shares, uint64_t(1),
                                    /*exclusive=*/false, /*reverse=*/false);
  Value total = g.reduce(ReduceKind::Maximum, sums, {1}, true);
  Value mark =
      g.mul(Draws(g, *philox, drawn).uniform(g.elementOf(logits)), total);
  Value before = g.compare(CompareDirection::LE,
                           g.broadcastTo(g.unsqueeze(sums, {1}), all),
                           g.unsqueeze(mark, {2}));
  Value drawnClass =
      g.reduce(ReduceKind::Add, g.convert(before, g.i64()), {2}, false);
  Value last = g.fromSize(g.sub(classes, g.index(1)), g.i64());
  c.set(0, g.convert(g.minimum(drawnClass, last), element));
  return success();
}

/// Shuffles rows by sorting them by random numbers.
LogicalResult shuffle(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  if (failed(c.expectMinRank(0, 1)))
    return failure();
  Sizes rows = {g.size(x, 0)};
  FailureOr<Philox> philox = generator(c, Source::Own, 1, rows[0]);
  if (failed(philox))
    return failure();
  Value keys = g.convert(Draws(g, *philox, rows).bits(true), g.i64());
  auto sort = SortOp::create(g.ops, g.loc, keys, uint64_t(0), false);
  g.recordSizes(sort.getPositions(), rows);
  c.set(0, g.take(x, sort.getPositions(), 0));
  return success();
}

/// Operand: two seeds. Results: the key and counter made from them, and the
/// algorithm.
LogicalResult keyCounter(NodeContext &c) {
  GraphBuilder &g = c.g;
  FailureOr<Philox> philox = seededGenerator(c, 0);
  if (failed(philox))
    return failure();
  c.set(0, g.unsqueeze(philox->key, {0}));
  c.set(1, g.concat(
               {g.unsqueeze(philox->low, {0}), g.unsqueeze(philox->high, {0})},
               0));
  c.set(2, g.scalarInt(g.ops.getI32Type(), 1));
  return success();
}

LogicalResult algorithm(NodeContext &c) {
  c.set(0, c.g.scalarInt(c.g.ops.getI32Type(), 1));
  return success();
}

/// Registers the three ops of a distribution.
template <FloatDraw distribution>
void addFloats(OpRegistry &r, const char *own, const std::string &stateless) {
  r.add(own, 1, floats<distribution, Source::Own>);
  r.add(stateless, 2, floats<distribution, Source::Seeds>);
  r.add(stateless + "V2", 4, floats<distribution, Source::Keys>);
}

} // namespace

void registerRandomOps(OpRegistry &r) {
  addFloats<&Draws::uniform>(r, "RandomUniform", "StatelessRandomUniform");
  addFloats<&Draws::normal>(r, "RandomStandardNormal", "StatelessRandomNormal");
  addFloats<&Draws::truncatedNormal>(r, "TruncatedNormal",
                                     "StatelessTruncatedNormal");
  r.add("RandomUniformInt", 3, integers<Source::Own>);
  r.add("StatelessRandomUniformInt", 4, integers<Source::Seeds>);
  r.add("StatelessRandomUniformIntV2", 6, integers<Source::Keys>);
  r.add("StatelessRandomUniformFullInt", 2, allIntegers<Source::Seeds>);
  r.add("StatelessRandomUniformFullIntV2", 4, allIntegers<Source::Keys>);
  r.add("Multinomial", 2, multinomial<Source::Own>);
  r.add("StatelessMultinomial", 3, multinomial<Source::Seeds>);
  r.add("RandomShuffle", 1, shuffle);
  r.add("StatelessRandomGetKeyCounter", 1, keyCounter, {"key", "counter"});
  r.add("StatelessRandomGetKeyCounterAlg", 1, keyCounter,
        {"key", "counter", "alg"});
  r.add("StatelessRandomGetAlg", 0, algorithm);
}

} // namespace tenon::tf
