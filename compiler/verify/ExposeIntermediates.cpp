// Runs right after the import, when the values are still those of the model's
// nodes. Fusion must keep an exposed value.
#include "compiler/verify/ExposeIntermediates.h"

#include "compiler/report/ValueNames.h"
#include "dialects/tenon/Annotations.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tenon {

void exposeIntermediates(func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  SmallVector<Value> results(terminator->getOperands());
  SmallVector<DictionaryAttr> attributes;
  for (unsigned i = 0; i < results.size(); ++i)
    attributes.push_back(function.getResultAttrDict(i));
  Builder builder(function.getContext());
  for (const NamedValue &named : namedValues(function)) {
    results.push_back(named.value);
    attributes.push_back(builder.getDictionaryAttr(builder.getNamedAttr(
        annotation::name.key, builder.getStringAttr(named.name))));
  }
  terminator->setOperands(results);
  function.setType(builder.getFunctionType(function.getArgumentTypes(),
                                           ValueRange(results).getTypes()));
  function.setAllResultAttrs(attributes);
}

} // namespace tenon
