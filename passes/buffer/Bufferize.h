// How tenon ops take part in upstream's one-shot bufferization.
#ifndef TENON_PASSES_BUFFER_BUFFERIZE_H
#define TENON_PASSES_BUFFER_BUFFERIZE_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tenon {

/// Attaches the bufferization interface to the ops that stand outside fusions.
void registerBufferizableOps(mlir::DialectRegistry &registry);

} // namespace tenon

#endif // TENON_PASSES_BUFFER_BUFFERIZE_H
