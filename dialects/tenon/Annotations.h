// The attributes that importers and passes leave on modules, functions,
// arguments and ops for later passes. No other file spells their names.
// Annotations.td has their meanings, writers and readers. The dialect verifies
// them all and refuses a `tenon.` attribute that is not here.
#ifndef TENON_DIALECTS_TENON_ANNOTATIONS_H
#define TENON_DIALECTS_TENON_ANNOTATIONS_H

#include "dialects/tenon/Machine.h"
#include "dialects/tenon/TenonDialect.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tenon {

/// A count: an i64 that is not negative.
class CountAttr : public mlir::IntegerAttr {
public:
  using IntegerAttr::IntegerAttr;
  static bool classof(mlir::Attribute attr);
  static CountAttr get(mlir::MLIRContext *context, int64_t value);
};

/// An array whose entries are all of one kind.
template <typename EntryT> class ArrayOf : public mlir::ArrayAttr {
public:
  using ArrayAttr::ArrayAttr;
  static bool classof(mlir::Attribute attr) {
    auto entries = llvm::dyn_cast<mlir::ArrayAttr>(attr);
    return entries && llvm::all_of(entries, llvm::IsaPred<EntryT>);
  }
  auto entries() const { return getAsRange<EntryT>(); }
};

/// The sizes that an extent may have, `array<i64: least, most, multiple>`.
class DimRangeAttr : public mlir::DenseI64ArrayAttr {
public:
  using DenseArrayAttrImpl::DenseArrayAttrImpl;
  static bool classof(mlir::Attribute attr);
  static DimRangeAttr get(mlir::MLIRContext *context, int64_t least,
                          int64_t most, int64_t multiple);

  int64_t getLeast() const { return asArrayRef()[0]; }
  int64_t getMost() const { return asArrayRef()[1]; }
  int64_t getMultiple() const { return asArrayRef()[2]; }
};

/// The bounds of an input's elements: an array of two numbers of its type.
class InputRangeAttr : public mlir::DenseArrayAttr {
public:
  using DenseArrayAttr::DenseArrayAttr;
  static bool classof(mlir::Attribute attr);

  /// The bounds of integers; both are zero if elements are floats.
  std::pair<int64_t, int64_t> integers() const;
  /// The bounds of floats; both are zero if elements are integers.
  std::pair<double, double> floats() const;
};

/// One launch, `[@kernel, loc(...)]`: the kernel that it calls, and the model
/// nodes that the kernel computes.
class LaunchRowAttr : public mlir::ArrayAttr {
public:
  using ArrayAttr::ArrayAttr;
  static bool classof(mlir::Attribute attr);
  static LaunchRowAttr get(mlir::FlatSymbolRefAttr kernel,
                           mlir::LocationAttr nodes);

  mlir::FlatSymbolRefAttr getKernel() const;
  mlir::LocationAttr getNodes() const;
};

/// The allowed sizes of named extents: a dictionary from names to ranges.
class DimRangesAttr : public mlir::DictionaryAttr {
public:
  using DictionaryAttr::DictionaryAttr;
  static bool classof(mlir::Attribute attr);
  /// The range of one name; null if it has none.
  DimRangeAttr rangeOf(llvm::StringRef name) const {
    return getAs<DimRangeAttr>(name);
  }
};

/// The kinds of place that an annotation may be on.
enum class Place {
  Module,
  Function,
  Argument,
  ArgumentOrResult,
  Op,
  Launch,
  Fusion
};

/// An annotation of an op.
template <Place where, typename AttrT> struct OpAnnotation {
  using Kind = AttrT;
  static constexpr Place place = where;
  llvm::StringLiteral key;

  /// The attribute, or null.
  AttrT of(mlir::Operation *op) const { return op->getAttrOfType<AttrT>(key); }
  bool isOn(mlir::Operation *op) const { return bool(of(op)); }
  void set(mlir::Operation *op, AttrT attr) const { op->setAttr(key, attr); }
  void setCount(mlir::Operation *op, int64_t count) const
    requires std::same_as<AttrT, CountAttr>
  {
    set(op, CountAttr::get(op->getContext(), count));
  }
  void removeFrom(mlir::Operation *op) const { op->removeAttr(key); }
};

/// An annotation of a function's arguments, and perhaps of its results.
template <Place where, typename AttrT> struct ValueAnnotation {
  using Kind = AttrT;
  static constexpr Place place = where;
  llvm::StringLiteral key;

  /// The attribute of argument `number`, or null.
  AttrT of(mlir::FunctionOpInterface func, unsigned number) const {
    return func.getArgAttrOfType<AttrT>(number, key);
  }
  bool isOn(mlir::FunctionOpInterface func, unsigned number) const {
    return bool(of(func, number));
  }
  void set(mlir::FunctionOpInterface func, unsigned number, AttrT attr) const {
    func.setArgAttr(number, key, attr);
  }
  /// The attribute of result `number`, or null.
  AttrT ofResult(mlir::FunctionOpInterface func, unsigned number) const
    requires(where == Place::ArgumentOrResult)
  {
    return llvm::dyn_cast_or_null<AttrT>(func.getResultAttr(number, key));
  }
  void setResult(mlir::FunctionOpInterface func, unsigned number,
                 AttrT attr) const
    requires(where == Place::ArgumentOrResult)
  {
    func.setResultAttr(number, key, attr);
  }
};

namespace annotation {

template <typename AttrT> using OfModule = OpAnnotation<Place::Module, AttrT>;
template <typename AttrT>
using OfFunction = OpAnnotation<Place::Function, AttrT>;
template <typename AttrT>
using OfArgument = ValueAnnotation<Place::Argument, AttrT>;
template <typename AttrT>
using OfArgumentOrResult = ValueAnnotation<Place::ArgumentOrResult, AttrT>;
template <typename AttrT> using OfOp = OpAnnotation<Place::Op, AttrT>;
template <typename AttrT> using OfLaunch = OpAnnotation<Place::Launch, AttrT>;
template <typename AttrT> using OfFusion = OpAnnotation<Place::Fusion, AttrT>;

inline constexpr OfArgumentOrResult<mlir::StringAttr> name{"tenon.name"};
inline constexpr OfArgument<DimsAttr> dims{"tenon.dims"};
inline constexpr OfArgument<mlir::DenseElementsAttr> defaultValue{
    "tenon.default_value"};
inline constexpr OfArgument<InputRangeAttr> inputRange{"tenon.input_range"};
inline constexpr OfModule<DimRangesAttr> ranges{"tenon.ranges"};
inline constexpr OfModule<mlir::StringAttr> producer{"tenon.producer"};
inline constexpr OfModule<mlir::StringAttr> source{"tenon.source"};
inline constexpr OfModule<MachineAttr> machine{"tenon.machine"};
inline constexpr OfModule<DimSizesAttr> pad{"tenon.pad"};
inline constexpr OfModule<ArrayOf<DimSizesAttr>> specialize{"tenon.specialize"};
inline constexpr OfFunction<VariantAttr> variant{"tenon.variant"};
inline constexpr OfOp<CountAttr> group{"tenon.group"};
inline constexpr OfFusion<mlir::UnitAttr> onDevice{"tenon.on_device"};
inline constexpr OfFusion<mlir::Attribute> plan{"tenon.plan"};
inline constexpr OfFunction<CountAttr> numInputs{"tenon.num_inputs"};
inline constexpr OfFunction<CountAttr> numOutputs{"tenon.num_outputs"};
inline constexpr OfFunction<CountAttr> arenaBytes{"tenon.arena_bytes"};
inline constexpr OfFunction<CountAttr> threads{"tenon.threads"};
inline constexpr OfFunction<mlir::UnitAttr> keepsRegisters{
    "tenon.keeps_registers"};
inline constexpr OfFunction<mlir::UnitAttr> usesState{"tenon.uses_state"};
inline constexpr OfArgument<mlir::UnitAttr> output{"tenon.output"};
inline constexpr OfArgument<mlir::UnitAttr> bounded{"tenon.bounded"};
inline constexpr OfModule<CountAttr> weightBytes{"tenon.weight_bytes"};
inline constexpr OfModule<CountAttr> stateBytes{"tenon.state_bytes"};
inline constexpr OfLaunch<CountAttr> launchNumber{"tenon.launch_number"};
inline constexpr OfModule<ArrayOf<LaunchRowAttr>> launches{"tenon.launches"};
inline constexpr OfModule<ArrayOf<mlir::StringAttr>> sites{"tenon.sites"};

/// True if a module at phase `imported` may have the annotation `key`. Texts
/// that are compiled may have no others.
bool isOfImported(llvm::StringRef key);

} // namespace annotation

} // namespace tenon

#endif // TENON_DIALECTS_TENON_ANNOTATIONS_H
