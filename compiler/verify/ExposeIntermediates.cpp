// Runs right after the import, when the values are still those of the model's
// nodes. Fusion must keep an exposed value.
#include "compiler/verify/ExposeIntermediates.h"

#include "dialects/tenon/Annotations.h"
#include "mlir/IR/Builders.h"

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

void exposeIntermediates(func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  SmallVector<Value> results(terminator->getOperands());
  SmallVector<DictionaryAttr> attributes;
  for (unsigned i = 0; i < results.size(); ++i)
    attributes.push_back(function.getResultAttrDict(i));
  Builder builder(function.getContext());
  llvm::StringMap<int> uses;
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (!isComputed(&op))
      continue;
    for (Value value : op.getResults()) {
      if (!isa<RankedTensorType>(value.getType()) ||
          llvm::is_contained(results, value) || isPartlySet(value))
        continue;
      std::string name = "node \"" + nodeName(op.getLoc()).str() + "\" (" +
                         op.getName().getStringRef().str() + ")";
      if (int count = uses[name]++)
        name += " #" + std::to_string(count + 1);
      results.push_back(value);
      attributes.push_back(builder.getDictionaryAttr(builder.getNamedAttr(
          annotation::name.key, builder.getStringAttr(name))));
    }
  }
  terminator->setOperands(results);
  function.setType(builder.getFunctionType(function.getArgumentTypes(),
                                           ValueRange(results).getTypes()));
  function.setAllResultAttrs(attributes);
}

} // namespace tenon
