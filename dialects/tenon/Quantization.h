// tenon.group_scales, tenon.quantize and tenon.dequantize: weights of
// contractions stored in fewer bits.
#ifndef TENON_DIALECTS_TENON_QUANTIZATION_H
#define TENON_DIALECTS_TENON_QUANTIZATION_H

#include "dialects/tenon/TenonDialect.h"

#define GET_OP_CLASSES
#include "dialects/tenon/Quantization.h.inc"

namespace tenon {

/// The number of four-bit integers in one i32 word.
constexpr int64_t nibblesPerWord = 8;

/// Why `stored` is no quantized form of `values`; empty if it is one. Without
/// scales, `scales` is null and `group` is nullopt (quantize C1 to C3,
/// dequantize C1 to C3).
std::string quantizedFormError(mlir::RankedTensorType values,
                               mlir::RankedTensorType stored,
                               mlir::RankedTensorType scales,
                               std::optional<int64_t> group);

} // namespace tenon

#endif // TENON_DIALECTS_TENON_QUANTIZATION_H
