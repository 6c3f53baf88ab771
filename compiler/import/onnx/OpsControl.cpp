// Soon.
#include "compiler/import/onnx/NodeContext.h"
namespace tenon::onnx {
void registerControlOps(OpRegistry &registry) {}
} // namespace tenon::onnx
