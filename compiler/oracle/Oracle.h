// The oracle: the reference semantics of a graph. It evaluates a function of
// tenon ops on host tensors, element by element in double precision. It shares
// no code with any lowering.
#ifndef TENON_COMPILER_ORACLE_ORACLE_H
#define TENON_COMPILER_ORACLE_ORACLE_H

#include "compiler/oracle/HostTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringRef.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tenon {

struct OracleOptions {
  /// Rounds each op's float results to their element type. If false, only
  /// inputs, constants, weights and results of `convert` are rounded.
  bool roundToType = false;
  /// Computes error bounds for every float tensor. The graph must have no
  /// composites, and must compare and index by exact values only.
  bool bounds = false;
  /// Bounds allow that products of f32 and f16 round their operands to bf16.
  bool bf16Products = false;
  /// The most elements that a tensor may have.
  int64_t maxElements = int64_t(1) << 30;
  /// Returns the bytes that are free at the moment; called before each large
  /// tensor.
  std::function<uint64_t()> memoryLeft = {};
  /// The most iterations of all loops together.
  int64_t maxIterations = int64_t(1) << 24;
  /// Sizes of context extents by name; others have their defaults.
  std::map<std::string, int64_t> contextExtents = {};
};

/// Reads the bytes [offset, offset + length) of a file that a weight names.
using WeightLoader = std::function<llvm::Expected<std::vector<char>>(
    llvm::StringRef file, int64_t offset, int64_t length)>;

/// Called after each op with its results, in the order of evaluation.
using OpObserver = std::function<void(
    mlir::Operation *op, llvm::ArrayRef<const HostTensor *> results)>;

/// The values of states by name, kept from one evaluation to the next. A state
/// without an entry has its initial value.
using OracleState = std::map<std::string, HostTensor>;

/// An error for a value outside the range that the graph allows, from
/// `tenon.check_range` or `tenon.fault`.
class RangeFault : public llvm::ErrorInfo<RangeFault> {
public:
  static char ID;
  RangeFault(std::string site, int64_t found, int64_t low, int64_t high)
      : site(std::move(site)), found(found), low(low), high(high) {}
  void log(llvm::raw_ostream &out) const override;
  std::error_code convertToErrorCode() const override;

  std::string site;
  int64_t found;
  int64_t low;  ///< the least allowed value
  int64_t high; ///< the greatest allowed value
};

/// Evaluates `function` of a module in one of the phases `imported` to `fused`.
/// Inputs must have the argument types with dynamic extents filled in. Sizes
/// that do not match one another cause an error that names the op. If `state`
/// is null, the evaluation starts from the initial values.
llvm::Expected<std::vector<HostTensor>>
evaluate(mlir::func::FuncOp function, llvm::ArrayRef<HostTensor> inputs,
         const WeightLoader &weights = {}, const OracleOptions &options = {},
         const OpObserver &observer = {}, OracleState *state = nullptr);

/// A loader that reads byte ranges of files; relative names start at `folder`.
WeightLoader weightsFromFiles(std::string folder = "");

} // namespace tenon

#endif // TENON_COMPILER_ORACLE_ORACLE_H
