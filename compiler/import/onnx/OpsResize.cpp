// Soon.
#include "compiler/import/onnx/NodeContext.h"
namespace tenon::onnx {
void registerResizeOps(OpRegistry &registry) {}
} // namespace tenon::onnx
