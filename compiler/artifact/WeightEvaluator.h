// Weights as bytes: sources are read from their files, which are those that
// were checked, recipes are evaluated, one tensor at a time, with the bits the
// kernels would compute.
#ifndef TENON_COMPILER_ARTIFACT_WEIGHTEVALUATOR_H
#define TENON_COMPILER_ARTIFACT_WEIGHTEVALUATOR_H

#include "compiler/artifact/Recipe.h"
#include "compiler/files/OpenFile.h"
#include "compiler/report/Diagnostic.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace tenon {

class WeightOp;

class WeightEvaluator {
public:
  /// `weights` holds the `tenon.weight` ops by name. What `files` does not have
  /// is opened when it is needed.
  WeightEvaluator(mlir::ModuleOp weights, OpenFiles files,
                  DiagnosticHandler report);

  /// Hands the bytes of a weight, little-endian in row-major order, to `sink`,
  /// piece by piece. False after an error was reported, and where `sink` said
  /// so.
  bool evaluate(WeightOp weight,
                llvm::function_ref<bool(llvm::StringRef)> sink);

  /// Whether all that was read was written before its file was opened. False
  /// after an error was reported.
  bool checkFiles();

  Status status() const { return failure; }

  /// Of the weights evaluated so far.
  const QuantizationReport &quantization() const { return counted; }

private:
  bool fail(Status kind, const std::string &file, std::string text);
  bool evaluate(WeightOp weight, HostBytes &value, QuantizationLoss &loss,
                int depth);
  /// Takes a weight of the blob into the report; false where it is not finite.
  bool count(WeightOp weight, const QuantizationLoss &loss);
  /// The bytes [offset, offset + size) of a weight that lies in a file.
  bool read(WeightOp weight, uint64_t offset, uint64_t size,
            std::vector<char> &bytes);

  mlir::ModuleOp weights;
  OpenFiles files;
  DiagnosticHandler report;
  Status failure = Status::Success;
  QuantizationReport counted;
};

/// Writes the blob of all weights that carry `offset`, `total` bytes with zeros
/// between them, piece by piece to `sink`; that returns false to stop.
bool writeBlob(mlir::ModuleOp weights, uint64_t total,
               WeightEvaluator &evaluator,
               llvm::function_ref<bool(llvm::StringRef)> sink);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_WEIGHTEVALUATOR_H
