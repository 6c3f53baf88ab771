// tenon.group_scales, tenon.quantize and tenon.dequantize: weights of
// contractions in fewer bits.
#ifndef TENON_DIALECTS_TENON_QUANTIZATION_H
#define TENON_DIALECTS_TENON_QUANTIZATION_H

#include "dialects/tenon/TenonDialect.h"

#define GET_OP_CLASSES
#include "dialects/tenon/Quantization.h.inc"

namespace tenon {

/// Four-bit integers in one word of i32.
constexpr int64_t nibblesPerWord = 8;

/// What is wrong with `stored` as the quantized form of `values`; empty:
/// nothing. `scales` is null and `group` nothing where there are none.
/// (quantize, dequantize C1 to C3)
std::string quantizedFormError(mlir::RankedTensorType values,
                               mlir::RankedTensorType stored,
                               mlir::RankedTensorType scales,
                               std::optional<int64_t> group);

} // namespace tenon

#endif // TENON_DIALECTS_TENON_QUANTIZATION_H
