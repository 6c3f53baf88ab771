// Einsum: reads the equation from the attribute; all formats share the rest.
#include "compiler/import/Einsum.h"
#include "compiler/import/onnx/graph/NodeContext.h"

using namespace mlir;

namespace tenon::onnx {

static LogicalResult einsumNode(NodeContext &c) {
  FailureOr<Value> result = einsum(c, c.stringAttr("equation", ""));
  if (failed(result))
    return failure();
  c.set(0, *result);
  return success();
}

void registerEinsumOps(OpRegistry &r) {
  r.add("Einsum", 12, Arity(1, kMany), 1, einsumNode);
}

} // namespace tenon::onnx
