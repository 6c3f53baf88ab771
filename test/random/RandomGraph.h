// Random valid graphs: from a seed, a module with one function @main on tensors
// and inputs for it. Values stay bounded and steps are taken only on values
// known exactly, so that any two correct evaluations agree closely.
#ifndef TENON_TEST_RANDOM_RANDOMGRAPH_H
#define TENON_TEST_RANDOM_RANDOMGRAPH_H

#include "compiler/oracle/Oracle.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <vector>

namespace tenon {

struct RandomGraphOptions {
  int steps = 12;             ///< ops that are tried, besides their guards
  bool dynamic = false;       ///< some extents of inputs are named, not static
  bool dataDependent = false; ///< results whose size is a value
  bool narrowFloats = true;   ///< f16 and bf16 among the element types
  bool wideWeights = false;   ///< products with weights of many columns
};

struct RandomGraph {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<HostTensor> inputs;
  /// The bytes of the file that the module's weights name.
  std::vector<char> weights;
  static constexpr const char *weightFile = "weights.bin";

  mlir::func::FuncOp main() const;
  /// Of `weights`, whatever file is asked for. The graph must outlive it.
  WeightLoader weightLoader() const;
};

/// The graph of a seed; always the same for the same options. The context has
/// the dialects of `loadGraphDialects`.
RandomGraph buildRandomGraph(mlir::MLIRContext &context, uint64_t seed,
                             const RandomGraphOptions &options);

void loadGraphDialects(mlir::MLIRContext &context);

} // namespace tenon

#endif // TENON_TEST_RANDOM_RANDOMGRAPH_H
