// The supported ONNX ops: maps a domain, a name and an opset to a handler. Each
// family of ops registers itself in its own file (Ops<Family>.cpp);
// registerAllOps lists the families.
#ifndef TENON_COMPILER_IMPORT_ONNX_GRAPH_OPREGISTRY_H
#define TENON_COMPILER_IMPORT_ONNX_GRAPH_OPREGISTRY_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/LogicalResult.h"

#include <climits>
#include <cstdint>
#include <string>
#include <vector>

namespace tenon::onnx {

class NodeContext;

/// Imports one node: reads operands and attributes from the context and sets
/// the results. Fails after an error was reported through the context.
using OpHandler = llvm::LogicalResult (*)(NodeContext &);

/// The number of operands or results that a node may name; trailing ones may be
/// left out.
struct Arity {
  size_t min = 0;
  size_t max = 0;
  constexpr Arity(size_t exactly) : min(exactly), max(exactly) {}
  constexpr Arity(size_t min, size_t max) : min(min), max(max) {}
};
inline constexpr size_t kMany = SIZE_MAX;

struct OpEntry {
  int64_t since = 1; ///< the first opset with this form of the op
  Arity inputs;
  Arity outputs;
  OpHandler handler;
};

class OpRegistry {
public:
  /// Adds a form of an op: `registry.add("Softmax", 1, 1, 1, softmax1)` and
  /// `registry.add("Softmax", 13, 1, 1, softmax13)`.
  void add(llvm::StringRef op, int64_t since, Arity inputs, Arity outputs,
           OpHandler handler, llvm::StringRef domain = "");

  /// The newest entry that is not newer than `version`, or null. If the op
  /// changed after newestWholeOpset, only an entry for that change counts.
  const OpEntry *find(llvm::StringRef domain, llvm::StringRef op,
                      int64_t version) const;

  /// The reason why an op is not found: `as of opset 24` if only earlier
  /// versions are supported, empty if none is.
  std::string whyMissing(llvm::StringRef domain, llvm::StringRef op,
                         int64_t version) const;

  /// The names `domain:op` of all ops, sorted.
  std::vector<std::string> names() const;

private:
  llvm::StringMap<std::vector<OpEntry>> entries; ///< by "domain:op"
};

// One function for each family, in Ops<Family>.cpp.
void registerActivationOps(OpRegistry &registry);
void registerColumnOps(OpRegistry &registry);
void registerConstantOps(OpRegistry &registry);
void registerControlOps(OpRegistry &registry);
void registerConvolutionOps(OpRegistry &registry);
void registerEinsumOps(OpRegistry &registry);
void registerElementwiseOps(OpRegistry &registry);
void registerGatherOps(OpRegistry &registry);
void registerLossOps(OpRegistry &registry);
void registerMatMulOps(OpRegistry &registry);
void registerNormalizationOps(OpRegistry &registry);
void registerPoolingOps(OpRegistry &registry);
void registerQuantizationOps(OpRegistry &registry);
void registerRandomOps(OpRegistry &registry);
void registerRecurrentOps(OpRegistry &registry);
void registerReductionOps(OpRegistry &registry);
void registerRegionOps(OpRegistry &registry);
void registerResizeOps(OpRegistry &registry);
void registerSelectionOps(OpRegistry &registry);
void registerShapeOps(OpRegistry &registry);
void registerSignalOps(OpRegistry &registry);
void registerSliceOps(OpRegistry &registry);
void registerSoftmaxOps(OpRegistry &registry);
void registerTextOps(OpRegistry &registry);
void registerTrainingOps(OpRegistry &registry);
void registerVisionOps(OpRegistry &registry);

/// Registers all families.
void registerAllOps(OpRegistry &registry);

} // namespace tenon::onnx

#endif // TENON_COMPILER_IMPORT_ONNX_GRAPH_OPREGISTRY_H
