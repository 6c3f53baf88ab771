// What an artifact tells of its model, collected while the module still speaks
// of functions and weights: names, types, extents, places in the blob.
#ifndef TENON_COMPILER_ARTIFACT_MODELFACTS_H
#define TENON_COMPILER_ARTIFACT_MODELFACTS_H

#include "compiler/files/OpenFile.h"
#include "compiler/options/CompileOptions.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace tenon {

struct DimFacts {
  int64_t size = -1; ///< -1: dynamic
  int64_t min = 0;
  int64_t max = INT64_MAX;
  int64_t multiple = 1;
  std::string name; ///< may be empty; of a static one: a flag fixed it
};

struct TensorFacts {
  std::string name;
  int32_t dtype = 0; ///< tenon_dtype
  std::vector<DimFacts> dims;
  bool bounded = false; ///< extents known only after a run

  /// The number of elements, or -1 where it depends on a run.
  int64_t elements() const;
  /// The number of bytes, or -1 likewise.
  int64_t bytes() const;
};

/// Code of a function for some sizes alone.
struct VariantFacts {
  std::vector<std::pair<std::string, int64_t>> sizes;

  std::string name() const; ///< "batch=1,seq=128"
};

struct FunctionFacts {
  std::string name;
  std::vector<TensorFacts> inputs, outputs;
  std::vector<VariantFacts> variants; ///< by number, the first is 1
  int64_t arenaBytes = -1; ///< the most of all variants; -1: depends on extents
  bool usesState = false;  ///< reads or writes some
};

/// A tensor that keeps its value between runs.
struct StateFacts {
  std::string name;
  int32_t dtype = 0; ///< tenon_dtype
  std::vector<int64_t> dims;
  int64_t offset = 0;   ///< in the memory of the state
  int64_t initial = -1; ///< of its first value in the weight blob; -1: zeros

  int64_t bytes() const;
};

struct ModelFacts {
  std::vector<FunctionFacts> functions;
  std::vector<StateFacts> states; ///< by offset
  int64_t stateBytes = 0;
  int64_t weightBytes = 0; ///< of the blob
  /// The `tenon.weight` ops and what their recipes use; those in the blob carry
  /// `offset`.
  mlir::OwningOpRef<mlir::ModuleOp> weights;
  OpenFiles files; ///< of the weights, as far as they are open already
  std::vector<std::string> filesRead; ///< the model and every file it names
  std::string source;      ///< the model file's base name and hash, for people
  uint64_t sourceHash = 0; ///< XXH64 of the model file; 0 where it is not known
};

/// The facts of a module that has passed the phase `placed`; its `tenon.ranges`
/// are those of named extents. The hash is that of the file `model`.
ModelFacts collectFacts(mlir::ModuleOp placed, const CompileOptions &options,
                        const std::string &model);

/// Bytes of an element of a tenon_dtype.
int64_t elementBytes(int32_t dtype);

/// The tenon_dtype of an element type, or 0.
int32_t dtypeOf(mlir::Type type);

/// The stem of the artifact's C symbols: options.name, or the output's or the
/// model's file name made an identifier.
std::string symbolStem(const CompileOptions &options);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_MODELFACTS_H
