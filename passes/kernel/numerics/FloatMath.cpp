// Chooses how a transcendental function is computed: f32 lanes by expressions
// of this folder, f64 lanes by one call of libm per lane.
#include "passes/kernel/numerics/FloatMath.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace tenon {
namespace {

StringRef libmName(FloatFunction function) {
  switch (function) {
  case FloatFunction::Acos:
    return "acos";
  case FloatFunction::Acosh:
    return "acosh";
  case FloatFunction::Asin:
    return "asin";
  case FloatFunction::Asinh:
    return "asinh";
  case FloatFunction::Atan:
    return "atan";
  case FloatFunction::Atan2:
    return "atan2";
  case FloatFunction::Atanh:
    return "atanh";
  case FloatFunction::Cbrt:
    return "cbrt";
  case FloatFunction::Cos:
    return "cos";
  case FloatFunction::Cosh:
    return "cosh";
  case FloatFunction::Erf:
    return "erf";
  case FloatFunction::Exp:
  case FloatFunction::Logistic:
    return "exp";
  case FloatFunction::Expm1:
    return "expm1";
  case FloatFunction::Log:
    return "log";
  case FloatFunction::Log1p:
    return "log1p";
  case FloatFunction::Pow:
    return "pow";
  case FloatFunction::Sin:
    return "sin";
  case FloatFunction::Sinh:
    return "sinh";
  case FloatFunction::Tan:
    return "tan";
  case FloatFunction::Tanh:
    return "tanh";
  }
  llvm_unreachable("every function has a name");
}

func::FuncOp declareLibm(OpBuilder &b, Location loc, StringRef name,
                         unsigned operands) {
  Operation *module = b.getInsertionBlock()->getParentOp();
  while (!isa<ModuleOp>(module))
    module = module->getParentOp();
  if (Operation *known = SymbolTable::lookupSymbolIn(module, name))
    return cast<func::FuncOp>(known);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(cast<ModuleOp>(module).getBody());
  SmallVector<Type> types(operands, b.getF64Type());
  auto callee = func::FuncOp::create(b, loc, name,
                                     b.getFunctionType(types, b.getF64Type()));
  callee.setPrivate();
  return callee;
}

Value callLibm(OpBuilder &b, Location loc, FloatFunction function,
               ValueRange operands) {
  auto callee = declareLibm(b, loc, libmName(function), operands.size());
  auto call = [&](ValueRange scalars) {
    return func::CallOp::create(b, loc, callee, scalars).getResult(0);
  };
  auto type = dyn_cast<VectorType>(operands[0].getType());
  if (!type)
    return call(operands);
  SmallVector<Value> lanes;
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  for (int64_t i = 0, e = type.getNumElements(); i < e; ++i) {
    SmallVector<int64_t> position = delinearize(i, strides);
    SmallVector<Value> scalars;
    for (Value operand : operands)
      scalars.push_back(vector::ExtractOp::create(b, loc, operand, position));
    lanes.push_back(call(scalars));
  }
  return vector::FromElementsOp::create(b, loc, type, lanes);
}

Lanes emitDouble(FloatFunction function, ArrayRef<Lanes> operands) {
  const Lanes &x = operands[0];
  auto library = [&](FloatFunction callee, ArrayRef<Lanes> arguments) {
    return x.build([&](OpBuilder &b, Location loc) {
      SmallVector<Value> values;
      for (const Lanes &argument : arguments)
        values.push_back(argument.get());
      return callLibm(b, loc, callee, values);
    });
  };
  if (function != FloatFunction::Logistic)
    return library(function, operands);
  // Take exp of -|x|: nothing overflows and nothing cancels.
  Lanes power = library(FloatFunction::Exp, {-x.abs()});
  Lanes one = x.number(1);
  return (x < x.number(0)).select(power, one) / (one + power);
}

} // namespace

Lanes emitFloatMath(FloatFunction function, ArrayRef<Lanes> operands) {
  const Lanes &x = operands[0];
  if (x.element().isF64())
    return emitDouble(function, operands);
  switch (function) {
  case FloatFunction::Exp:
    return expNative(x);
  case FloatFunction::Expm1:
    return expm1Native(x);
  case FloatFunction::Log:
    return logNative(x);
  case FloatFunction::Tanh:
    return tanhNative(x);
  case FloatFunction::Erf:
    return erfNative(x);
  case FloatFunction::Logistic:
    return logisticNative(x);
  default:
    return wideFunction(function, operands);
  }
}

} // namespace tenon
