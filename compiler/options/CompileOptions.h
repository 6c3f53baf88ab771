// All options of a compilation. Every option is defined here and nowhere else.
#ifndef TENON_COMPILER_OPTIONS_COMPILEOPTIONS_H
#define TENON_COMPILER_OPTIONS_COMPILEOPTIONS_H

#include "dialects/tenon/WeightFormat.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tenon {

enum class EmitKind {
  Object,
  Shared,
  Executable,
  Assembly,
  LlvmIr,
  Ptx, ///< the kernels of a device version for one architecture
  Mlir
};

enum class WeightPlacement { Auto, Embed, External };

/// The least accuracy of f32 products and their sums. Strict: exact products,
/// summed as docs/numerics.md defines, bit by bit. F32: at least as accurate as
/// a plain f32 dot product. High: as accurate as three products of bf16 parts.
/// Bf16: operands rounded to bf16. A target may be more accurate. Ordered from
/// the strongest guarantee to the weakest.
enum class MatmulPrecision { Strict, F32, High, Bf16 };

/// A named dimension with a fixed size or a range: `--dim=batch=1..8:2`.
struct DimOption {
  std::string name;
  int64_t min = 0;
  int64_t max = INT64_MAX;
  int64_t multiple = 1;
};

/// The sizes of one variant: `--specialize=batch:1,seq:128`.
struct VariantOption {
  std::vector<std::pair<std::string, int64_t>> sizes;
};

/// A named dimension that is padded to a multiple: `--pad=seq:8`.
struct PadOption {
  std::string name;
  int64_t multiple = 1;
};

/// The shape of one input: `--shape=data:1x3x224x224`. A null entry keeps the
/// extent dynamic.
struct ShapeOption {
  std::string input;
  std::vector<std::optional<int64_t>> dims;
};

/// A part of a TensorFlow model that becomes a function of the artifact.
struct EntryOption {
  bool isSignature = true; ///< else a function by its path in the model
  std::string name;        ///< `serving_default`; `encoder.__call__`

  bool operator==(const EntryOption &) const = default;
};

/// Choices that only TensorFlow models offer. MLIR text takes `entries` that
/// are functions.
struct TensorFlowOptions {
  /// Parts of the model, in this order; none: the only signature, or
  /// serving_default.
  std::vector<EntryOption> entries;
  bool allSignatures = false;
  std::string tag; ///< tags of the graph in a SavedModel, comma separated
  /// Tensors to cut the graph at instead: `node` or `node:1`.
  std::vector<std::string> feeds, fetches;

  bool operator==(const TensorFlowOptions &) const = default;
};

/// The type that generation keeps keys and values in.
enum class CacheFormat { F32, Bf16 };
/// The library whose texts generation makes.
enum class GenerationCompat { PyTorch, TensorFlow };

/// Choices that only Hugging Face checkpoints offer. They also take `entries`
/// that are functions.
struct CheckpointOptions {
  CacheFormat cache = CacheFormat::F32;
  GenerationCompat compat = GenerationCompat::PyTorch;

  bool operator==(const CheckpointOptions &) const = default;
};

struct CompileOptions {
  std::string input; ///< path of the model
  TensorFlowOptions tensorflow;
  CheckpointOptions checkpoint;
  std::string
      output; ///< path of the artifact; derived from the input when empty
  EmitKind emit = EmitKind::Shared;
  std::string header; ///< path of the C header; empty: beside an object, else
                      ///< none
  std::string dependencyFile; ///< path of a Make rule with all files read;
                              ///< empty: none
  std::string name;   ///< C symbol stem; empty: derived from the file name
  std::string triple; ///< empty: the host
  std::string cpu = "native";
  /// CPUs to compile for, in one artifact, instead of `cpu`. When the artifact
  /// is opened, it selects the best version that the machine supports.
  std::vector<std::string> versions;
  std::vector<std::string> features; ///< "+avx512f", "-amx-tile"
  /// Architectures of NVIDIA GPUs, such as "sm_80". Not empty: the artifact
  /// has a version for these devices.
  std::vector<std::string> devices;
  bool versionsForCpus = true; ///< false: it has no other version
  bool cubins = false;         ///< also machine code of the devices, by ptxas
  int optLevel = 2;
  std::vector<DimOption> dims;
  std::vector<ShapeOption> shapes;
  std::vector<VariantOption> variants;
  std::vector<PadOption> pads;
  WeightPlacement weights = WeightPlacement::Auto;
  bool standalone = false; ///< the header includes no file of Tenon, and the
                           ///< object needs only libc
  bool foldBatchNorm = true;
  WeightFormat weightFormat = WeightFormat::F32;
  MatmulPrecision matmulPrecision = MatmulPrecision::F32;
  bool exposeIntermediates =
      false;    ///< every computed value becomes an output (compiler/verify)
  int jobs = 0; ///< compiler threads; 0: one per processor
  bool verifyEachPass =
      false; ///< for tests: verifies after every pass, not only after phases
  std::vector<std::string> remarks; ///< categories of remarks to report, of
                                    ///< Compiler::remarkCategories()
  bool countDecisions = false;      ///< CompileReport::decisions is wanted
  std::string stopAfter;            ///< name of a phase, or empty
  std::string dumpDir; ///< if not empty, a file per phase is written here
  int64_t externalWeightBytes =
      int64_t(256)
      << 20; ///< with `auto`, larger blobs are written beside the artifact,
             ///< because a linker would hold them in memory twice
};

} // namespace tenon

#endif // TENON_COMPILER_OPTIONS_COMPILEOPTIONS_H
