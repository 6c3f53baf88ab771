// Everything a compilation can be asked for: each knob is born here and nowhere
// else.
#ifndef TENON_COMPILER_COMPILEOPTIONS_H
#define TENON_COMPILER_COMPILEOPTIONS_H

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tenon {

enum class EmitKind { Object, Shared, Executable, Assembly, LlvmIr, Mlir };

enum class WeightPlacement { Auto, Embed, External };

/// How contractions' weights are stored: as they are, as bf16, or as integers
/// with a scale per group.
enum class WeightFormat { F32, Bf16, Int8, Int4 };

/// Bits of an element, scales aside.
constexpr int bitsOf(WeightFormat format) {
  constexpr int bits[] = {32, 16, 8, 4};
  return bits[int(format)];
}

/// The least accuracy of f32 products and their sums: exact products summed as
/// docs/numerics.md says, bit by bit; no worse than a plain f32 dot product; as
/// of three products of bf16 parts; of operands rounded to bf16. A target may
/// do better. From the most to the least precise: the greater of two is the one
/// with the weaker promise.
enum class MatmulPrecision { Strict, F32, High, Bf16 };

/// A named dimension fixed or ranged by the user: `--dim=batch=1..8:2`.
struct DimOption {
  std::string name;
  int64_t min = 0;
  int64_t max = INT64_MAX;
  int64_t multiple = 1;
};

/// Sizes a variant is made for: `--specialize=batch:1,seq:128`.
struct VariantOption {
  std::vector<std::pair<std::string, int64_t>> sizes;
};

/// A dim that is padded to a multiple: `--pad=seq:8`.
struct PadOption {
  std::string name;
  int64_t multiple = 1;
};

/// The shape of one input, fixed by the user: `--shape=data:1x3x224x224`; no
/// value keeps the extent dynamic.
struct ShapeOption {
  std::string input;
  std::vector<std::optional<int64_t>> dims;
};

/// A part of a TensorFlow model that becomes a function of the artifact.
struct EntryOption {
  bool isSignature = true; ///< else a function by its place among the objects
  std::string name;        ///< `serving_default`; `encoder.__call__`
};

struct CompileOptions {
  std::string input; ///< path of the model
  /// Which parts of a TensorFlow model, in this order; none: the only
  /// signature, or serving_default.
  std::vector<EntryOption> entries;
  bool allSignatures = false;
  std::string tag;
  /// Tensors to cut a TensorFlow graph at, instead: `node` or `node:1`.
  std::vector<std::string> feeds, fetches;
  std::string
      output; ///< path of the artifact; derived from the input when empty
  EmitKind emit = EmitKind::Shared;
  std::string header; ///< path of the C header; empty: beside an object, and
                      ///< nowhere else
  std::string dependencyFile; ///< path of a rule for Make that says what was
                              ///< read; empty: none
  std::string name;   ///< C symbol stem; derived from the file name when empty
  std::string triple; ///< empty: the host
  std::string cpu = "native";
  /// CPUs to make code for in one artifact, instead of `cpu`; the machine it
  /// is opened on takes the best it can run.
  std::vector<std::string> versions;
  std::vector<std::string> features; ///< "+avx512f", "-amx-tile"
  int optLevel = 2;
  std::vector<DimOption> dims;
  std::vector<ShapeOption> shapes;
  std::vector<VariantOption> variants;
  std::vector<PadOption> pads;
  WeightPlacement weights = WeightPlacement::Auto;
  bool standalone = false; ///< the header includes nothing of Tenon's and the
                           ///< object needs libc alone
  bool foldBatchNorm = true;
  WeightFormat weightFormat = WeightFormat::F32;
  MatmulPrecision matmulPrecision = MatmulPrecision::F32;
  bool exposeIntermediates =
      false;    ///< every computed value is an output too (compiler/verify)
  int jobs = 0; ///< threads that compile; 0: one a processor
  bool verifyEachPass =
      false; ///< for tests: the module after every pass, not every phase
  std::string stopAfter; ///< a phase name, or empty
  std::string dumpDir;   ///< a file per phase is written here when not empty
  int64_t externalWeightBytes =
      int64_t(256) << 20; ///< `auto` writes larger blobs beside the artifact: a
                          ///< linker would hold them in memory twice
};

} // namespace tenon

#endif // TENON_COMPILER_COMPILEOPTIONS_H
