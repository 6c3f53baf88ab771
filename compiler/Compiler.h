// The facade: a model file goes in, an artifact comes out. The tools see this
// header and the runtime's, nothing between.
#ifndef TENON_COMPILER_COMPILER_H
#define TENON_COMPILER_COMPILER_H

#include "compiler/formats/ModelFormats.h"
#include "compiler/options/CompileOptions.h"
#include "compiler/report/CompileReport.h"
#include "compiler/report/Diagnostic.h"
#include "compiler/report/ModelGraph.h"
#include "compiler/report/ModelSummary.h"

#include <functional>
#include <string>
#include <vector>

namespace tenon {

/// A phase as `--list-stages` shows it.
struct PhaseInfo {
  std::string name;
  std::string rule; ///< what is true after it
};

class Compiler {
public:
  /// Takes models of `formats`, which outlive this.
  explicit Compiler(DiagnosticHandler handler,
                    FormatTable formats = modelFormats())
      : report(std::move(handler)), formats(formats) {}

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

  /// The graphs, kernels and memory of options.input, without machine code. If
  /// there are several targets, they are those of the first.
  ModelGraph graph(const CompileOptions &options, Status &status);

  static std::vector<PhaseInfo> phases();

  /// The names of all categories of remarks.
  static std::vector<std::string> remarkCategories();

  /// What a CPU has of what code is generated for, as bits of
  /// tenon_cpu_feature; 0 where it is unknown.
  static uint64_t cpuFeatures(const std::string &cpu);

  /// How often compile(), or printStage() if MLIR is emitted, calls onPhase.
  static int countSteps(const CompileOptions &options);

  /// How often graph() calls onPhase.
  static int countGraphSteps();

private:
  DiagnosticHandler report;
  FormatTable formats;
};

} // namespace tenon

#endif // TENON_COMPILER_COMPILER_H
