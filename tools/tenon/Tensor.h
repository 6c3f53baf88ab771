// A tensor in the tool's own memory: what files are read into, what runs take
// and give, what is compared and printed.
#ifndef TENON_TOOLS_TENON_TENSOR_H
#define TENON_TOOLS_TENON_TENSOR_H

#include "runtime/tenon.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::cli {

/// Dense, row-major, in the host's byte order; bool is one byte of 0 or 1.
struct Tensor {
  std::string name;
  int32_t dtype = TENON_F32; ///< a tenon_dtype
  std::vector<int64_t> dims;
  std::vector<uint8_t> bytes;

  int64_t getNumElements() const;
};

/// The tenon_dtype called `name` ("f32", "i64", "bool"), or nothing.
std::optional<int32_t> dtypeNamed(std::string_view name);

bool isFloat(int32_t dtype);
bool isUnsigned(int32_t dtype);

/// The bytes of `dims` elements of `dtype`; nothing for a negative extent or
/// where the number does not fit 63 bits.
std::optional<uint64_t> tensorBytes(int32_t dtype,
                                    const std::vector<int64_t> &dims);

/// Element `index` as a double; integers beyond 2^53 are rounded.
double elementAsDouble(const Tensor &tensor, int64_t index);

/// Element `index` of an integer tensor, its bits zero- or sign-extended.
int64_t elementAsBits(const Tensor &tensor, int64_t index);

/// Writes `value`, rounded to the element type (ties to even), to element
/// `index`.
void setElement(Tensor &tensor, int64_t index, double value);

/// Writes the low bits of `value` to element `index` of an integer tensor.
void setElementBits(Tensor &tensor, int64_t index, int64_t value);

/// Element `index` as the shortest text that reads back to it.
std::string elementText(const Tensor &tensor, int64_t index);

/// "f32[1,1000]".
std::string typeText(int32_t dtype, const std::vector<int64_t> &dims);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_TENSOR_H
