// Runs the ops of recipes that store weights in fewer bits.
#ifndef TENON_COMPILER_ARTIFACT_QUANTIZESTEP_H
#define TENON_COMPILER_ARTIFACT_QUANTIZESTEP_H

#include "compiler/report/QuantizationReport.h"
#include "dialects/tenon/Quantization.h"

namespace tenon {

/// Writes the scales of `weights`, the bytes of the op's operand, to `scales`.
void runGroupScales(GroupScalesOp op, const char *weights, char *scales);

/// Writes the stored form of `weights` to `stored` and adds the error to
/// `loss`. `scales` is null if the op has none.
void runQuantize(QuantizeOp op, const char *weights, const char *scales,
                 char *stored, QuantizationLoss &loss);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_QUANTIZESTEP_H
