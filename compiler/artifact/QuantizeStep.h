// The steps of recipes that store weights in fewer bits.
#ifndef TENON_COMPILER_ARTIFACT_QUANTIZESTEP_H
#define TENON_COMPILER_ARTIFACT_QUANTIZESTEP_H

#include "compiler/report/QuantizationReport.h"
#include "dialects/tenon/Quantization.h"

namespace tenon {

/// Writes the scales of `weights`, elements of the op's operand, to `scales`.
void runGroupScales(GroupScalesOp op, const char *weights, char *scales);

/// Writes the stored form of `weights` to `stored` and adds what it lost;
/// `scales` is null where there are none.
void runQuantize(QuantizeOp op, const char *weights, const char *scales,
                 char *stored, QuantizationLoss &loss);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_QUANTIZESTEP_H
