// How tenon ops take part in upstream's one-shot bufferization.
#ifndef TENON_PASSES_BUFFER_BUFFERIZE_H
#define TENON_PASSES_BUFFER_BUFFERIZE_H

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace tenon {

/// Attaches the bufferization interface to the ops that stand outside fusions.
void registerBufferizableOps(mlir::DialectRegistry &registry);

/// One-shot bufferization of graphs: identity layouts everywhere, function arguments and results too.
void addBufferizePasses(mlir::OpPassManager &pm);

} // namespace tenon

#endif // TENON_PASSES_BUFFER_BUFFERIZE_H
