// The facts that an artifact states about its model: names, types, extents,
// offsets in the blob. They are collected while the module still has functions
// and weights.
#ifndef TENON_COMPILER_ARTIFACT_MODELFACTS_H
#define TENON_COMPILER_ARTIFACT_MODELFACTS_H

#include "compiler/files/OpenFile.h"
#include "compiler/options/CompileOptions.h"
#include "runtime/tenon_abi.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>
#include <string>
#include <vector>

namespace tenon {

struct DimFacts {
  int64_t size = -1; ///< -1: dynamic
  int64_t min = 0;
  int64_t max = INT64_MAX;
  int64_t multiple = 1;
  std::string name; ///< may be empty; a static extent has one if a flag fixed
                    ///< it
};

/// The value of an input that a call leaves out.
struct DefaultFacts {
  std::vector<int64_t> dims;
  std::vector<char> bytes; ///< little-endian; a bool is one byte
};

/// The bounds of an input's elements.
struct BoundFacts {
  tenon_number least, greatest;
};

struct TensorFacts {
  std::string name;
  int32_t dtype = 0; ///< tenon_dtype
  std::vector<DimFacts> dims;
  bool bounded = false; ///< extents are known only after a run
  std::optional<DefaultFacts> defaultValue;
  std::optional<BoundFacts> bounds;
  bool isReadByHost = false; ///< beside a device, host code reads elements

  /// The number of elements; -1 if it is known only at run time.
  int64_t elements() const;
  /// The number of bytes; -1 if it is known only at run time.
  int64_t bytes() const;
};

/// Code of a function for certain sizes only.
struct VariantFacts {
  std::vector<std::pair<std::string, int64_t>> sizes;

  std::string name() const; ///< "batch=1,seq=128"
};

struct FunctionFacts {
  std::string name;
  std::vector<TensorFacts> inputs, outputs;
  std::vector<VariantFacts> variants; ///< by number; the first is number 1
  int64_t arenaBytes = -1;  ///< the largest of all variants; -1: depends on
                            ///< extents
  bool usesState = false;   ///< reads or writes state
  bool usesExtents = false; ///< its code or its plan reads context extents
};

/// An extent of states that each context chooses.
struct ContextExtentFacts {
  std::string name;
  int64_t least = 1, most = 1, initial = 1;
};

/// A tensor that keeps its value between runs.
struct StateFacts {
  std::string name;
  int32_t dtype = 0;         ///< tenon_dtype
  std::vector<int64_t> dims; ///< a size, or -1 - e for context extent number e
  int64_t offset = -1; ///< offset in the state's memory; -1: each context's own
  int64_t initial = -1; ///< offset of its initial value in the blob; -1: zeros

  int64_t bytes() const; ///< 0 if a context extent is among the dims
};

struct ModelFacts {
  std::vector<FunctionFacts> functions;
  std::vector<StateFacts> states; ///< sorted by offset, those without last
  std::vector<ContextExtentFacts> contextExtents;
  int64_t stateBytes = 0;
  int64_t weightBytes = 0; ///< size of the blob
  /// The `tenon.weight` ops and the weights that their recipes use. A weight of
  /// the blob has the attribute `offset`.
  mlir::OwningOpRef<mlir::ModuleOp> weights;
  OpenFiles files; ///< files of the weights that are already open
  std::vector<std::string> filesRead; ///< the model and every file it names
  bool hasState() const { return stateBytes > 0 || !contextExtents.empty(); }
  std::string source;      ///< the model file's base name and hash, for people
  uint64_t sourceHash = 0; ///< XXH64 of the model file; 0: unknown
};

/// Collects the facts of a module after the phase `placed`. The attribute
/// `tenon.ranges` has the ranges of named extents; the hash is that of the file
/// `model`.
ModelFacts collectFacts(mlir::ModuleOp placed, const CompileOptions &options,
                        const std::string &model);

/// Notes in `facts` which inputs' elements host code reads, in plans or beside
/// the device's kernels, and the arena that the device needs. `version` is the
/// device's, with its sides assigned.
void noteDevice(mlir::ModuleOp version, ModelFacts &facts);

/// Bytes of one element of a tenon_dtype.
int64_t elementBytes(int32_t dtype);

/// The tenon_dtype of an element type, or 0.
int32_t dtypeOf(mlir::Type type);

/// Writes the elements of `value` to memory, little-endian; a bool is one byte.
void writeElements(mlir::DenseElementsAttr value, char *to);

/// The stem of the artifact's C symbols: options.name, or else the file name of
/// the output or of the model as an identifier.
std::string symbolStem(const CompileOptions &options);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_MODELFACTS_H
