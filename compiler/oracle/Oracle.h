// The oracle: what a graph means. A function of tenon ops and host tensors go
// in, host tensors come out, computed element by element in double precision
// with nothing shared with any lowering.
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
  /// Rounds each op's float results to their element type; otherwise only
  /// inputs, constants, weights and results of `convert` are rounded.
  bool roundToType = false;
  /// Fills in the errors of every float tensor. Of a graph without composites,
  /// which compares and indexes by exact values alone.
  bool bounds = false;
  /// Bounds allow for f32 products of operands rounded to bf16.
  bool bf16Products = false;
  /// No tensor may have more elements.
  int64_t maxElements = int64_t(1) << 30;
  /// Bytes that may be taken at the moment; asked before each large tensor.
  std::function<uint64_t()> memoryLeft = {};
  /// No loop may run longer, all loops together.
  int64_t maxIterations = int64_t(1) << 24;
};

/// The bytes [offset, offset + length) of a file that a weight names.
using WeightLoader = std::function<llvm::Expected<std::vector<char>>(
    llvm::StringRef file, int64_t offset, int64_t length)>;

/// Called after each op with its results, in the order of evaluation.
using OpObserver = std::function<void(
    mlir::Operation *op, llvm::ArrayRef<const HostTensor *> results)>;

/// The values of states by their names, kept from one evaluation to the next; a
/// state that is not there has its first value.
using OracleState = std::map<std::string, HostTensor>;

/// An element was outside the range a graph allows: what `tenon.check_range`
/// and `tenon.fault` stop a run with.
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

/// Evaluates `function` of a module at the phases `imported` to `fused`.
/// Inputs must have the argument types, dynamic extents filled in. Sizes that
/// do not fit one another are errors that name the op. Without `state` every
/// evaluation starts from the first values.
llvm::Expected<std::vector<HostTensor>>
evaluate(mlir::func::FuncOp function, llvm::ArrayRef<HostTensor> inputs,
         const WeightLoader &weights = {}, const OracleOptions &options = {},
         const OpObserver &observer = {}, OracleState *state = nullptr);

/// Reads byte ranges of files; relative names start at `folder`.
WeightLoader weightsFromFiles(std::string folder = "");

} // namespace tenon

#endif // TENON_COMPILER_ORACLE_ORACLE_H
