// Weights as bytes. Sources are read from the files that were checked. Recipes
// are evaluated one tensor at a time and give the bits that kernels would
// compute.
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
  /// `weights` holds the `tenon.weight` ops by name. Files that are not in
  /// `files` are opened when they are needed.
  WeightEvaluator(mlir::ModuleOp weights, OpenFiles files,
                  DiagnosticHandler report);

  /// Passes the bytes of a weight, little-endian in row-major order, to `sink`
  /// in pieces. Returns false if `sink` returned false, or after an error was
  /// reported.
  bool evaluate(WeightOp weight,
                llvm::function_ref<bool(llvm::StringRef)> sink);

  /// Checks that no file that was read changed after it was opened. Returns
  /// false after an error was reported.
  bool checkFiles();

  Status status() const { return failure; }

  /// The quantization report on the weights evaluated so far.
  const QuantizationReport &quantization() const { return counted; }

private:
  bool fail(Status kind, const std::string &file, std::string text);
  bool evaluate(WeightOp weight, HostBytes &value, QuantizationLoss &loss,
                int depth);
  /// Adds a weight of the blob to the report. False, after an error, if it has
  /// an element that is not finite or has no finite stored form.
  bool count(WeightOp weight, const QuantizationLoss &loss);
  /// Reads the bytes [offset, offset + size) of a weight that is in a file.
  bool read(WeightOp weight, uint64_t offset, uint64_t size,
            std::vector<char> &bytes);

  mlir::ModuleOp weights;
  OpenFiles files;
  DiagnosticHandler report;
  Status failure = Status::Success;
  QuantizationReport counted;
};

/// Writes the blob to `sink` in pieces: all weights with the attribute
/// `offset`, `total` bytes, zeros between them. `sink` returns false to stop.
bool writeBlob(mlir::ModuleOp weights, uint64_t total,
               WeightEvaluator &evaluator,
               llvm::function_ref<bool(llvm::StringRef)> sink);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_WEIGHTEVALUATOR_H
