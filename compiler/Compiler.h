// The facade: a model file goes in, an artifact comes out. The tools see this
// header and the runtime's, nothing between.
#ifndef TENON_COMPILER_COMPILER_H
#define TENON_COMPILER_COMPILER_H

#include "compiler/options/CompileOptions.h"
#include "compiler/report/Diagnostic.h"
#include "compiler/report/QuantizationReport.h"

#include <functional>
#include <string>
#include <vector>

namespace tenon {

/// A phase as `--list-stages` shows it.
struct PhaseInfo {
  std::string name;
  std::string rule; ///< what is true after it
};

/// What one finished phase cost, for progress lines. After the phases come the
/// steps `code`, `weights` and `link`, as far as there are such.
struct PhaseReport {
  std::string name;
  double seconds = 0;
  double cpuSeconds = 0; ///< of all threads, and of the linker
  int64_t ops = -1;      ///< left in the module; -1: a step
};

struct CompileReport {
  Status status = Status::Success;
  std::string output;      ///< the main file written
  std::string header;      ///< the header written, or empty
  std::string weightsFile; ///< the weights file written, or empty
  int64_t codeBytes = 0;   ///< of objects; 0: a text was written
  int64_t weightBytes = 0;
  /// The least precise products of f32 that the code forms, of any version:
  /// what the targets have not is computed as `Strict`. Of AMX tiles it is not
  /// asked what they multiply: those of bf16 and f16 alone count as well.
  MatmulPrecision products = MatmulPrecision::Strict;
  QuantizationReport quantization; ///< where weights were written
  int64_t arenaBytes = -1;         ///< -1: depends on dynamic sizes
  int64_t peakMemory = 0; ///< the most this process has had so far, in bytes
  std::vector<std::string> filesRead; ///< the model and every file it names
  std::string dependencies;           ///< that as a rule for Make
};

/// An input or output as a model file declares it.
struct TensorSummary {
  std::string name;
  std::string dtype;             ///< "f32"
  std::vector<std::string> dims; ///< "224", a name such as "batch", or "?"
};

/// How often an operator occurs, and how often of these it is unsupported.
struct OpSummary {
  std::string name;
  int64_t count = 0;
  int64_t unsupported = 0;
};

/// A signature of a model that has several entries.
struct EntrySummary {
  std::string name;
  std::vector<TensorSummary> inputs, outputs;
};

/// What a model file holds, found without compiling it.
struct ModelSummary {
  std::string format;   ///< "ONNX, opset 17"
  std::string name;     ///< the graph's
  std::string producer; ///< may be empty
  std::vector<TensorSummary> inputs, outputs;
  std::vector<EntrySummary> signatures; ///< of a SavedModel
  int64_t parameters = 0;               ///< elements of all weights
  int64_t parameterBytes = 0;
  std::vector<OpSummary> ops; ///< most frequent first
};

class Compiler {
public:
  explicit Compiler(DiagnosticHandler handler) : report(std::move(handler)) {}

  /// Called after each phase and step, for progress.
  std::function<void(const PhaseReport &)> onPhase;

  /// Compiles options.input into options.output. Writes are atomic: on any
  /// failure no file is made or changed. Errors go to the handler; the result's
  /// status is their class.
  CompileReport compile(const CompileOptions &options);

  /// The IR of options.input after options.stopAfter (default `imported`), as
  /// MLIR text; empty on failure.
  std::string printStage(const CompileOptions &options, Status &status);

  /// Reads options.input and tells what it holds; unsupported operators are
  /// counted, not refused.
  ModelSummary describe(const CompileOptions &options, Status &status);

  static std::vector<PhaseInfo> phases();

  /// What a CPU has of what code is generated for, as bits of
  /// tenon_cpu_feature; 0 where it is unknown.
  static uint64_t cpuFeatures(const std::string &cpu);

  /// How often onPhase is called for a compilation into files of this kind.
  static int countSteps(EmitKind kind);

private:
  DiagnosticHandler report;
};

} // namespace tenon

#endif // TENON_COMPILER_COMPILER_H
