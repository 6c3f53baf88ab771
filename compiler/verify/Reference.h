// The expected results of a model, to compare compiled code with. The oracle
// behind an interface of plain data.
#ifndef TENON_COMPILER_VERIFY_REFERENCE_H
#define TENON_COMPILER_VERIFY_REFERENCE_H

#include "compiler/options/CompileOptions.h"
#include "compiler/report/Diagnostic.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tenon {

/// A dense row-major tensor as little-endian bytes; a bool is one byte.
struct ReferenceTensor {
  std::string name;
  std::string dtype; ///< "f32", "i64", "u8", "bool"
  std::vector<int64_t> dims;
  std::vector<char> bytes;
};

/// A model that is read once and can be evaluated on any inputs.
class Reference {
public:
  /// Reads options.input as the import does with these options. `options` and
  /// `report` must outlive this object. `memoryLeft` returns the bytes that an
  /// evaluation may take at the moment.
  Reference(const CompileOptions &options, const DiagnosticHandler &report,
            std::function<uint64_t()> memoryLeft = {});
  ~Reference();

  /// The error class of reading the model; Success if it was read. Evaluate
  /// only after Success.
  Status getStatus() const;

  /// Sets the sizes of context extents by name; others have their defaults.
  void setContextExtents(std::map<std::string, int64_t> extents);

  /// Evaluates a function on `inputs`, in the function's order. Each op's
  /// result is rounded to its type. States have their initial values. Slow:
  /// suitable for millions of elements, not for billions.
  Status evaluate(const std::string &functionName,
                  const std::vector<ReferenceTensor> &inputs,
                  std::vector<ReferenceTensor> &outputs);

private:
  struct Model;
  std::unique_ptr<Model> model;
};

} // namespace tenon

#endif // TENON_COMPILER_VERIFY_REFERENCE_H
