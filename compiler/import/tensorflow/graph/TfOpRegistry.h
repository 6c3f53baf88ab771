// Which TensorFlow ops there are, by name. Each family registers itself in its
// own file (Tf<Family>Ops.cpp).
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFOPREGISTRY_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFOPREGISTRY_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/LogicalResult.h"

#include <cstdint>

namespace tenon::tf {

class NodeContext;

/// Translates one node. Failure means that an error or an unsupported use was
/// recorded through the context.
using OpHandler = llvm::LogicalResult (*)(NodeContext &);

struct OpEntry {
  size_t minInputs = 0, maxInputs = 0;
  OpHandler handler = nullptr;
  /// Names of the outputs where there are several: functions name them.
  llvm::SmallVector<llvm::StringRef> outputs;
  /// Translates the node where an operand is complex; null: there is no such.
  OpHandler complex = nullptr;
  /// Whether operands may be handles and lists, not tensors alone.
  bool takesHandles = false;
  /// How many operands, the first ones, are variables to write where they are
  /// references; others are read.
  size_t references = 0;
};

inline constexpr size_t kMany = SIZE_MAX;

class OpRegistry {
public:
  OpRegistry();

  /// Takes exactly `inputs` operands.
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
  /// The handler for complex operands of an op there is.
  void addComplex(llvm::StringRef op, OpHandler handler);
  const OpEntry *find(llvm::StringRef op) const {
    auto found = entries.find(op);
    return found == entries.end() ? nullptr : &found->second;
  }

private:
  llvm::StringMap<OpEntry> entries;
  bool addsHandleOps = false; ///< while families of such ops register
};

// One per family, each in Tf<Family>Ops.cpp.
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
