// What a text of tenon ops holds.
#ifndef TENON_COMPILER_DESCRIBE_DESCRIBEMLIR_H
#define TENON_COMPILER_DESCRIBE_DESCRIBEMLIR_H

#include "compiler/Compiler.h"

namespace tenon {

/// Parses options.input. Where that fails, `report` hears why, `status` is the
/// class of it and the summary is empty.
ModelSummary describeMlir(const CompileOptions &options,
                          const DiagnosticHandler &report, Status &status);

} // namespace tenon

#endif // TENON_COMPILER_DESCRIBE_DESCRIBEMLIR_H
