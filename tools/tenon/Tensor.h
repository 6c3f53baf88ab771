// A tensor in the tool's memory, for reading files, for runs, for comparison
// and for printing.
#ifndef TENON_TOOLS_TENON_TENSOR_H
#define TENON_TOOLS_TENON_TENSOR_H

#include "runtime/tenon.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::cli {

/// Dense and row-major, in the host's byte order; a bool is one byte, 0 or 1.
struct Tensor {
  std::string name;
  int32_t dtype = TENON_F32; ///< a tenon_dtype
  std::vector<int64_t> dims;
  std::vector<uint8_t> bytes;

  int64_t getNumElements() const;
};

/// The tenon_dtype called `name` ("f32", "i64", "bool"), or nullopt.
std::optional<int32_t> dtypeNamed(std::string_view name);

bool isFloat(int32_t dtype);
bool isUnsigned(int32_t dtype);

/// The size in bytes of a tensor. Nullopt if an extent is negative or the size
/// does not fit 63 bits.
std::optional<uint64_t> tensorBytes(int32_t dtype,
                                    const std::vector<int64_t> &dims);

/// Element `index` as a double; integers beyond 2^53 are rounded.
double elementAsDouble(const Tensor &tensor, int64_t index);

/// Element `index` of an integer tensor, zero- or sign-extended to 64 bits.
int64_t elementAsBits(const Tensor &tensor, int64_t index);

/// Sets element `index` to `value`, rounded to the element type (ties to even).
void setElement(Tensor &tensor, int64_t index, double value);

/// Sets element `index` of an integer tensor to the low bits of `value`.
void setElementBits(Tensor &tensor, int64_t index, int64_t value);

/// Element `index` as the shortest text that reads back as that element.
std::string elementText(const Tensor &tensor, int64_t index);

/// The type as text like "f32[1,1000]".
std::string typeText(int32_t dtype, const std::vector<int64_t> &dims);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_TENSOR_H
