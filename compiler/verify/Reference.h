// What a model means, to hold compiled code against: the oracle behind an
// interface of plain data.
#ifndef TENON_COMPILER_VERIFY_REFERENCE_H
#define TENON_COMPILER_VERIFY_REFERENCE_H

#include "compiler/options/CompileOptions.h"
#include "compiler/report/Diagnostic.h"

#include <memory>
#include <string>
#include <vector>

namespace tenon {

/// A dense row-major tensor in little-endian bytes; a bool is one byte.
struct ReferenceTensor {
  std::string name;
  std::string dtype; ///< "f32", "i64", "u8", "bool"
  std::vector<int64_t> dims;
  std::vector<char> bytes;
};

/// A model, read once to be evaluated on any inputs.
class Reference {
public:
  /// Reads options.input as an import with these options reads it. `options`
  /// and `report` outlive this. `memoryLeft`: bytes that an evaluation may take
  /// at the moment.
  Reference(const CompileOptions &options, const DiagnosticHandler &report,
            std::function<uint64_t()> memoryLeft = {});
  ~Reference();

  /// What the model could not be read for; then nothing may be evaluated.
  Status getStatus() const;

  /// Evaluates a function on `inputs`, which are in its order, each op rounded
  /// to its type. States have their first values. Slow: for graphs of millions
  /// of elements, not billions.
  Status evaluate(const std::string &functionName,
                  const std::vector<ReferenceTensor> &inputs,
                  std::vector<ReferenceTensor> &outputs);

private:
  struct Model;
  std::unique_ptr<Model> model;
};

} // namespace tenon

#endif // TENON_COMPILER_VERIFY_REFERENCE_H
