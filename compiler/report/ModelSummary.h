// What a model file holds, found without compiling it.
#ifndef TENON_COMPILER_REPORT_MODELSUMMARY_H
#define TENON_COMPILER_REPORT_MODELSUMMARY_H

#include <cstdint>
#include <string>
#include <vector>

namespace tenon {

/// An input or output as a model file declares it.
struct TensorSummary {
  std::string name;
  std::string dtype;             ///< "f32"
  std::vector<std::string> dims; ///< "224", a name such as "batch", or "?"
  std::string defaultValue = {}; ///< "50", "[1, 2]"; empty: must be given
  std::string least = {}, greatest = {}; ///< bounds of elements; empty: none
};

/// How often an operator occurs, and in how many of these places it is
/// unsupported.
struct OpSummary {
  std::string name;
  int64_t count = 0;
  int64_t unsupported = 0;
};

/// A signature or function of a model that has several entries.
struct EntrySummary {
  std::string name;
  std::vector<TensorSummary> inputs, outputs;
};

struct ModelSummary {
  std::string format;   ///< "ONNX, opset 17"
  std::string name;     ///< the graph's
  std::string producer; ///< may be empty
  std::vector<TensorSummary> inputs, outputs;
  std::vector<EntrySummary> signatures; ///< of a SavedModel
  /// The functions of the artifact, if there are several; `inputs` and
  /// `outputs` are those of the first.
  std::vector<EntrySummary> functions;
  int64_t parameters = 0; ///< elements of all weights
  int64_t parameterBytes = 0;
  std::vector<OpSummary> ops; ///< most frequent first
};

} // namespace tenon

#endif // TENON_COMPILER_REPORT_MODELSUMMARY_H
