// Ops that change a tensor's shape or element type, or return its shape.
#include "compiler/import/onnx/graph/NodeContext.h"

using namespace mlir;

namespace tenon::onnx {

/// The static product of sizes; null if it is dynamic or overflows.
static std::optional<int64_t> staticCount(const Sizes &sizes) {
  int64_t count = 1;
  for (Size size : sizes) {
    std::optional<int64_t> number = GraphBuilder::staticSize(size);
    if (!number || llvm::MulOverflow(count, *number, count))
      return std::nullopt;
  }
  return count;
}

static LogicalResult reshape(NodeContext &ctx) {
  GraphBuilder &g = ctx.g;
  Value input = ctx.input(0);
  Sizes target, from = g.sizes(input);
  bool allowZero = false;
  if (ctx.opset < 5) {
    ctx.ignoreAttrs({"consumed_inputs"});
    target = g.indices(ctx.intsAttr("shape"));
  } else {
    FailureOr<Sizes> sizes = ctx.sizesInput(1);
    allowZero = ctx.intAttr("allowzero", 0) != 0;
    if (failed(sizes))
      return failure();
    target = *sizes;
  }
  std::optional<size_t> inferred;
  bool mayInferLater = false;
  for (auto [i, size] : llvm::enumerate(target)) {
    std::optional<int64_t> number = GraphBuilder::staticSize(size);
    if (!number) {
      // A dynamic size may be 0 (copy the extent) or -1 (infer it) at run time.
      if (GraphBuilder::isNonNegative(size))
        continue;
      mayInferLater = true;
      if (!allowZero && i < from.size())
        size = g.select(g.cmp(arith::CmpIPredicate::eq, size, g.index(0)),
                        from[i], size);
    } else if (*number == 0 && !allowZero) {
      if (i >= from.size())
        return ctx.error("expected 0 in the shape to stand for an extent of " +
                         textOf(input) + ", got it at position " + Twine(i));
      size = from[i];
    } else if (*number == -1) {
      if (inferred)
        return ctx.error("expected at most one -1 in the shape, got " +
                         textOf(target));
      inferred = i;
    } else if (*number < 0) {
      return ctx.error("expected extents of -1 or more, got " + Twine(*number));
    }
  }
  Sizes others;
  for (auto [i, size] : llvm::enumerate(target))
    if (i != inferred)
      others.push_back(size);
  std::optional<int64_t> have = staticCount(from), need = staticCount(others);
  if (have && need &&
      (inferred ? *need == 0 || *have % *need != 0 : *have != *need))
    return ctx.error("expected a shape of " + Twine(*have) + " elements, got " +
                     textOf(target));
  if (inferred)
    target[*inferred] = g.quotient(from, others);
  if (mayInferLater) {
    Sizes positive;
    for (Size size : target)
      positive.push_back(
          GraphBuilder::isNonNegative(size)
              ? size
              : g.select(g.cmp(arith::CmpIPredicate::slt, size, g.index(0)),
                         g.index(1), size));
    Size rest = g.quotient(from, positive);
    for (Size &size : target)
      if (!GraphBuilder::isNonNegative(size))
        size = g.select(g.cmp(arith::CmpIPredicate::slt, size, g.index(0)),
                        rest, size);
  }
  ctx.set(0, g.reshape(input, target));
  return success();
}

static LogicalResult transpose(NodeContext &ctx) {
  int64_t rank = ctx.g.rankOf(ctx.input(0));
  SmallVector<int64_t> permutation = ctx.intsAttr("perm");
  if (!ctx.hasAttr("perm"))
    for (int64_t i = rank - 1; i >= 0; --i)
      permutation.push_back(i);
  SmallVector<int64_t> sorted(permutation);
  llvm::sort(sorted);
  bool isPermutation = int64_t(sorted.size()) == rank;
  for (int64_t i = 0; isPermutation && i < rank; ++i)
    isPermutation = sorted[i] == i;
  if (!isPermutation)
    return ctx.error("expected 'perm' to be a permutation of the " +
                     Twine(rank) + " dimensions");
  ctx.set(0, ctx.g.transpose(ctx.input(0), permutation));
  return success();
}

/// The axes of Squeeze and Unsqueeze: an attribute before opset 13, operand 1
/// from then on.
static FailureOr<Sizes> axesOf(NodeContext &ctx) {
  if (ctx.opset < 13)
    return ctx.g.indices(ctx.intsAttr("axes"));
  return ctx.sizesInput(1);
}

/// For each dimension 1 if it is among `axes`, else 0; and the number of such
/// dimensions before it.
struct Marks {
  Sizes here, before;
};

static FailureOr<Marks> markAxes(NodeContext &ctx, const Sizes &axes,
                                 int64_t rank) {
  FailureOr<Sizes> here =
      ctx.perDim(axes, Sizes(axes.size(), ctx.g.index(1)), rank, 0);
  if (failed(here))
    return failure();
  Marks marks{*here, {}};
  Size count = ctx.g.index(0);
  for (Size mark : marks.here) {
    marks.before.push_back(count);
    count = ctx.g.add(count, mark);
  }
  return marks;
}

/// The axes with extent one. For dynamic extents the declared rank of the
/// result decides if they are one, and the run checks it.
static FailureOr<Sizes> unitAxes(NodeContext &ctx) {
  GraphBuilder &g = ctx.g;
  Sizes sizes = g.sizes(ctx.input(0)), axes;
  SmallVector<int64_t> open;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (!GraphBuilder::staticSize(size))
      open.push_back(i);
    else if (GraphBuilder::same(size, g.index(1)))
      axes.push_back(g.index(i));
  }
  if (open.empty())
    return axes;
  const char *advice = "; name the axes, or fix the open extents with --dim";
  const Type *declared = ctx.declared(0);
  if (!declared || !declared->shape)
    return ctx.unsupported(
        Twine("no axes, if the operand has dynamic extents and the result no "
              "declared rank") +
        advice);
  int64_t most = sizes.size() - axes.size(), rank = declared->shape->size();
  int64_t gone = most - rank, count = open.size();
  if (gone < 0 || gone > count)
    return ctx.error("expected a result of rank " + Twine(most - count) +
                     " to " + Twine(most) + ", got one declared of rank " +
                     Twine(rank));
  if (gone != 0 && gone != count)
    return ctx.unsupported(Twine("no axes, where a result of rank ") +
                           Twine(rank) + " may lack any of " + Twine(count) +
                           " open extents" + advice);
  for (int64_t i : open) {
    if (gone) {
      ctx.check(sizes[i], g.index(1), g.index(1),
                "extent " + Twine(i) + ", which the result has not");
      axes.push_back(g.index(i));
      continue;
    }
    Size isOne = g.cmp(arith::CmpIPredicate::eq, sizes[i], g.index(1));
    ctx.check(g.select(isOne, g.index(1), g.index(2)), g.index(2),
              g.index(INT64_MAX),
              "extent " + Twine(i) + ", which the result has");
  }
  return axes;
}

static LogicalResult squeeze(NodeContext &ctx) {
  GraphBuilder &g = ctx.g;
  Value input = ctx.input(0);
  ArrayRef<int64_t> shape = GraphBuilder::shapeOf(input);
  int64_t rank = shape.size();
  bool isGiven = ctx.opset < 13 ? ctx.hasAttr("axes") : ctx.hasInput(1);
  FailureOr<Sizes> axes = isGiven ? axesOf(ctx) : unitAxes(ctx);
  if (failed(axes))
    return failure();
  FailureOr<Marks> marks = markAxes(ctx, *axes, rank);
  if (failed(marks))
    return failure();
  for (int64_t i = 0; i < rank; ++i)
    if (shape[i] != 1 && !ShapedType::isDynamic(shape[i]) &&
        GraphBuilder::same(marks->here[i], g.index(1)))
      return ctx.error("expected an extent of 1 at axis " + Twine(i) +
                       ", got " + textOf(input));
  // Axes may be known only at run time. Dimension j of the result is the kept
  // dimension with j kept ones before it.
  Sizes sizes(std::max<int64_t>(rank - int64_t(axes->size()), 0), g.index(1));
  for (int64_t i = 0; i < rank; ++i) {
    Size isGone = g.cmp(arith::CmpIPredicate::ne, marks->here[i], g.index(0));
    Size place =
        g.select(isGone, g.index(-1), g.sub(g.index(i), marks->before[i]));
    for (auto [j, size] : llvm::enumerate(sizes))
      size = g.select(g.cmp(arith::CmpIPredicate::eq, place, g.index(j)),
                      g.size(input, i), size);
  }
  ctx.set(0, g.reshape(input, sizes));
  return success();
}

static LogicalResult unsqueeze(NodeContext &ctx) {
  GraphBuilder &g = ctx.g;
  if (ctx.opset < 13 && !ctx.hasAttr("axes"))
    return ctx.error("required attribute 'axes' is missing");
  FailureOr<Sizes> axes = axesOf(ctx);
  if (failed(axes))
    return failure();
  Sizes from = g.sizes(ctx.input(0)), sizes;
  FailureOr<Marks> marks =
      markAxes(ctx, *axes, int64_t(from.size() + axes->size()));
  if (failed(marks))
    return failure();
  for (size_t j = 0; j < marks->here.size(); ++j) {
    Size source = g.sub(g.index(j), marks->before[j]), size = g.index(1);
    for (auto [i, extent] : llvm::enumerate(from))
      size = g.select(g.cmp(arith::CmpIPredicate::eq, source, g.index(i)),
                      extent, size);
    Size isNew = g.cmp(arith::CmpIPredicate::ne, marks->here[j], g.index(0));
    sizes.push_back(g.select(isNew, g.index(1), size));
  }
  ctx.set(0, g.reshape(ctx.input(0), sizes));
  return success();
}

static LogicalResult flatten(NodeContext &ctx) {
  Sizes sizes = ctx.g.sizes(ctx.input(0));
  int64_t rank = sizes.size(), axis = ctx.intAttr("axis", 1);
  if (axis < -rank || axis > rank)
    return ctx.error("expected an axis within [" + Twine(-rank) + ", " +
                     Twine(rank) + "], got " + Twine(axis));
  if (axis < 0)
    axis += rank;
  ArrayRef<Size> all(sizes);
  ctx.set(0,
          ctx.g.reshape(ctx.input(0), {ctx.g.product(all.take_front(axis)),
                                       ctx.g.product(all.drop_front(axis))}));
  return success();
}

static LogicalResult identity(NodeContext &ctx) {
  ctx.set(0, ctx.input(0));
  return success();
}

/// A present operand is an optional with an element; an absent one is an empty
/// optional.
static LogicalResult optionalHasElement(NodeContext &ctx) {
  ctx.set(0, ctx.g.scalarInt(ctx.g.i1(), ctx.hasInput(0)));
  return success();
}

static LogicalResult shape(NodeContext &ctx) {
  Sizes sizes = ctx.g.sizes(ctx.input(0));
  int64_t rank = sizes.size();
  auto bound = [&](StringRef name, int64_t otherwise) {
    int64_t value = ctx.intAttr(name, otherwise);
    return std::clamp<int64_t>(value < 0 ? value + rank : value, 0, rank);
  };
  int64_t start = bound("start", 0), end = bound("end", rank);
  ArrayRef<Size> part(sizes);
  ctx.set(
      0, ctx.g.fromSizes(part.slice(start, std::max(end - start, int64_t(0)))));
  return success();
}

static LogicalResult size(NodeContext &ctx) {
  Size count = ctx.g.product(ctx.g.sizes(ctx.input(0)));
  ctx.set(0, ctx.g.fromSize(count, ctx.g.i64()));
  return success();
}

/// Before opset 6 the attribute has the type's name; null after an error.
static mlir::Type namedElement(NodeContext &ctx) {
  std::string name = ctx.stringAttr("to", "");
  auto to = llvm::StringSwitch<ElementType>(name)
                .Case("FLOAT", ElementType::F32)
                .Case("DOUBLE", ElementType::F64)
                .Case("FLOAT16", ElementType::F16)
                .Case("INT8", ElementType::I8)
                .Case("INT16", ElementType::I16)
                .Case("INT32", ElementType::I32)
                .Case("INT64", ElementType::I64)
                .Case("UINT8", ElementType::U8)
                .Case("UINT16", ElementType::U16)
                .Case("UINT32", ElementType::U32)
                .Case("UINT64", ElementType::U64)
                .Case("BOOL", ElementType::Bool)
                .Case("STRING", ElementType::String)
                .Default(ElementType::Undefined);
  mlir::Type element = elementTypeOf(ctx.g.ops.getContext(), to);
  if (to == ElementType::Undefined)
    (void)ctx.error("expected attribute 'to' to be the name of an element type "
                    "of TensorProto.DataType, got \"" +
                    name + "\"");
  else if (!element)
    (void)ctx.unsupported(Twine("attribute 'to' that asks for ") +
                          elementTypeName(to));
  return element;
}

static LogicalResult cast(NodeContext &ctx) {
  ctx.ignoreAttrs({"saturate", "round_mode"}); // only for 8-bit floats
  mlir::Type element =
      ctx.opset < 6 ? namedElement(ctx) : ctx.elementAttr("to");
  if (!element)
    return failure();
  ctx.set(0, ctx.g.convert(ctx.input(0), element));
  return success();
}

static LogicalResult castLike(NodeContext &ctx) {
  ctx.ignoreAttrs({"saturate", "round_mode"});
  ctx.set(0, ctx.g.convert(ctx.input(0), ctx.g.elementOf(ctx.input(1))));
  return success();
}

static LogicalResult expand(NodeContext &ctx) {
  FailureOr<Sizes> target = ctx.extentsInput(1);
  if (failed(target))
    return failure();
  Sizes shapes[] = {ctx.g.sizes(ctx.input(0)), *target};
  std::optional<Sizes> sizes = ctx.g.broadcastSizes(ArrayRef<Sizes>(shapes));
  if (!sizes)
    return ctx.error("expected a shape that " + textOf(ctx.input(0)) +
                     " can be broadcast to, got " + textOf(*target));
  // Dynamic extents may differ at run time from one and from the broadcast
  // extent: check them.
  GraphBuilder &g = ctx.g;
  for (auto [i, wanted] : llvm::enumerate(*target)) {
    Size joined = (*sizes)[sizes->size() - target->size() + i];
    if (GraphBuilder::same(wanted, joined))
      continue;
    Size allowed = g.select(g.cmp(arith::CmpIPredicate::eq, wanted, g.index(1)),
                            wanted, joined);
    ctx.check(wanted, allowed, allowed,
              "entry " + Twine(i) +
                  " of the shape must be one or the operand's extent");
  }
  ctx.set(0, ctx.g.broadcastTo(ctx.input(0), *sizes));
  return success();
}

static LogicalResult tile(NodeContext &ctx) {
  FailureOr<Sizes> repeats = ctx.extentsInput(1);
  if (failed(repeats))
    return failure();
  GraphBuilder &g = ctx.g;
  Sizes sizes = g.sizes(ctx.input(0)), apart, joined;
  if (repeats->size() != sizes.size())
    return ctx.error("expected " + Twine(sizes.size()) +
                     " repeats, one per dimension, got " +
                     Twine(repeats->size()));
  SmallVector<int64_t> dims;
  for (auto [size, count] : llvm::zip(sizes, *repeats)) {
    if (!GraphBuilder::same(count, g.index(1)))
      apart.push_back(count);
    dims.push_back(apart.size());
    apart.push_back(size);
    joined.push_back(g.mul(size, count));
  }
  ctx.set(0, g.reshape(g.broadcastInDim(ctx.input(0), dims, apart), joined));
  return success();
}

static LogicalResult concat(NodeContext &ctx) {
  SmallVector<Value> values;
  for (Value value : ctx.inputs()) {
    if (!value)
      return ctx.error("expected all operands to be given");
    values.push_back(value);
  }
  int64_t rank = GraphBuilder::rankOf(values[0]);
  int64_t given = ctx.opset < 4 ? ctx.intAttr("axis", 1) : ctx.intAttr("axis");
  FailureOr<int64_t> axis = ctx.axis(given, rank);
  if (ctx.failed() || failed(axis) || failed(ctx.expectSameElements()))
    return failure();
  SmallVector<int64_t> common(GraphBuilder::shapeOf(values[0]));
  for (Value value : values) {
    ArrayRef<int64_t> shape = GraphBuilder::shapeOf(value);
    bool agrees = int64_t(shape.size()) == rank;
    for (int64_t i = 0; agrees && i < rank; ++i) {
      if (i == *axis || ShapedType::isDynamic(shape[i]))
        continue;
      agrees = ShapedType::isDynamic(common[i]) || common[i] == shape[i];
      common[i] = shape[i];
    }
    if (!agrees)
      return ctx.error("expected shapes that agree but at axis " +
                       Twine(*axis) + ", got " + textOf(values[0]) + " and " +
                       textOf(value));
  }
  ctx.set(0, ctx.g.concat(values, *axis));
  return success();
}

static LogicalResult where(NodeContext &ctx) {
  if (failed(ctx.expectBool(0)) || failed(ctx.expectSameElements({1, 2})))
    return failure();
  Value operands[] = {ctx.input(0), ctx.input(1), ctx.input(2)};
  if (failed(ctx.broadcast(operands)))
    return failure();
  ctx.set(0, ctx.g.select(operands[0], operands[1], operands[2]));
  return success();
}

static LogicalResult depthToSpace(NodeContext &ctx) {
  if (failed(ctx.expectRank(0, 4)))
    return failure();
  GraphBuilder &g = ctx.g;
  int64_t block = ctx.intAttr("blocksize");
  std::string mode = ctx.stringAttr("mode", "DCR");
  if (ctx.failed())
    return failure();
  Sizes s = g.sizes(ctx.input(0));
  std::optional<int64_t> depth = GraphBuilder::staticSize(s[1]);
  if (block < 1 || block > (1 << 20) || (depth && *depth % (block * block)))
    return ctx.error("expected a depth that is a multiple of blocksize "
                     "squared, got blocksize " +
                     Twine(block) + " for " + textOf(ctx.input(0)));
  if (mode != "DCR" && mode != "CRD")
    return ctx.error("expected mode DCR or CRD, got " + mode);
  Size b = g.index(block), inner = g.floorDiv(s[1], g.index(block * block));
  bool depthFirst = mode == "DCR";
  Sizes apart = depthFirst ? Sizes{s[0], b, b, inner, s[2], s[3]}
                           : Sizes{s[0], inner, b, b, s[2], s[3]};
  SmallVector<int64_t> order = depthFirst
                                   ? SmallVector<int64_t>{0, 3, 4, 1, 5, 2}
                                   : SmallVector<int64_t>{0, 1, 4, 2, 5, 3};
  Value moved = g.transpose(g.reshape(ctx.input(0), apart), order);
  ctx.set(0, g.reshape(moved, {s[0], inner, g.mul(s[2], b), g.mul(s[3], b)}));
  return success();
}

static LogicalResult spaceToDepth(NodeContext &ctx) {
  if (failed(ctx.expectRank(0, 4)))
    return failure();
  GraphBuilder &g = ctx.g;
  int64_t block = ctx.intAttr("blocksize");
  if (ctx.failed())
    return failure();
  Sizes s = g.sizes(ctx.input(0));
  for (int64_t dim : {2, 3})
    if (std::optional<int64_t> extent = GraphBuilder::staticSize(s[dim]);
        block < 1 || block > (1 << 20) || (extent && *extent % block))
      return ctx.error("expected extents that are multiples of blocksize " +
                       Twine(block) + ", got " + textOf(ctx.input(0)));
  Size b = g.index(block), height = g.floorDiv(s[2], b),
       width = g.floorDiv(s[3], b);
  Value apart = g.reshape(ctx.input(0), {s[0], s[1], height, b, width, b});
  Value moved = g.transpose(apart, {0, 3, 5, 1, 2, 4});
  ctx.set(0, g.reshape(moved, {s[0], g.product({s[1], b, b}), height, width}));
  return success();
}

void registerShapeOps(OpRegistry &registry) {
  registry.add("Cast", 1, 1, 1, cast);
  registry.add("Cast", 24, 1, 1, cast);
  registry.add("CastLike", 15, 2, 1, castLike);
  registry.add("CastLike", 24, 2, 1, castLike);
  registry.add("Concat", 1, Arity(1, kMany), 1, concat);
  registry.add("DepthToSpace", 1, 1, 1, depthToSpace);
  registry.add("Expand", 8, 2, 1, expand);
  registry.add("Flatten", 1, 1, 1, flatten);
  registry.add("Identity", 1, 1, 1, identity);
  registry.add("OptionalGetElement", 15, 1, 1, identity);
  registry.add("OptionalHasElement", 15, 1, 1, optionalHasElement);
  registry.add("OptionalHasElement", 18, Arity(0, 1), 1, optionalHasElement);
  registry.add("Reshape", 1, 1, 1, reshape);
  registry.add("Reshape", 5, 2, 1, reshape);
  registry.add("Shape", 1, 1, 1, shape);
  registry.add("Size", 1, 1, 1, size);
  registry.add("SpaceToDepth", 1, 1, 1, spaceToDepth);
  registry.add("Squeeze", 1, 1, 1, squeeze);
  registry.add("Squeeze", 13, Arity(1, 2), 1, squeeze);
  registry.add("Tile", 6, 2, 1, tile);
  registry.add("Transpose", 1, 1, 1, transpose);
  registry.add("Unsqueeze", 1, 1, 1, unsqueeze);
  registry.add("Unsqueeze", 13, 2, 1, unsqueeze);
  registry.add("Where", 9, 3, 1, where);
}

} // namespace tenon::onnx
