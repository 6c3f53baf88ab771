// Machine code of a device's kernels (cubins), made from their PTX by NVIDIA's
// assembler.
#ifndef TENON_COMPILER_ARTIFACT_CUBINS_H
#define TENON_COMPILER_ARTIFACT_CUBINS_H

#include "compiler/codegen/DeviceCode.h"
#include "compiler/report/Diagnostic.h"

namespace tenon {

/// Looks for the assembler, so that a compilation without it fails early. On
/// failure it reports an error, sets `status` and returns false.
bool checkAssembler(const DiagnosticHandler &report, Status &status);

/// Adds a cubin to each image, at most `jobs` at a time. Returns as
/// checkAssembler does.
bool addCubins(DeviceCode &code, unsigned jobs, const DiagnosticHandler &report,
               Status &status);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_CUBINS_H
