// Weights as bytes: sources are read from their files, recipes are evaluated,
// one tensor at a time, with the bits the kernels would compute.
#ifndef TENON_COMPILER_ARTIFACT_WEIGHTEVALUATOR_H
#define TENON_COMPILER_ARTIFACT_WEIGHTEVALUATOR_H

#include "compiler/artifact/Recipe.h"
#include "compiler/report/Diagnostic.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>
#include <vector>

namespace tenon {

class WeightOp;

class WeightEvaluator {
public:
  /// `weights` holds the `tenon.weight` ops by name.
  WeightEvaluator(mlir::ModuleOp weights, DiagnosticHandler report);
  ~WeightEvaluator();

  /// The bytes of a weight, little-endian in row-major order; valid until the
  /// next call. False after an error was reported.
  bool evaluate(WeightOp weight, llvm::StringRef &bytes);

  /// Lets go of the last result and of the pages read so far.
  void release();

  Status status() const { return failure; }

private:
  bool fail(Status kind, const std::string &file, std::string text);
  bool evaluate(WeightOp weight, HostBytes &value, int depth);
  bool source(WeightOp weight, llvm::StringRef &bytes);

  mlir::ModuleOp weights;
  DiagnosticHandler report;
  Status failure = Status::Success;
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> files;
  HostBytes held; ///< the last result
};

/// Writes the blob of all weights that carry `offset`, `total` bytes with zeros
/// between them, piece by piece to `sink`; that returns false to stop.
bool writeBlob(mlir::ModuleOp weights, uint64_t total,
               WeightEvaluator &evaluator,
               llvm::function_ref<bool(llvm::StringRef)> sink);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_WEIGHTEVALUATOR_H
