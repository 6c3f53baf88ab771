// The pool of values, shapes, inputs and the order in which ops are tried.
#include "test/random/GraphGrower.h"

#include "dialects/tenon/Annotations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tenon {

void loadGraphDialects(MLIRContext &context) {
  context.loadDialect<TenonDialect, arith::ArithDialect, func::FuncDialect,
                      scf::SCFDialect, tensor::TensorDialect>();
}

RandomGraph buildRandomGraph(MLIRContext &context, uint64_t seed,
                             const RandomGraphOptions &options) {
  return GraphGrower(context, seed, options).grow();
}

func::FuncOp RandomGraph::main() const {
  return ModuleOp(*module).lookupSymbol<func::FuncOp>("main");
}

WeightLoader RandomGraph::weightLoader() const {
  return [this](llvm::StringRef, int64_t offset,
                int64_t length) -> llvm::Expected<std::vector<char>> {
    if (offset < 0 || length < 0 || offset + length > int64_t(weights.size()))
      return llvm::createStringError("the weights end before this one does");
    return std::vector<char>(weights.begin() + offset,
                             weights.begin() + offset + length);
  };
}

llvm::Expected<std::vector<HostTensor>>
RandomGraph::evaluateRuns(func::FuncOp function, OracleOptions oracle) const {
  oracle.contextExtents = contextExtents;
  std::vector<HostTensor> outputs;
  OracleState state;
  for (int run = 0; run < runs; ++run) {
    auto results =
        evaluate(function, inputs, weightLoader(), oracle, {}, &state);
    if (!results)
      return results.takeError();
    llvm::append_range(outputs, std::move(*results));
  }
  return outputs;
}

int64_t Grown::count() const {
  int64_t count = 1;
  for (GrownDim dim : shape)
    count *= dim.size;
  return count;
}

bool Grown::isStatic() const {
  return llvm::all_of(shape, [](GrownDim dim) { return dim.symbol == 0; });
}

GraphGrower::GraphGrower(MLIRContext &context, uint64_t seed,
                         const RandomGraphOptions &options)
    : builder(&context), random(seed), options(options) {
  module = ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToStart(module->getBody());
  function = func::FuncOp::create(builder, builder.getUnknownLoc(), "main",
                                  builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  if (options.dynamic)
    for (int i = 0; i < 2; ++i) {
      named.push_back(randomExtent());
      ++lastSymbol; // symbols 1 and 2 are the named extents
    }
}

Location GraphGrower::location() {
  return NameLoc::get(builder.getStringAttr("n" + Twine(locations++)));
}

int64_t GraphGrower::randomExtent() {
  static constexpr int64_t extents[] = {1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 33};
  // Empty extents must be tested, but a graph of them computes nothing.
  return random.oneIn(40) ? 0 : extents[random.below(std::size(extents))];
}

GrownShape GraphGrower::randomShape() {
  while (true) {
    GrownShape shape;
    int64_t rank = random.below(5), count = 1;
    for (int64_t i = 0; i < rank; ++i) {
      if (!named.empty() && random.oneIn(3)) {
        int which = int(random.below(named.size()));
        shape.push_back({named[which], which + 1});
      } else {
        shape.push_back({randomExtent()});
      }
      count *= shape.back().size;
    }
    if (count <= maxElements)
      return shape;
  }
}

Type GraphGrower::randomFloat() {
  switch (random.below(options.narrowFloats ? 10 : 7)) {
  case 0:
    return builder.getF64Type();
  case 7:
  case 8:
    return builder.getF16Type();
  case 9:
    return builder.getBF16Type();
  default:
    return builder.getF32Type();
  }
}

Type GraphGrower::randomInt() {
  static constexpr unsigned widths[] = {8, 16, 32, 64};
  unsigned width = widths[random.below(4)];
  return random.oneIn(3) ? IntegerType::get(builder.getContext(), width,
                                            IntegerType::Unsigned)
                         : builder.getIntegerType(width);
}

RankedTensorType GraphGrower::type(const GrownShape &shape, Type element) {
  llvm::SmallVector<int64_t> extents;
  for (GrownDim dim : shape)
    extents.push_back(dim.symbol ? ShapedType::kDynamic : dim.size);
  return RankedTensorType::get(extents, element);
}

llvm::SmallVector<OpFoldResult> GraphGrower::sizes(const Grown &x) {
  return mixedSizes(builder, location(), x.value);
}

GraphGrower::Mixed GraphGrower::split(ArrayRef<OpFoldResult> sizes) {
  Mixed mixed;
  dispatchIndexOpFoldResults(sizes, mixed.values, mixed.list);
  return mixed;
}

void GraphGrower::add(Value value, GrownShape shape, double bound, bool exact) {
  pool.push_back({value, std::move(shape), bound, exact});
}

std::optional<Grown> GraphGrower::pick(const Wanted &wanted) {
  llvm::SmallVector<size_t> suitable;
  for (auto [i, member] : llvm::enumerate(pool))
    if (!member.closed && wanted(member)) {
      suitable.push_back(i);
      // Unused and new values are picked more often.
      if (!member.used)
        suitable.push_back(i);
      if (i + 4 > pool.size())
        suitable.push_back(i);
    }
  if (suitable.empty())
    return std::nullopt;
  Grown &chosen = pool[suitable[random.below(suitable.size())]];
  chosen.used = true;
  return chosen;
}

std::optional<Grown> GraphGrower::pickFloat(double bound) {
  return pick([&](const Grown &x) {
    return x.isFloat() && x.bound != unbounded && x.bound <= bound;
  });
}

Grown GraphGrower::pickLike(const Grown &model) {
  auto found = pick([&](const Grown &x) {
    return x.shape == model.shape && x.element() == model.element() &&
           (!x.isFloat() || x.bound != unbounded);
  });
  return found ? *found : model;
}

static llvm::SmallVector<int64_t> extentsOf(const GrownShape &shape) {
  return llvm::map_to_vector(shape, [](GrownDim dim) { return dim.size; });
}

Grown GraphGrower::input(Type element, const GrownShape &shape, double low,
                         double high) {
  inputs.push_back(randomTensor(random, element, extentsOf(shape), low, high));
  inputShapes.push_back(shape);
  Value argument = function.getBody().addArgument(type(shape, element),
                                                  builder.getUnknownLoc());
  return {argument, shape, std::max(std::abs(low), std::abs(high)), true, true};
}

Grown GraphGrower::weight(Type element, const GrownShape &shape, double low,
                          double high) {
  HostTensor tensor =
      randomTensor(random, element, extentsOf(shape), low, high);
  std::vector<char> bytes = tensor.toBytes();
  std::string name = "w" + std::to_string(weights.size());
  auto source = WeightSourceAttr::get(
      builder.getContext(), builder.getStringAttr(RandomGraph::weightFile),
      int64_t(weights.size()), int64_t(bytes.size()));
  OpBuilder above(function);
  WeightOp::create(above, location(), name, type(shape, element), source);
  llvm::append_range(weights, bytes);
  // Keep empty weights at distinct offsets, and do not always align them.
  weights.push_back(0);
  return {make<GetWeightOp>(type(shape, element), name), shape,
          std::max(std::abs(low), std::abs(high)), true, true};
}

/// A host tensor as a dense attribute.
static DenseElementsAttr asAttribute(const HostTensor &tensor) {
  auto type = RankedTensorType::get(tensor.shape, tensor.element);
  llvm::SmallVector<Attribute> elements;
  Builder builder(tensor.element.getContext());
  for (int64_t i = 0, n = tensor.count(); i < n; ++i)
    if (tensor.isFloat())
      elements.push_back(
          builder.getFloatAttr(tensor.element, tensor.floats[i]));
    else
      elements.push_back(IntegerAttr::get(
          tensor.element,
          llvm::APInt(elementWidth(tensor.element), elementBits(tensor, i))));
  return DenseElementsAttr::get(type, elements);
}

ElementsAttr GraphGrower::randomAttribute(Type element,
                                          const GrownShape &shape) {
  return asAttribute(randomTensor(random, element, extentsOf(shape), -2, 2));
}

Grown GraphGrower::fresh(Type element, const GrownShape &shape, double low,
                         double high) {
  Grown model{nullptr, shape};
  bool open = !model.isStatic();
  if (!open && random.oneIn(3))
    return weight(element, shape, low, high);
  if (open || model.count() > 64 || inputs.size() < 2 || random.oneIn(2)) {
    // The type of an argument may have only named extents as dynamic ones.
    if (llvm::all_of(shape, [&](GrownDim dim) {
          return dim.symbol <= int(named.size());
        }))
      return input(element, shape, low, high);
    GrownShape closed = shape;
    for (GrownDim &dim : closed)
      dim.symbol = 0;
    return input(element, closed, low, high);
  }
  HostTensor tensor =
      randomTensor(random, element, extentsOf(shape), low, high);
  return {make<ConstantOp>(asAttribute(tensor)), shape,
          std::max(std::abs(low), std::abs(high)), true, true};
}

Grown GraphGrower::factor(Type element, const GrownShape &shape) {
  return options.wideWeights && Grown{nullptr, shape}.isStatic()
             ? weight(element, shape, -1, 1)
             : fresh(element, shape, -1, 1);
}

Value GraphGrower::broadcastTo(Value value, ArrayRef<int64_t> dims,
                               const Grown &model) {
  Mixed mixed = split(sizes(model));
  Type element = getElementTypeOrSelf(value.getType());
  return make<BroadcastInDimOp>(type(model.shape, element), value, dims,
                                mixed.values, mixed.list);
}

Value GraphGrower::splat(const Grown &model, double number) {
  HostTensor scalar = HostTensor::zeros(model.element(), {});
  if (scalar.isFloat())
    scalar.floats[0] = roundToElement(scalar.element, number);
  else
    scalar.ints[0] = wrapToElement(scalar.element, int64_t(number));
  return broadcastTo(make<ConstantOp>(asAttribute(scalar)), {}, model);
}

Grown GraphGrower::scaledTo(const Grown &x, double bound) {
  if (x.bound <= bound)
    return x;
  Value scaled = make<MultiplyOp>(x.value, splat(x, bound / x.bound));
  return {scaled, x.shape, bound * 1.01, false, true};
}

Value GraphGrower::above(const Grown &x, double least) {
  return make<AddOp>(make<AbsOp>(x.value), splat(x, least));
}

void GraphGrower::step() {
  using Step = bool (GraphGrower::*)();
  // A step's entries in this list give its probability.
  static constexpr Step steps[] = {
      &GraphGrower::unaryFloat,    &GraphGrower::unaryFloat,
      &GraphGrower::guardedFloat,  &GraphGrower::guardedFloat,
      &GraphGrower::binaryFloat,   &GraphGrower::binaryFloat,
      &GraphGrower::binaryFloat,   &GraphGrower::stepOnExact,
      &GraphGrower::integer,       &GraphGrower::integer,
      &GraphGrower::compareSelect, &GraphGrower::convert,
      &GraphGrower::reshapeLike,   &GraphGrower::permute,
      &GraphGrower::cut,           &GraphGrower::cut,
      &GraphGrower::cutByNumbers,  &GraphGrower::join,
      &GraphGrower::broadcast,     &GraphGrower::reduction,
      &GraphGrower::reduction,     &GraphGrower::prefixOrWindow,
      &GraphGrower::contraction,   &GraphGrower::contraction,
      &GraphGrower::convolution,   &GraphGrower::gather,
      &GraphGrower::scatter,       &GraphGrower::updateSlice,
      &GraphGrower::order,         &GraphGrower::nonzero,
      &GraphGrower::composite,     &GraphGrower::composite,
      &GraphGrower::attention,     &GraphGrower::suppression,
      &GraphGrower::branch,        &GraphGrower::loop,
      &GraphGrower::growingLoop};
  // Outside the list, so that graphs without states stay those of their seeds.
  if (options.states && random.oneIn(4) && updateState())
    return;
  // A step without suitable operand is drawn again; float steps always find
  // one.
  for (int tries = 0; tries < 20; ++tries)
    if ((this->*steps[random.below(std::size(steps))])())
      return;
}

RandomGraph GraphGrower::grow() {
  for (int i = 0, n = 1 + int(random.below(3)); i < n; ++i) {
    Grown x = input(i == 0 || !random.oneIn(3) ? randomFloat() : randomInt(),
                    randomShape(), -2, 2);
    x.used = false;
    pool.push_back(x);
  }
  // The compiler evaluates ops on weights only, so sometimes make such ops.
  if (random.oneIn(2)) {
    GrownShape shape = randomShape();
    for (GrownDim &dim : shape)
      dim.symbol = 0;
    pool.push_back(weight(randomFloat(), shape, -2, 2));
    pool.back().used = false;
  }
  for (int i = 0; i < options.steps; ++i)
    step();

  RandomGraph graph;
  llvm::SmallVector<Value> outputs;
  for (const Grown &member : llvm::reverse(pool))
    if ((!member.used || random.oneIn(8)) && outputs.size() < 6)
      outputs.push_back(member.value);
  func::ReturnOp::create(builder, builder.getUnknownLoc(), outputs);
  Block &entry = function.getBody().front();
  function.setFunctionType(
      builder.getFunctionType(entry.getArgumentTypes(), ValueRange(outputs)));
  for (auto [i, shape] : llvm::enumerate(inputShapes)) {
    llvm::SmallVector<Attribute> dims;
    for (GrownDim dim : shape)
      dims.push_back(
          dim.symbol ? Attribute(builder.getStringAttr("d" + Twine(dim.symbol)))
                     : Attribute(builder.getI64IntegerAttr(dim.size)));
    annotation::name.set(function, i, builder.getStringAttr("x" + Twine(i)));
    annotation::dims.set(function, i,
                         cast<DimsAttr>(builder.getArrayAttr(dims)));
  }
  for (size_t i = 0; i < outputs.size(); ++i)
    annotation::name.setResult(function, i,
                               builder.getStringAttr("y" + Twine(i)));
  graph.module = std::move(module);
  graph.inputs = std::move(inputs);
  graph.weights = std::move(weights);
  if (options.states)
    graph.runs = 3;
  graph.contextExtents = std::move(contextExtents);
  return graph;
}

} // namespace tenon
