// What a compilation says of itself: a report of each phase, one at its end.
#ifndef TENON_COMPILER_REPORT_COMPILEREPORT_H
#define TENON_COMPILER_REPORT_COMPILEREPORT_H

#include "compiler/options/CompileOptions.h"
#include "compiler/report/Diagnostic.h"
#include "compiler/report/QuantizationReport.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tenon {

/// What one finished phase cost, for progress lines. After the phases come the
/// steps `kernels` and `cubins` of a device, `code`, `weights` and `link`, as
/// far as there are such.
struct PhaseReport {
  std::string name;
  double seconds = 0;
  double cpuSeconds = 0; ///< of all threads, and of the linker
  int64_t ops = -1;      ///< left in the module; -1: a step
};

/// How often the passes made one decision, over all functions, variants and
/// versions.
struct DecisionCount {
  std::string category; ///< of the remarks that tell of the decision
  std::string name;     ///< `packed`; `kernel.ops` counts the ops of kernels
  int64_t count = 0;
};

/// The kernels of a device version for one architecture.
struct DeviceImageReport {
  std::string architecture; ///< "sm_80"
  int capability = 0;       ///< of the least device that runs them: 80 is 8.0
  bool exact = false;       ///< no other device runs them
  int64_t bytes = 0;        ///< of the PTX
  int64_t cubinBytes = 0;   ///< 0: there is no cubin
};

struct CompileReport {
  Status status = Status::Success;
  std::string output;                    ///< the main file written
  std::string header;                    ///< the header written, or empty
  std::string weightsFile;               ///< the weights file written, or empty
  int64_t codeBytes = 0;                 ///< of objects; 0: a text was written
  std::vector<DeviceImageReport> images; ///< of the version for a device
  int64_t weightBytes = 0;
  /// The least precise f32 products that the code of any version forms;
  /// precisions that the targets lack count as `Strict`. AMX tiles of bf16 and
  /// f16 products count whatever they multiply.
  MatmulPrecision products = MatmulPrecision::Strict;
  QuantizationReport quantization;      ///< where weights were written
  int64_t arenaBytes = -1;              ///< -1: depends on dynamic sizes
  std::vector<DecisionCount> decisions; ///< if they were to be counted; sorted
  int64_t peakMemory = 0; ///< the most this process has had so far, in bytes
  std::vector<std::string> filesRead; ///< the model and every file it names
  std::string dependencies;           ///< that as a rule for Make
};

} // namespace tenon

#endif // TENON_COMPILER_REPORT_COMPILEREPORT_H
