// Random valid graphs. A seed gives a module with one function @main on
// tensors, and its inputs. Values stay bounded, and discontinuous ops are
// applied only to exact values, so that any two correct evaluations agree
// closely.
#ifndef TENON_TEST_RANDOM_RANDOMGRAPH_H
#define TENON_TEST_RANDOM_RANDOMGRAPH_H

#include "compiler/oracle/Oracle.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <vector>

namespace tenon {

struct RandomGraphOptions {
  int steps = 12;             ///< number of ops tried, besides their guards
  bool dynamic = false;       ///< some extents of inputs are named and dynamic
  bool dataDependent = false; ///< some results have a data-dependent size
  bool narrowFloats = true;   ///< f16 and bf16 occur as element types
  bool wideWeights = false;   ///< products with weights of many columns occur
  bool states = false;        ///< some values are kept between runs
};

struct RandomGraph {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<HostTensor> inputs;
  /// The bytes of the file that the module's weights name.
  std::vector<char> weights;
  /// How often @main runs, with the same inputs and one context.
  int runs = 1;
  /// The context's choices; other context extents have their defaults.
  std::map<std::string, int64_t> contextExtents = {};
  static constexpr const char *weightFile = "weights.bin";

  mlir::func::FuncOp main() const;
  /// Reads from `weights`, whatever the file name. The graph must outlive it.
  WeightLoader weightLoader() const;
  /// The outputs of all runs of `function`, which is @main or what it has
  /// become, by the oracle.
  llvm::Expected<std::vector<HostTensor>>
  evaluateRuns(mlir::func::FuncOp function, OracleOptions oracle) const;
};

/// The graph of a seed; equal seeds and options give equal graphs. The context
/// must have the dialects of `loadGraphDialects`.
RandomGraph buildRandomGraph(mlir::MLIRContext &context, uint64_t seed,
                             const RandomGraphOptions &options);

void loadGraphDialects(mlir::MLIRContext &context);

} // namespace tenon

#endif // TENON_TEST_RANDOM_RANDOMGRAPH_H
