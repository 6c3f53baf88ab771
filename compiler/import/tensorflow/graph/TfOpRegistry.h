// The supported TensorFlow ops by name. Each family registers itself in its own
// file (Tf<Family>Ops.cpp).
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFOPREGISTRY_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFOPREGISTRY_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/LogicalResult.h"

#include <cstdint>

namespace tenon::tf {

class NodeContext;

/// Imports one node. Fails after an error or an unsupported use was recorded
/// through the context.
using OpHandler = llvm::LogicalResult (*)(NodeContext &);

struct OpEntry {
  size_t minInputs = 0, maxInputs = 0;
  OpHandler handler = nullptr;
  /// The names of the outputs if there are several, because functions refer to
  /// them.
  llvm::SmallVector<llvm::StringRef> outputs;
  /// Imports the node if an operand is complex; null if that is not supported.
  OpHandler complex = nullptr;
  /// True if operands may be handles and lists, not only tensors.
  bool takesHandles = false;
  /// The number of first operands that the op writes if they are references;
  /// other references are read.
  size_t references = 0;
};

inline constexpr size_t kMany = SIZE_MAX;

class OpRegistry {
public:
  OpRegistry();

  /// Adds an op with exactly `inputs` operands.
  OpEntry &add(llvm::StringRef op, size_t inputs, OpHandler handler,
               llvm::ArrayRef<llvm::StringRef> outputs = {}) {
    return add(op, inputs, inputs, handler, outputs);
  }
  OpEntry &add(llvm::StringRef op, size_t min, size_t max, OpHandler handler,
               llvm::ArrayRef<llvm::StringRef> outputs = {}) {
    return entries[op] = {min,     max,
                          handler, llvm::to_vector(outputs),
                          nullptr, addsHandleOps};
  }
  /// Adds a handler for complex operands to an op that is registered already.
  void addComplex(llvm::StringRef op, OpHandler handler);
  const OpEntry *find(llvm::StringRef op) const {
    auto found = entries.find(op);
    return found == entries.end() ? nullptr : &found->second;
  }

private:
  llvm::StringMap<OpEntry> entries;
  bool addsHandleOps = false; ///< initial takesHandles of new entries
};

// One function for each family, in Tf<Family>Ops.cpp.
void registerArrayOps(OpRegistry &registry);
void registerBlockOps(OpRegistry &registry);
void registerComplexOps(OpRegistry &registry);
void registerConditionalOps(OpRegistry &registry);
void registerControlOps(OpRegistry &registry);
void registerElementwiseOps(OpRegistry &registry);
void registerGradientOps(OpRegistry &registry);
void registerImageOps(OpRegistry &registry);
void registerImageGradientOps(OpRegistry &registry);
void registerIndexOps(OpRegistry &registry);
void registerListOps(OpRegistry &registry);
void registerMatrixOps(OpRegistry &registry);
void registerNormOps(OpRegistry &registry);
void registerOptimizerOps(OpRegistry &registry);
void registerPoolOps(OpRegistry &registry);
void registerPoolGradientOps(OpRegistry &registry);
void registerRandomOps(OpRegistry &registry);
void registerReductionOps(OpRegistry &registry);
void registerResizeOps(OpRegistry &registry);
void registerScatterOps(OpRegistry &registry);
void registerSearchOps(OpRegistry &registry);
void registerVariableOps(OpRegistry &registry);

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFOPREGISTRY_H
