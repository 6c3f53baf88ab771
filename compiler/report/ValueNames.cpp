// Values of weights and constants have no names: nothing computes them.
#include "compiler/report/ValueNames.h"

#include "dialects/tenon/TenonDialect.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tenon {

/// The outermost name in `loc`: the model's node.
static StringRef nodeName(Location loc) {
  StringRef name;
  loc->walk([&](Location inner) {
    auto named = dyn_cast<NameLoc>(inner);
    if (!named)
      return WalkResult::advance();
    name = named.getName();
    return WalkResult::interrupt();
  });
  return name;
}

/// True if a tenon op computes the value: not a weight or a constant.
static bool isComputed(Operation *op) {
  return isa_and_nonnull<TenonDialect>(op->getDialect()) &&
         !isa<GetWeightOp>(op) && !op->hasTrait<OpTrait::ConstantLike>();
}

/// True if the last rows of the tensor are unspecified: the model uses only a
/// slice of it.
static bool isPartlySet(Value value) {
  auto nms = value.getDefiningOp<NonMaxSuppressionOp>();
  return nms && value == nms.getSelected();
}

std::vector<NamedValue> namedValues(func::FuncOp function) {
  std::vector<NamedValue> values;
  Block &block = function.getBody().front();
  ValueRange outputs = block.getTerminator()->getOperands();
  llvm::StringMap<int> uses;
  for (Operation &op : block.without_terminator()) {
    if (!isComputed(&op))
      continue;
    for (Value value : op.getResults()) {
      if (!isa<RankedTensorType>(value.getType()) ||
          llvm::is_contained(outputs, value) || isPartlySet(value))
        continue;
      std::string name = "node \"" + nodeName(op.getLoc()).str() + "\" (" +
                         op.getName().getStringRef().str() + ")";
      if (int count = uses[name]++)
        name += " #" + std::to_string(count + 1);
      values.push_back({value, std::move(name)});
    }
  }
  return values;
}

} // namespace tenon
