// Reads the facts from the signatures of the graph functions. Weights are
// cloned into a module of their own, because the following passes erase them.
#include "compiler/artifact/ModelFacts.h"

#include "dialects/tenon/Annotations.h"
#include "dialects/tenon/Device.h"
#include "dialects/tenon/State.h"
#include "runtime/xxh64.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <cstring>
#include <fstream>

using namespace mlir;

namespace tenon {

int64_t elementBytes(int32_t dtype) {
  switch (dtype) {
  case TENON_F64:
  case TENON_I64:
  case TENON_U64:
    return 8;
  case TENON_F32:
  case TENON_I32:
  case TENON_U32:
    return 4;
  case TENON_F16:
  case TENON_BF16:
  case TENON_I16:
  case TENON_U16:
    return 2;
  default:
    return 1;
  }
}

int32_t dtypeOf(Type type) {
  if (type.isF32())
    return TENON_F32;
  if (type.isF64())
    return TENON_F64;
  if (type.isF16())
    return TENON_F16;
  if (type.isBF16())
    return TENON_BF16;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return 0;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return TENON_BOOL;
  case 8:
    return isUnsigned ? TENON_U8 : TENON_I8;
  case 16:
    return isUnsigned ? TENON_U16 : TENON_I16;
  case 32:
    return isUnsigned ? TENON_U32 : TENON_I32;
  case 64:
    return isUnsigned ? TENON_U64 : TENON_I64;
  default:
    return 0;
  }
}

void writeElements(DenseElementsAttr value, char *to) {
  int64_t bytes = elementBytes(dtypeOf(value.getElementType()));
  auto put = [&](const llvm::APInt &bits) {
    uint64_t word = bits.getZExtValue();
    std::memcpy(to, &word, bytes);
    to += bytes;
  };
  if (isa<FloatType>(value.getElementType()))
    for (const llvm::APFloat &number : value.getValues<llvm::APFloat>())
      put(number.bitcastToAPInt());
  else
    for (const llvm::APInt &number : value.getValues<llvm::APInt>())
      put(number);
}

int64_t TensorFacts::elements() const {
  int64_t count = 1;
  for (const DimFacts &dim : dims)
    if (dim.size < 0 || __builtin_mul_overflow(count, dim.size, &count))
      return -1;
  return bounded ? -1 : count;
}

int64_t TensorFacts::bytes() const {
  int64_t count = elements(), total = 0;
  if (count < 0 || __builtin_mul_overflow(count, elementBytes(dtype), &total))
    return -1;
  return total;
}

std::string VariantFacts::name() const {
  std::string text;
  for (const auto &[dim, size] : sizes)
    text += (text.empty() ? "" : ",") + dim + "=" + std::to_string(size);
  return text;
}

int64_t StateFacts::bytes() const {
  int64_t total = elementBytes(dtype);
  for (int64_t dim : dims)
    total *= std::max<int64_t>(dim, 0);
  return total;
}

namespace {
std::optional<BoundFacts> boundsOf(InputRangeAttr range) {
  if (!range)
    return std::nullopt;
  BoundFacts bounds;
  if (isa<IntegerType>(range.getElementType())) {
    std::tie(bounds.least.integer, bounds.greatest.integer) = range.integers();
  } else {
    std::tie(bounds.least.real, bounds.greatest.real) = range.floats();
  }
  return bounds;
}

TensorFacts tensorFacts(func::FuncOp func, unsigned argument,
                        DimRangesAttr ranges, StringRef spare) {
  auto type = cast<MemRefType>(func.getArgumentTypes()[argument]);
  TensorFacts facts;
  StringAttr name = annotation::name.of(func, argument);
  facts.name = name ? name.str() : spare.str();
  facts.dtype = dtypeOf(type.getElementType());
  facts.bounded = annotation::bounded.isOn(func, argument);
  DimsAttr dims = annotation::dims.of(func, argument);
  for (int64_t d = 0; d < type.getRank(); ++d) {
    DimFacts dim;
    if (StringAttr named = dims ? dims.nameOf(d) : StringAttr())
      dim.name = named.str();
    if (!type.isDynamicDim(d)) {
      dim.size = dim.min = dim.max = type.getDimSize(d);
      facts.dims.push_back(dim);
      continue;
    }
    if (DimRangeAttr range =
            ranges ? ranges.rangeOf(dim.name) : DimRangeAttr()) {
      dim.min = range.getLeast();
      dim.max = range.getMost();
      dim.multiple = range.getMultiple();
    }
    facts.dims.push_back(dim);
  }
  if (DenseElementsAttr value = annotation::defaultValue.of(func, argument)) {
    facts.defaultValue.emplace();
    facts.defaultValue->dims = value.getType().getShape().vec();
    facts.defaultValue->bytes.resize(value.getNumElements() *
                                     elementBytes(facts.dtype));
    writeElements(value, facts.defaultValue->bytes.data());
  }
  facts.bounds = boundsOf(annotation::inputRange.of(func, argument));
  return facts;
}

/// Gives an output extent the name and range of the input extent that it
/// always equals. The plan shows which: it stores the extents in order.
void nameOutputDims(FunctionFacts &facts, func::FuncOp plan) {
  if (!plan || plan.isExternal())
    return;
  // The plan's last arguments are the inputs and the buffer for extents.
  size_t count = plan.getNumArguments();
  if (count < facts.inputs.size() + 1)
    return;
  size_t first = count - 1 - facts.inputs.size();
  SmallVector<DimFacts *> slots;
  for (TensorFacts &output : facts.outputs)
    for (DimFacts &dim : output.dims)
      slots.push_back(&dim);
  plan.walk([&](memref::StoreOp store) {
    auto dim = store.getValue().getDefiningOp<memref::DimOp>();
    if (auto cast = store.getValue().getDefiningOp<arith::IndexCastOp>())
      dim = cast.getIn().getDefiningOp<memref::DimOp>();
    if (!dim || store.getIndices().size() != 1)
      return;
    auto slot = getConstantIntValue(store.getIndices()[0]);
    auto number = dim.getConstantIndex();
    auto input = dyn_cast<BlockArgument>(dim.getSource());
    if (!slot || !number || !input || *slot >= int64_t(slots.size()) ||
        input.getArgNumber() < first ||
        input.getArgNumber() >= first + facts.inputs.size())
      return;
    const DimFacts &from =
        facts.inputs[input.getArgNumber() - first].dims[*number];
    DimFacts &to = *slots[*slot];
    if (to.size < 0 && to.name.empty())
      to = from;
  });
}

/// Adds a variant to the facts of its function.
void addVariant(FunctionFacts &facts, func::FuncOp variant) {
  VariantAttr which = annotation::variant.of(variant);
  size_t number = which.getNumber();
  facts.variants.resize(std::max(facts.variants.size(), number));
  for (auto [name, size] : which.getSizes().entries())
    facts.variants[number - 1].sizes.emplace_back(name.str(), size);
  CountAttr arena = annotation::arenaBytes.of(variant);
  if (facts.arenaBytes >= 0)
    facts.arenaBytes = arena ? std::max(facts.arenaBytes, arena.getInt()) : -1;
}

FunctionFacts functionFacts(func::FuncOp func) {
  auto module = func->getParentOfType<ModuleOp>();
  DimRangesAttr ranges = annotation::ranges.of(module);
  FunctionFacts facts;
  facts.name = func.getName().str();
  int64_t inputs = annotation::numInputs.of(func).getInt();
  int64_t outputs = annotation::numOutputs.of(func).getInt();
  for (int64_t i = 0; i < inputs; ++i)
    facts.inputs.push_back(tensorFacts(func, unsigned(1 + i), ranges,
                                       "input" + std::to_string(i)));
  for (int64_t i = 0; i < outputs; ++i)
    facts.outputs.push_back(tensorFacts(func, unsigned(1 + inputs + i), ranges,
                                        "output" + std::to_string(i)));
  if (CountAttr arena = annotation::arenaBytes.of(func))
    facts.arenaBytes = arena.getInt();
  facts.usesState = annotation::usesState.isOn(func);
  auto plan = module.lookupSymbol<func::FuncOp>(facts.name + ".plan");
  for (func::FuncOp part : {func, plan})
    if (part)
      part.walk([&](Operation *op) {
        facts.usesExtents |= isa<GetExtentOp, StateOffsetOp>(op);
      });
  nameOutputDims(facts, plan);
  return facts;
}

StateFacts stateFacts(StateOp state) {
  auto type = cast<RankedTensorType>(state.getType());
  StateFacts facts;
  facts.name = state.getSymName().str();
  facts.dtype = dtypeOf(type.getElementType());
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (!type.isDynamicDim(d)) {
      facts.dims.push_back(type.getDimSize(d));
      continue;
    }
    auto extent = SymbolTable::lookupNearestSymbolFrom<ContextExtentOp>(
        state, state.extentOf(d));
    facts.dims.push_back(-1 - *extent.getNumber());
  }
  facts.offset = state.getOffset().value_or(-1);
  if (auto initial = state.getInitialAttr())
    facts.initial =
        *SymbolTable::lookupNearestSymbolFrom<WeightOp>(state, initial)
             .getOffset();
  return facts;
}
} // namespace

/// The XXH64 of a file, read through a small buffer; false if it cannot be
/// read. That is no error: the hash only informs people.
static bool hashFile(const std::string &path, uint64_t &hash) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> buffer(1 << 16);
  tenon_xxh64 state;
  tenon_xxh64_begin(&state, 0);
  while (file) {
    file.read(buffer.data(), buffer.size());
    tenon_xxh64_add(&state, buffer.data(), file.gcount());
  }
  hash = file.eof() ? tenon_xxh64_end(&state) : 0;
  return file.eof();
}

ModelFacts collectFacts(ModuleOp placed, const CompileOptions &options,
                        const std::string &model) {
  ModelFacts facts;
  for (auto func : placed.getOps<func::FuncOp>())
    if (annotation::numInputs.isOn(func) && !annotation::variant.isOn(func))
      facts.functions.push_back(functionFacts(func));
  for (auto func : placed.getOps<func::FuncOp>())
    if (VariantAttr variant = annotation::variant.of(func))
      for (FunctionFacts &function : facts.functions)
        if (function.name == variant.getOf().getValue())
          addVariant(function, func);
  if (CountAttr bytes = annotation::weightBytes.of(placed))
    facts.weightBytes = bytes.getInt();
  if (CountAttr bytes = annotation::stateBytes.of(placed))
    facts.stateBytes = bytes.getInt();
  SmallVector<StateOp> states(placed.getOps<StateOp>());
  llvm::sort(states, [](StateOp a, StateOp b) {
    return *a.getNumber() < *b.getNumber();
  });
  for (StateOp state : states)
    facts.states.push_back(stateFacts(state));
  for (auto extent : placed.getOps<ContextExtentOp>())
    facts.contextExtents.push_back(
        {extent.getSymName().str(), int64_t(extent.getLeast()),
         int64_t(extent.getMost()), int64_t(extent.getInitial())});
  facts.weights = ModuleOp::create(placed.getLoc());
  OpBuilder builder(facts.weights->getBodyRegion());
  for (auto weight : placed.getOps<WeightOp>())
    builder.clone(*weight.getOperation());

  facts.source =
      llvm::sys::path::filename(StringRef(options.input).rtrim('/')).str();
  if (hashFile(model, facts.sourceHash))
    facts.source +=
        llvm::formatv(" xxh64 {0}", llvm::utohexstr(facts.sourceHash,
                                                    /*LowerCase=*/true, 16));
  return facts;
}

void noteDevice(ModuleOp version, ModelFacts &facts) {
  auto note = [&](StringRef function, int64_t input) {
    for (FunctionFacts &each : facts.functions)
      if (each.name == function)
        each.inputs[input].isReadByHost = true;
  };
  for (auto func : version.getOps<func::FuncOp>()) {
    // A plan is named after its function, which may be a variant.
    StringRef own = func.getName();
    bool isPlan = own.consume_back(".plan");
    auto planned = version.lookupSymbol<func::FuncOp>(own);
    auto variant = planned ? annotation::variant.of(planned) : nullptr;
    StringRef name = variant ? variant.getOf().getValue() : own;
    // The device's arena has room for constants too.
    if (CountAttr arena = annotation::arenaBytes.of(func))
      for (FunctionFacts &each : facts.functions)
        if (each.name == name && each.arenaBytes >= 0)
          each.arenaBytes = std::max(each.arenaBytes, arena.getInt());
    func.walk([&](HostMemoryOp op) {
      int64_t number = 0;
      if (memoryRootOf(op.getMemory(), &number) == MemoryRoot::Input)
        note(name, number);
    });
    // A plan takes the call, the inputs and the outputs' extents.
    if (!isPlan)
      continue;
    for (BlockArgument input : func.getArguments().drop_front().drop_back())
      if (!llvm::all_of(input.getUsers(), llvm::IsaPred<memref::DimOp>))
        note(name, input.getArgNumber() - 1);
  }
}

std::string symbolStem(const CompileOptions &options) {
  StringRef name = options.name;
  if (name.empty())
    name = llvm::sys::path::stem(StringRef(options.input).rtrim('/'));
  std::string stem;
  for (char c : name.take_front(255))
    stem += llvm::isAlnum(c) ? c : '_';
  if (stem.empty() || llvm::isDigit(stem[0]))
    stem = "_" + stem;
  return stem;
}

} // namespace tenon
