// Implements upstream's one-shot bufferization for tenon ops.
#ifndef TENON_PASSES_BUFFER_BUFFERIZE_H
#define TENON_PASSES_BUFFER_BUFFERIZE_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tenon {

/// Attaches the bufferization interface to the ops outside fusions.
void registerBufferizableOps(mlir::DialectRegistry &registry);

} // namespace tenon

#endif // TENON_PASSES_BUFFER_BUFFERIZE_H
