// What a model means, to hold compiled code against: the oracle behind an
// interface of plain data.
#ifndef TENON_COMPILER_VERIFY_REFERENCE_H
#define TENON_COMPILER_VERIFY_REFERENCE_H

#include "compiler/CompileOptions.h"
#include "compiler/report/Diagnostic.h"

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

/// Evaluates a function of the model options.input on `inputs`, which are in
/// its order, as an import with these options reads it, each op rounded to its
/// type. States have their first values. Slow: for graphs of millions of
/// elements, not billions.
Status evaluateReference(const CompileOptions &options,
                         const std::string &functionName,
                         const std::vector<ReferenceTensor> &inputs,
                         std::vector<ReferenceTensor> &outputs,
                         const DiagnosticHandler &report);

} // namespace tenon

#endif // TENON_COMPILER_VERIFY_REFERENCE_H
