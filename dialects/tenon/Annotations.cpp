// Verifies every attribute of the dialect: its place, its kind, and that it
// agrees with the function or argument that has it.
#include "dialects/tenon/Annotations.h"

#include "dialects/tenon/Device.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"

using namespace mlir;

namespace tenon {

CountAttr CountAttr::get(MLIRContext *context, int64_t value) {
  return cast<CountAttr>(
      IntegerAttr::get(IntegerType::get(context, 64), value));
}

bool CountAttr::classof(Attribute attr) {
  auto number = dyn_cast<IntegerAttr>(attr);
  return number && number.getType().isSignlessInteger(64) &&
         number.getInt() >= 0;
}

bool DimRangesAttr::classof(Attribute attr) {
  auto ranges = dyn_cast<DictionaryAttr>(attr);
  return ranges && llvm::all_of(ranges, [](NamedAttribute range) {
           return isa<DimRangeAttr>(range.getValue());
         });
}

bool DimRangeAttr::classof(Attribute attr) {
  auto range = dyn_cast<DenseI64ArrayAttr>(attr);
  return range && range.size() == 3 && range[0] >= 0 && range[1] >= range[0] &&
         range[2] >= 1;
}

DimRangeAttr DimRangeAttr::get(MLIRContext *context, int64_t least,
                               int64_t most, int64_t multiple) {
  return cast<DimRangeAttr>(
      Attribute(DenseI64ArrayAttr::get(context, {least, most, multiple})));
}

bool InputRangeAttr::classof(Attribute attr) {
  if (auto integers = dyn_cast<DenseI64ArrayAttr>(attr))
    return integers.size() == 2 && integers[0] <= integers[1];
  if (auto floats = dyn_cast<DenseF32ArrayAttr>(attr))
    return floats.size() == 2 && floats[0] <= floats[1];
  auto doubles = dyn_cast<DenseF64ArrayAttr>(attr);
  return doubles && doubles.size() == 2 && doubles[0] <= doubles[1];
}

std::pair<int64_t, int64_t> InputRangeAttr::integers() const {
  auto bounds = dyn_cast<DenseI64ArrayAttr>(Attribute(*this));
  return bounds ? std::pair(bounds[0], bounds[1])
                : std::pair<int64_t, int64_t>();
}

std::pair<double, double> InputRangeAttr::floats() const {
  if (auto floats = dyn_cast<DenseF32ArrayAttr>(Attribute(*this)))
    return {floats[0], floats[1]};
  auto doubles = dyn_cast<DenseF64ArrayAttr>(Attribute(*this));
  return doubles ? std::pair(doubles[0], doubles[1])
                 : std::pair<double, double>();
}

bool LaunchRowAttr::classof(Attribute attr) {
  auto row = dyn_cast<ArrayAttr>(attr);
  return row && row.size() == 2 && isa<FlatSymbolRefAttr>(row[0]) &&
         isa<LocationAttr>(row[1]);
}

LaunchRowAttr LaunchRowAttr::get(FlatSymbolRefAttr kernel, LocationAttr nodes) {
  return cast<LaunchRowAttr>(
      ArrayAttr::get(kernel.getContext(), {kernel, nodes}));
}

FlatSymbolRefAttr LaunchRowAttr::getKernel() const {
  return cast<FlatSymbolRefAttr>(getValue()[0]);
}

LocationAttr LaunchRowAttr::getNodes() const {
  return cast<LocationAttr>(getValue()[1]);
}

LogicalResult
VariantAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                    int64_t number, FlatSymbolRefAttr, DimSizesAttr sizes) {
  if (number < 1 || number > INT32_MAX || sizes.empty())
    return emitError()
           << "expected a positive number of 32 bits and a size, got number "
           << number << " and " << sizes.size() << " sizes";
  return success();
}

namespace {

//===-- Checks of single annotations ------------------------------------===//

LogicalResult verifyDims(FunctionOpInterface func, unsigned number) {
  DimsAttr dims = annotation::dims.of(func, number);
  auto type = dyn_cast<ShapedType>(func.getArgumentTypes()[number]);
  // dims C1
  if (!type || !type.hasRank() || type.getRank() != int64_t(dims.size()))
    return func.emitOpError("expected '")
           << annotation::dims.key << "' of argument " << number
           << " to have an entry for each extent of "
           << func.getArgumentTypes()[number] << " (C1), got " << dims;
  // dims C2
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (auto extent = dyn_cast<IntegerAttr>(dims[d]);
        extent && extent.getInt() != type.getDimSize(d))
      return func.emitOpError("expected '")
             << annotation::dims.key << "' of argument " << number
             << " to have the numbers of " << Type(type) << " (C2), got "
             << dims;
  return success();
}

/// The most bytes of a default: artifacts have no larger ones.
constexpr int64_t maxDefaultBytes = int64_t(1) << 20;

bool isInside(DenseElementsAttr value, InputRangeAttr range) {
  if (isa<IntegerType>(value.getElementType())) {
    auto [least, greatest] = range.integers();
    return llvm::all_of(value.getValues<APInt>(), [&](const APInt &element) {
      return element.sge(least) && element.sle(greatest);
    });
  }
  auto [least, greatest] = range.floats();
  return llvm::all_of(value.getValues<APFloat>(), [&](const APFloat &element) {
    return element.convertToDouble() >= least &&
           element.convertToDouble() <= greatest;
  });
}

LogicalResult verifyDefaultValue(FunctionOpInterface func, unsigned number) {
  DenseElementsAttr value = annotation::defaultValue.of(func, number);
  auto type = dyn_cast<ShapedType>(func.getArgumentTypes()[number]);
  // default_value C1
  if (!type || !type.hasRank() ||
      type.getElementType() != value.getElementType() ||
      failed(verifyCompatibleShape(type, value.getType())))
    return func.emitOpError("expected '")
           << annotation::defaultValue.key << "' of argument " << number
           << " to fit " << func.getArgumentTypes()[number] << " (C1), got "
           << value.getType();
  // default_value C2
  InputRangeAttr range = annotation::inputRange.of(func, number);
  if (range && type.getElementType() == range.getElementType() &&
      !isInside(value, range))
    return func.emitOpError("expected '")
           << annotation::defaultValue.key << "' of argument " << number
           << " to be inside '" << annotation::inputRange.key << "' (C2), got "
           << value;
  // default_value C3
  int64_t bytes =
      value.getNumElements() * ((type.getElementTypeBitWidth() + 7) / 8);
  if (bytes > maxDefaultBytes)
    return func.emitOpError("expected '")
           << annotation::defaultValue.key << "' of argument " << number
           << " to have at most " << maxDefaultBytes << " bytes (C3), got "
           << bytes;
  return success();
}

LogicalResult verifyInputRange(FunctionOpInterface func, unsigned number) {
  InputRangeAttr range = annotation::inputRange.of(func, number);
  auto type = dyn_cast<ShapedType>(func.getArgumentTypes()[number]);
  // input_range C1
  if (!type || type.getElementType() != range.getElementType())
    return func.emitOpError("expected '")
           << annotation::inputRange.key << "' of argument " << number
           << " to have the elements of " << func.getArgumentTypes()[number]
           << " (C1), got " << range;
  return success();
}

LogicalResult verifyOutput(FunctionOpInterface func, unsigned number) {
  // output C1
  if (!isa<MemRefType>(func.getArgumentTypes()[number]))
    return func.emitOpError("expected an output in memory (C1), got '")
           << annotation::output.key << "' on argument " << number
           << " of type " << func.getArgumentTypes()[number];
  return success();
}

LogicalResult verifyBounded(FunctionOpInterface func, unsigned number) {
  // bounded C1
  if (!annotation::output.isOn(func, number))
    return func.emitOpError("expected '")
           << annotation::output.key << "' where '" << annotation::bounded.key
           << "' is (C1), got argument " << number << " without it";
  return success();
}

LogicalResult verifyPad(Operation *op) {
  // pad C1
  for (auto [name, multiple] : annotation::pad.of(op).entries())
    if (multiple < 1)
      return op->emitOpError("expected positive multiples in '")
             << annotation::pad.key << "' (C1), got " << multiple << " of "
             << name;
  return success();
}

LogicalResult verifyGroup(Operation *op) {
  // group C1
  if (op->getNumResults() == 0 ||
      !llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return op->emitOpError("expected tensors as results where '")
           << annotation::group.key << "' is (C1)";
  return success();
}

/// True for a contiguous memref of rank 1, as entries make it from a pointer.
bool isRow(Type type, unsigned width) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.getRank() == 1 && memref.getLayout().isIdentity() &&
         memref.getElementType().isSignlessInteger(width);
}

/// True for a contiguous tensor in memory and for a number.
bool isPlaced(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref ? memref.getLayout().isIdentity() : type.isIntOrIndexOrFloat();
}

/// The function's type; null if it has none, which its own verifier reports
/// later.
FunctionType typeOf(Operation *op) {
  auto attr = op->getAttrOfType<TypeAttr>("function_type");
  return attr ? dyn_cast<FunctionType>(attr.getValue()) : FunctionType();
}

/// The arguments of a placed function: the call, inputs, outputs, arena,
/// weights, state and the extents of outputs.
LogicalResult verifySignature(Operation *op) {
  CountAttr inputs = annotation::numInputs.of(op),
            outputs = annotation::numOutputs.of(op);
  // num_inputs C1
  if (!inputs || !outputs)
    return op->emitOpError("expected both '")
           << annotation::numInputs.key << "' and '"
           << annotation::numOutputs.key << "' (C1)";
  FunctionType type = typeOf(op);
  if (!type)
    return success();
  ArrayRef<Type> types = type.getInputs();
  uint64_t tensors = uint64_t(inputs.getInt()) + uint64_t(outputs.getInt());
  // num_inputs C2
  if (types.size() < 5 || types.size() - 5 != tensors)
    return op->emitOpError("expected the call, ")
           << inputs.getInt() << " inputs, " << outputs.getInt()
           << " outputs, arena, weights, state and extents as arguments "
              "(C2), got "
           << types.size() << " arguments";
  ArrayRef<Type> blobs = types.drop_front(1 + tensors).drop_back();
  // num_inputs C3
  if (!isa<LLVM::LLVMPointerType>(types.front()) ||
      !llvm::all_of(types.slice(1 + inputs.getInt(), outputs.getInt()),
                    llvm::IsaPred<MemRefType>) ||
      !llvm::all_of(types.slice(1, tensors), isPlaced) ||
      !llvm::all_of(blobs, [](Type type) { return isRow(type, 8); }) ||
      !isRow(types.back(), 64))
    return op->emitOpError("expected a pointer, memrefs, three memref<?xi8> "
                           "and a memref<?xi64> as arguments (C3), got ")
           << types;
  return success();
}

LogicalResult verifyVariant(Operation *op) {
  VariantAttr variant = annotation::variant.of(op);
  auto general = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(
      op, variant.getOf());
  // variant C1
  if (!general || general == op)
    return op->emitOpError("expected a variant of another function (C1), got ")
           << variant.getOf();
  if (!typeOf(general))
    return success();
  unsigned arguments =
      general.getAllArgAttrs() ? general.getAllArgAttrs().size() : 0;
  // variant C2
  for (auto [name, size] : variant.getSizes().entries()) {
    bool isNamed = false;
    for (unsigned i = 0; i < arguments; ++i)
      if (DimsAttr dims = annotation::dims.of(general, i))
        isNamed |= llvm::is_contained(dims, Attribute(name));
    if (!isNamed)
      return op->emitOpError("expected an extent named ")
             << name << " in an input of " << variant.getOf() << " (C2)";
  }
  return success();
}

//===-- The table of annotations ----------------------------------------===//

template <typename AttrT> constexpr StringLiteral kindName = "";
template <> constexpr StringLiteral kindName<StringAttr> = "a string";
template <> constexpr StringLiteral kindName<UnitAttr> = "a unit attribute";
template <>
constexpr StringLiteral kindName<CountAttr> = "an i64 that is not negative";
template <>
constexpr StringLiteral kindName<DimsAttr> =
    "an array of names and i64 numbers, none negative";
template <>
constexpr StringLiteral kindName<DimSizesAttr> =
    "a dictionary of i64 numbers, none negative";
template <>
constexpr StringLiteral kindName<DimRangesAttr> =
    "a dictionary of array<i64: least, most, multiple> with 0 <= least <= "
    "most and 1 <= multiple";
template <>
constexpr StringLiteral kindName<DenseElementsAttr> = "a tensor of elements";
template <>
constexpr StringLiteral kindName<InputRangeAttr> =
    "an array of two i64, f32 or f64 numbers, the least first (C2)";
template <> constexpr StringLiteral kindName<VariantAttr> = "a #tenon.variant";
template <> constexpr StringLiteral kindName<MachineAttr> = "a #tenon.machine";
template <> constexpr StringLiteral kindName<Attribute> = "an attribute";
template <>
constexpr StringLiteral kindName<ArrayOf<DimSizesAttr>> =
    "an array of dictionaries of i64 numbers, none negative";
template <>
constexpr StringLiteral kindName<ArrayOf<LaunchRowAttr>> =
    "an array of [@kernel, location]";
template <>
constexpr StringLiteral kindName<ArrayOf<StringAttr>> = "an array of strings";

/// One annotation as the verifier sees it.
struct Declaration {
  StringLiteral key;
  Place place;
  StringLiteral kind;
  bool (*isKind)(Attribute);
  bool isOfImported = false;
  LogicalResult (*verifyOp)(Operation *) = nullptr;
  LogicalResult (*verifyArgument)(FunctionOpInterface, unsigned) = nullptr;
};

template <typename AnnotationT> Declaration declare(AnnotationT annotation) {
  using Kind = typename AnnotationT::Kind;
  return {annotation.key, AnnotationT::place, kindName<Kind>,
          [](Attribute attr) { return isa<Kind>(attr); }};
}

template <typename AnnotationT>
Declaration declare(AnnotationT annotation,
                    LogicalResult (*verify)(Operation *)) {
  Declaration made = declare(annotation);
  made.verifyOp = verify;
  return made;
}

template <typename AnnotationT>
Declaration declare(AnnotationT annotation,
                    LogicalResult (*verify)(FunctionOpInterface, unsigned)) {
  Declaration made = declare(annotation);
  made.verifyArgument = verify;
  return made;
}

Declaration ofImported(Declaration made) {
  made.isOfImported = true;
  return made;
}

ArrayRef<Declaration> declarations() {
  using namespace annotation;
  static const Declaration table[] = {
      ofImported(declare(name)), ofImported(declare(dims, verifyDims)),
      ofImported(declare(defaultValue, verifyDefaultValue)),
      ofImported(declare(inputRange, verifyInputRange)),
      ofImported(declare(ranges)), ofImported(declare(producer)),
      ofImported(declare(source)),
      // No importer writes it, but a text of a later phase has one.
      ofImported(declare(machine)), declare(onDevice), declare(plan),
      declare(pad, verifyPad), declare(specialize),
      declare(variant, verifyVariant), declare(group, verifyGroup),
      declare(numInputs, verifySignature), declare(numOutputs, verifySignature),
      declare(arenaBytes), declare(threads), declare(keepsRegisters),
      declare(usesState), declare(output, verifyOutput),
      declare(bounded, verifyBounded), declare(weightBytes),
      declare(stateBytes), declare(launchNumber), declare(launches),
      declare(sites)};
  return table;
}

const Declaration *find(StringRef key) {
  const Declaration *found =
      llvm::find_if(declarations(), [&](const Declaration &declaration) {
        return declaration.key == key;
      });
  return found == declarations().end() ? nullptr : found;
}

//===-- Places ----------------------------------------------------------===//

StringRef textOf(Place place) {
  switch (place) {
  case Place::Module:
    return "a module";
  case Place::Function:
    return "a function";
  case Place::Argument:
    return "an argument of a function";
  case Place::ArgumentOrResult:
    return "an argument or result of a function";
  case Place::Op:
    return "an op that computes tensors";
  case Place::Launch:
    return "a tenon.launch";
  case Place::Fusion:
    return "a tenon.fusion";
  }
  return "";
}

bool isPlace(Place place, Operation *op) {
  switch (place) {
  case Place::Module:
    return isa<ModuleOp>(op);
  case Place::Function:
    return isa<FunctionOpInterface>(op);
  case Place::Op:
    return true;
  case Place::Launch:
    return isa<LaunchOp, DeviceLaunchOp>(op);
  case Place::Fusion:
    return isa<FusionOp>(op);
  default:
    return false;
  }
}

/// Verifies the name, place and kind of an attribute on `value`, which is `op`
/// or one of its arguments or results. Null after an error.
const Declaration *verifyDeclared(Operation *op, NamedAttribute attr,
                                  llvm::function_ref<bool(Place)> fits,
                                  const Twine &value = "the op") {
  const Declaration *declaration = find(attr.getName());
  if (!declaration)
    op->emitOpError("has an unknown attribute '")
        << attr.getName().getValue() << "' on " << value;
  else if (!fits(declaration->place))
    op->emitOpError("expected '")
        << declaration->key << "' on " << textOf(declaration->place)
        << ", got it on " << value;
  else if (!declaration->isKind(attr.getValue()))
    op->emitOpError("expected '")
        << declaration->key << "' on " << value << " to be "
        << declaration->kind << ", got " << attr.getValue();
  else
    return declaration;
  return nullptr;
}
} // namespace

bool annotation::isOfImported(StringRef key) {
  const Declaration *declaration = find(key);
  return declaration && declaration->isOfImported;
}

LogicalResult TenonDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attr) {
  const Declaration *declaration =
      verifyDeclared(op, attr, [&](Place place) { return isPlace(place, op); });
  if (!declaration)
    return failure();
  return declaration->verifyOp ? declaration->verifyOp(op) : success();
}

LogicalResult TenonDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                     unsigned number,
                                                     NamedAttribute attr) {
  const Declaration *declaration = verifyDeclared(
      op, attr,
      [&](Place place) {
        return place == Place::Argument || place == Place::ArgumentOrResult;
      },
      "argument " + Twine(number));
  if (!declaration)
    return failure();
  auto func = dyn_cast<FunctionOpInterface>(op);
  return func && declaration->verifyArgument
             ? declaration->verifyArgument(func, number)
             : success();
}

LogicalResult TenonDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                        unsigned number,
                                                        NamedAttribute attr) {
  return success(verifyDeclared(
      op, attr, [&](Place place) { return place == Place::ArgumentOrResult; },
      "result " + Twine(number)));
}

} // namespace tenon
