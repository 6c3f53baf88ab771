// Evaluates a function op by op. The operands' values are looked up, the op's
// family computes the results, the results are checked against their types, and
// each value is kept until its last use.
#include "compiler/oracle/Oracle.h"

#include "compiler/oracle/ContextState.h"
#include "compiler/oracle/OpInstance.h"

#include "dialects/tenon/Quantization.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <memory>

using namespace mlir;
using llvm::Error;
using llvm::Expected;

namespace tenon {

char RangeFault::ID = 0;

void RangeFault::log(llvm::raw_ostream &out) const {
  out << site << ": found " << found << " outside [" << low << ", " << high
      << "]";
}

std::error_code RangeFault::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

namespace {

using TensorPtr = std::shared_ptr<const HostTensor>;
using Values = SmallVector<TensorPtr>;

class Evaluator {
public:
  Evaluator(const WeightLoader &loader, const OracleOptions &options,
            const OpObserver &observer, OracleState &state)
      : loader(loader), options(options), observer(observer), state(state) {}

  Expected<Values> callFunction(func::FuncOp function, Values arguments);

private:
  /// Runs a block; returns the values that its terminator passes on.
  Expected<Values> runBlock(Block &block, Values arguments);
  Expected<Values> runOp(Operation &op);
  Expected<Values> runStructured(Operation &op, bool &handled);
  Expected<Values> runIf(scf::IfOp op);
  Expected<Values> runFor(scf::ForOp op);
  Expected<Values> runWhile(scf::WhileOp op);
  Expected<Values> runIndexSwitch(scf::IndexSwitchOp op);
  Expected<Values> runFusion(FusionOp op);
  Expected<TensorPtr> weight(Operation *op, FlatSymbolRefAttr name);
  Expected<TensorPtr> readState(StateReadOp op);

  const HostTensor &at(Value value) { return *held.find(value)->second; }
  int64_t number(Value value) { return at(value).ints[0]; }
  Values valuesOf(ValueRange range) {
    Values values;
    for (Value value : range)
      values.push_back(held.find(value)->second);
    return values;
  }
  void hold(Value value, TensorPtr tensor);
  void release(Operation &op);
  Error failed(Operation *op, const Twine &text) {
    return OpInstance{op, {}, options}.error(text);
  }
  Error countIteration(Operation *op) {
    if (++iterations > options.maxIterations)
      return OpInstance{op, {}, options}.limit("expected at most " +
                                               Twine(options.maxIterations) +
                                               " iterations of loops");
    return Error::success();
  }

  const WeightLoader &loader;
  const OracleOptions &options;
  const OpObserver &observer;
  OracleState &state;
  llvm::DenseMap<Value, TensorPtr> held;
  llvm::DenseMap<Value, int64_t> usesLeft;
  llvm::DenseMap<Operation *, std::weak_ptr<const HostTensor>> weights;
  /// The functions and recipes that are currently being evaluated.
  llvm::SmallPtrSet<Operation *, 4> computing;
  int64_t iterations = 0;
};

/// Why the tensor does not have the type; empty if it does.
std::string mismatch(const HostTensor &tensor, Type type) {
  auto shaped = dyn_cast<RankedTensorType>(type);
  if (!shaped && !type.isIntOrIndexOrFloat())
    return "expected tensors and scalars, got a value of another type";
  Indices extents = shaped ? shaped.getShape() : Indices();
  bool fits = extents.size() == tensor.shape.size();
  for (size_t d = 0; fits && d < extents.size(); ++d)
    fits = ShapedType::isDynamic(extents[d]) || extents[d] == tensor.shape[d];
  if (fits && tensor.element == getElementTypeOrSelf(type))
    return "";
  std::string text;
  llvm::raw_string_ostream(text)
      << "expected a value of type " << type << ", got extents "
      << shapeText(tensor.shape) << " of " << tensor.element;
  return text;
}

void Evaluator::hold(Value value, TensorPtr tensor) {
  Block *block = value.getParentBlock();
  // A value that a nested region uses is kept until its block ends.
  bool local = llvm::all_of(value.getUsers(), [&](Operation *user) {
    return user->getBlock() == block;
  });
  int64_t uses = local ? std::distance(value.use_begin(), value.use_end()) : -1;
  usesLeft[value] = uses;
  held[value] = std::move(tensor);
}

/// Frees operands of which this op is the last use.
void Evaluator::release(Operation &op) {
  for (Value operand : op.getOperands()) {
    auto uses = usesLeft.find(operand);
    if (uses == usesLeft.end() || uses->second < 0 ||
        operand.getParentBlock() != op.getBlock())
      continue;
    if (--uses->second == 0) {
      held.erase(operand);
      usesLeft.erase(uses);
    }
  }
}

Expected<Values> Evaluator::runBlock(Block &block, Values arguments) {
  for (auto [argument, value] :
       llvm::zip_equal(block.getArguments(), arguments)) {
    std::string wrong = mismatch(*value, argument.getType());
    if (!wrong.empty())
      return failed(block.getParentOp(), wrong);
    hold(argument, value);
  }
  arguments.clear();
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      Values passed = valuesOf(op.getOperands());
      for (Operation &defined : block)
        for (Value result : defined.getResults())
          held.erase(result);
      for (Value argument : block.getArguments())
        held.erase(argument);
      return passed;
    }
    auto results = runOp(op);
    if (!results)
      return results.takeError();
    if (results->size() != op.getNumResults())
      return failed(&op, "expected " + Twine(op.getNumResults()) +
                             " results, got " + Twine(results->size()));
    SmallVector<const HostTensor *> seen;
    for (auto [value, tensor] : llvm::zip_equal(op.getResults(), *results)) {
      std::string wrong = mismatch(*tensor, value.getType());
      if (!wrong.empty())
        return failed(&op, wrong);
      seen.push_back(tensor.get());
    }
    if (observer)
      observer(&op, seen);
    release(op);
    for (auto [value, tensor] : llvm::zip_equal(op.getResults(), *results))
      if (!value.use_empty())
        hold(value, tensor);
  }
  return Values();
}

Expected<Values> Evaluator::callFunction(func::FuncOp function,
                                         Values arguments) {
  if (function.isExternal())
    return failed(function, "the function has no body");
  if (!function.getBody().hasOneBlock())
    return failed(function, "expected structured control flow");
  if (!computing.insert(function).second)
    return failed(function, "expected functions that do not call themselves");
  auto results = runBlock(function.getBody().front(), std::move(arguments));
  computing.erase(function);
  return results;
}

Expected<Values> Evaluator::runIf(scf::IfOp op) {
  Region &region =
      number(op.getCondition()) ? op.getThenRegion() : op.getElseRegion();
  return region.empty() ? Values() : runBlock(region.front(), {});
}

Expected<Values> Evaluator::runFor(scf::ForOp op) {
  int64_t low = number(op.getLowerBound()), high = number(op.getUpperBound());
  int64_t step = number(op.getStep());
  Type type = op.getInductionVar().getType();
  if (step <= 0)
    return failed(op, "expected a positive step, got " + Twine(step));
  Values carried = valuesOf(op.getInitArgs());
  for (int64_t i = low; i < high; i += step) {
    if (Error error = countIteration(op))
      return std::move(error);
    Values arguments = {
        std::make_shared<HostTensor>(HostTensor::scalar(type, i))};
    llvm::append_range(arguments, carried);
    auto results = runBlock(*op.getBody(), std::move(arguments));
    if (!results)
      return results.takeError();
    carried = std::move(*results);
    if (high - step < i)
      break; // the next step could overflow
  }
  return carried;
}

Expected<Values> Evaluator::runWhile(scf::WhileOp op) {
  Values carried = valuesOf(op.getInits());
  while (true) {
    if (Error error = countIteration(op))
      return std::move(error);
    // The terminator passes the condition, then the values the loop carries.
    auto before = runBlock(*op.getBeforeBody(), std::move(carried));
    if (!before)
      return before.takeError();
    bool goesOn = before->front()->ints[0];
    before->erase(before->begin());
    if (!goesOn)
      return before;
    auto after = runBlock(*op.getAfterBody(), std::move(*before));
    if (!after)
      return after.takeError();
    carried = std::move(*after);
  }
}

Expected<Values> Evaluator::runIndexSwitch(scf::IndexSwitchOp op) {
  int64_t chosen = number(op.getArg());
  for (auto [i, value] : llvm::enumerate(op.getCases()))
    if (value == chosen)
      return runBlock(op.getCaseBlock(i), {});
  return runBlock(op.getDefaultBlock(), {});
}

Expected<Values> Evaluator::runFusion(FusionOp op) {
  for (Value output : op.getOutputs())
    if (!isa<RankedTensorType>(output.getType()))
      return failed(op, "expected destinations that are tensors");
  SmallVector<SmallVector<int64_t>> extents;
  for (Value output : op.getOutputs())
    extents.push_back(at(output).shape);
  auto results = runBlock(op.getBlock(), valuesOf(op.getInputs()));
  if (!results)
    return results.takeError();
  for (auto [result, extent] : llvm::zip_equal(*results, extents))
    if (result->shape != extent)
      return failed(op, "expected a result of the destination's extents " +
                            shapeText(extent) + ", got " +
                            shapeText(result->shape));
  return results;
}

Expected<TensorPtr> Evaluator::weight(Operation *op, FlatSymbolRefAttr name) {
  auto weight = SymbolTable::lookupNearestSymbolFrom<WeightOp>(op, name);
  auto type = weight ? dyn_cast<RankedTensorType>(weight.getType())
                     : RankedTensorType();
  if (!type)
    return failed(op, "expected a tensor weight named " + name.getValue());
  if (TensorPtr known = weights.lookup(weight).lock())
    return known;
  TensorPtr value;
  if (!weight.getRecipe().empty()) {
    if (!computing.insert(weight).second)
      return failed(weight, "a recipe needs its own weight");
    auto results = runBlock(weight.getRecipe().front(), {});
    computing.erase(weight);
    if (!results)
      return results.takeError();
    if (results->size() != 1)
      return failed(weight, "expected a recipe that yields one value");
    value = results->front();
  } else {
    if (!loader)
      return failed(weight, "weights cannot be read here");
    WeightSourceAttr source = *weight.getSource();
    auto bytes = loader(source.getFile().getValue(), source.getOffset(),
                        source.getLength());
    if (!bytes)
      return failed(weight, llvm::toString(bytes.takeError()));
    auto tensor =
        HostTensor::fromBytes(type.getElementType(), type.getShape(), *bytes);
    if (!tensor)
      return failed(weight, llvm::toString(tensor.takeError()));
    value = std::make_shared<HostTensor>(std::move(*tensor));
  }
  weights[weight] = value;
  return value;
}

Expected<TensorPtr> Evaluator::readState(StateReadOp op) {
  auto known = state.find(op.getState().str());
  if (known != state.end())
    return std::make_shared<const HostTensor>(known->second);
  auto stated =
      SymbolTable::lookupNearestSymbolFrom<StateOp>(op, op.getStateAttr());
  if (!stated)
    return failed(op, "expected a state named " + op.getState());
  if (FlatSymbolRefAttr initial = stated.getInitialAttr())
    return weight(op, initial);
  auto tensor = firstValue(stated, options);
  if (!tensor)
    return failed(op, llvm::toString(tensor.takeError()));
  return std::make_shared<const HostTensor>(std::move(*tensor));
}

/// Runs an op that has regions or names symbols; `handled` is false if `op` is
/// none of these.
Expected<Values> Evaluator::runStructured(Operation &op, bool &handled) {
  using Result = Expected<Values>;
  return llvm::TypeSwitch<Operation *, Result>(&op)
      .Case([&](scf::IfOp op) { return runIf(op); })
      .Case([&](scf::ForOp op) { return runFor(op); })
      .Case([&](scf::WhileOp op) { return runWhile(op); })
      .Case([&](scf::IndexSwitchOp op) { return runIndexSwitch(op); })
      .Case([&](FusionOp op) { return runFusion(op); })
      .Case([&](func::CallOp call) -> Result {
        auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
            call, call.getCalleeAttr());
        if (!callee)
          return failed(call, "expected a function named " + call.getCallee());
        return callFunction(callee, valuesOf(call.getOperands()));
      })
      .Case([&](GetWeightOp op) -> Result {
        auto value = weight(op, op.getWeightAttr());
        if (!value)
          return value.takeError();
        return Values{*value};
      })
      .Case([&](StateReadOp op) -> Result {
        auto value = readState(op);
        if (!value)
          return value.takeError();
        return Values{*value};
      })
      .Case([&](StateWriteOp op) -> Result {
        if (Error error = writeState(op, at(op.getValue()), options, state))
          return failed(op, llvm::toString(std::move(error)));
        return Values();
      })
      .Case([&](GetExtentOp op) -> Result {
        auto size = contextExtent(op, op.getExtentAttr(), options);
        if (!size)
          return failed(op, llvm::toString(size.takeError()));
        return Values{std::make_shared<HostTensor>(
            HostTensor::scalar(op.getType(), *size))};
      })
      .Case([&](BoundOp op) -> Result {
        if (number(op.getValue()) > number(op.getBound()))
          return failed(op, "expected at most " + Twine(number(op.getBound())) +
                                ", got " + Twine(number(op.getValue())));
        return valuesOf(op.getValue());
      })
      .Case([&](CheckSizeOp op) -> Result {
        int64_t found = number(op.getFound()), low = number(op.getLow()),
                high = number(op.getHigh());
        if (found >= low && found <= high)
          return Values();
        return llvm::make_error<RangeFault>(op.getSite().str(), found, low,
                                            high);
      })
      .Case([&](FaultOp op) -> Result {
        return llvm::make_error<RangeFault>(
            op.getSite().str(), number(op.getFound()), number(op.getLow()),
            number(op.getHigh()));
      })
      .Default([&](Operation *) -> Result {
        handled = false;
        return Values();
      });
}

Expected<Values> Evaluator::runOp(Operation &op) {
  bool handled = true;
  auto structured = runStructured(op, handled);
  if (!structured || handled)
    return structured;
  Values operands = valuesOf(op.getOperands());
  SmallVector<const HostTensor *> in;
  for (const TensorPtr &operand : operands)
    in.push_back(operand.get());
  OpInstance instance{&op, in, options};
  auto family = [&]() -> Expected<HostTensors> {
    if (op.hasTrait<Elementwise>())
      return evaluateElementwise(instance);
    if (isa<DotGeneralOp, ConvolutionOp>(op))
      return evaluateContraction(instance);
    if (isa<ReduceOp, ArgReduceOp, CumulativeOp, ReduceWindowOp,
            ArgReduceWindowOp>(op))
      return evaluateReduction(instance);
    if (isa<GatherOp, ScatterOp, DynamicUpdateSliceOp, SortOp, TopKOp,
            NonzeroOp, NonMaxSuppressionOp>(op))
      return evaluateIndexing(instance);
    if (isa<GroupScalesOp, QuantizeOp, DequantizeOp>(op))
      return evaluateQuantization(instance);
    if (isa<CompositeOp>(op))
      return evaluateComposite(instance);
    if (isa<TenonDialect>(op.getDialect()))
      return evaluateMovement(instance);
    if (isa<arith::ArithDialect, tensor::TensorDialect>(op.getDialect()) ||
        isa<UnrealizedConversionCastOp>(op))
      return evaluateScalar(instance);
    return instance.error("the oracle does not know this op");
  };
  auto tensors = family();
  if (!tensors)
    return tensors.takeError();
  Values results;
  for (HostTensor &tensor : *tensors) {
    if (options.roundToType)
      for (double &element : tensor.floats)
        element = roundToElement(tensor.element, element);
    // Errors of scalars are tracked through selects only. A computed scalar has
    // an unbounded error.
    if (options.bounds && isa<arith::ArithDialect>(op.getDialect()) &&
        !isa<arith::ConstantOp, arith::SelectOp>(op))
      tensor.errors.assign(tensor.floats.size(),
                           std::numeric_limits<double>::infinity());
    results.push_back(std::make_shared<HostTensor>(std::move(tensor)));
  }
  return results;
}

} // namespace

Expected<std::vector<HostTensor>>
evaluate(func::FuncOp function, ArrayRef<HostTensor> inputs,
         const WeightLoader &weights, const OracleOptions &options,
         const OpObserver &observer, OracleState *state) {
  if (inputs.size() != function.getNumArguments())
    return llvm::createStringError("expected " +
                                   Twine(function.getNumArguments()) +
                                   " inputs, got " + Twine(inputs.size()));
  Values arguments;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    if (input.count() != checkedCount(input.shape))
      return llvm::createStringError("input " + Twine(i) +
                                     ": elements and extents disagree");
    std::string wrong = mismatch(input, function.getArgument(i).getType());
    if (!wrong.empty())
      return llvm::createStringError("input " + Twine(i) + ": " + wrong);
    HostTensor stored = input;
    for (double &element : stored.floats)
      element = roundToElement(stored.element, element);
    for (int64_t &element : stored.ints)
      element = wrapToElement(stored.element, element);
    arguments.push_back(std::make_shared<HostTensor>(std::move(stored)));
  }
  OracleState forgotten;
  Evaluator evaluator(weights, options, observer, state ? *state : forgotten);
  auto results = evaluator.callFunction(function, std::move(arguments));
  if (!results)
    return results.takeError();
  std::vector<HostTensor> outputs;
  for (const TensorPtr &result : *results)
    outputs.push_back(*result);
  return outputs;
}

WeightLoader weightsFromFiles(std::string folder) {
  return [folder](StringRef file, int64_t offset,
                  int64_t length) -> Expected<std::vector<char>> {
    llvm::SmallString<256> path(file);
    if (!folder.empty() && llvm::sys::path::is_relative(file)) {
      path = folder;
      llvm::sys::path::append(path, file);
    }
    if (offset < 0 || length < 0)
      return llvm::createStringError("expected a range of bytes");
    auto buffer = llvm::MemoryBuffer::getFileSlice(path, length, offset);
    if (!buffer)
      return llvm::createStringError(path.str() + ": " +
                                     buffer.getError().message());
    StringRef text = (*buffer)->getBuffer();
    if (int64_t(text.size()) != length)
      return llvm::createStringError(path.str() + ": expected " +
                                     Twine(length) + " bytes at " +
                                     Twine(offset));
    return std::vector<char>(text.begin(), text.end());
  };
}

} // namespace tenon
