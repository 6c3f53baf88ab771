// What a model file holds, told without compiling it.
#ifndef TENON_COMPILER_MODELDESCRIBER_H
#define TENON_COMPILER_MODELDESCRIBER_H

#include "compiler/Compiler.h"

namespace tenon {

/// Reads options.input; unsupported operators are counted, not refused.
ModelSummary describeModel(const CompileOptions &options, const DiagnosticHandler &report, Status &status);

} // namespace tenon

#endif // TENON_COMPILER_MODELDESCRIBER_H
